import type { ChargeDoc } from '../../store/collections.ts';
import { asSeen, decidedOf, postpone } from '../charges.ts';
import { type ChainContext, later } from '../context.ts';
import { type ChargeNotice, notifyEach } from '../notify.ts';
import type { RefusalFact } from '../port.ts';

interface Refused {
  readonly charge: ChargeDoc;
  readonly why: RefusalFact;
  /**
   * The block (Solana: slot) as of which the chain refuses it: no newer one had been seen. Null: no later block changes
   * it.
   */
  readonly block: number | null;
  /** Stored in the charge, beside the reason. */
  readonly note?: Pick<ChargeDoc, 'note' | 'refusal'>;
}

/** The time, in milliseconds, in which only the process that decided a refusal notifies the payment. */
const NOTIFYING_MS = 5_000;

/** The pause of a refusal that its payment does not take is this many times longer if other payments take theirs. */
const UNNOTIFIED_RESTS = 12;

/**
 * Ends charges that simulation refuses, in three steps. First, the refusal is stored in the charge; the write fails if
 * a signing queue took the charge meanwhile, and after it nobody signs the charge. Second, the payment is notified.
 * Third, the charge is marked as refused. If the process dies or hangs between two steps, the next signing queue
 * notifies the payment (`notifyDecided`). So no payment learns of a refusal while its charge is signed. A charge whose
 * payment cannot be notified waits, and delays no other.
 */
export async function refuse(ctx: ChainContext, refusals: readonly Refused[]): Promise<void> {
  await notifyAndMark(ctx, await decide(ctx, refusals));
}

/** Ends the charges whose refusal is decided already, and returns the others. */
export async function notifyDecided(ctx: ChainContext, charges: readonly ChargeDoc[]): Promise<ChargeDoc[]> {
  await notifyAndMark(
    ctx,
    charges.filter((charge) => decidedOf(charge) !== null),
  );
  return charges.filter((charge) => decidedOf(charge) === null);
}

async function decide(ctx: ChainContext, refusals: readonly Refused[]): Promise<ChargeDoc[]> {
  const nowhere = { state: 'waiting', lane: null, transactionId: null, notBefore: later(ctx, NOTIFYING_MS) } as const;
  const decided = refusals.map(({ charge, why, block, note }) => ({
    charge,
    block,
    set: { ...nowhere, reason: why.reason, ...note, updatedAt: ctx.clock() },
  }));
  const won = await ctx.records.changeMany(
    'charges',
    decided.map(({ charge, set }) => ({ id: charge._id, where: asSeen(charge), change: { set } })),
  );
  const ours = decided.filter((_, index) => won[index] === true);
  const stored = ours.map(({ charge, set }): ChargeDoc => ({ ...charge, ...set }));
  for (const { charge, block, set } of ours) {
    const { reason, refusal } = set;
    const about = { chainId: ctx.chainId, chargeId: charge._id, reason, refusal, block };
    ctx.log.info(about, 'the chain would refuse the charge; this attempt ends without a transaction');
  }
  await noteEnded(ctx, stored);
  return stored;
}

/** Notes on mandates that nothing can be charged under them any more. The chain's logs say of a revocation too. */
async function noteEnded({ records, clock }: ChainContext, refused: readonly ChargeDoc[]): Promise<void> {
  const set = (kind: string | undefined) => {
    if (kind === 'revoked') return { revokedAt: clock() };
    return kind === 'used_up' ? { usedUpAt: clock() } : null;
  };
  const changes = refused.flatMap(({ mandate, refusal }) => {
    const ended = set(refusal?.kind);
    if (mandate === undefined || ended === null) return [];
    const where = Object.fromEntries(Object.keys(ended).map((field) => [field, null]));
    return [{ id: mandate.id, where, change: { set: ended } }];
  });
  if (changes.length > 0) await records.changeMany('mandates', changes);
}

async function notifyAndMark(ctx: ChainContext, decided: readonly ChargeDoc[]): Promise<void> {
  if (decided.length === 0) return;
  const notices = decided.map(
    (charge): ChargeNotice => ({ charge, facts: [decidedOf(charge)].filter((fact) => fact !== null) }),
  );
  const reported = new Set((await notifyEach(ctx, notices)).map(({ charge }) => charge));
  await ctx.records.changeMany(
    'charges',
    [...reported].map((charge) => ({
      id: charge._id,
      where: asSeen(charge),
      change: { set: { state: 'refused', updatedAt: ctx.clock() } },
    })),
  );
  const unnotified = decided.filter((charge) => !reported.has(charge));
  if (unnotified.length > 0)
    await postpone(ctx, unnotified, ctx.timing.postponeMs * (reported.size > 0 ? UNNOTIFIED_RESTS : 1));
}
