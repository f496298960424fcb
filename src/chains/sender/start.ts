import type { Traced } from '../../observability/tracing.ts';
import type { ChargeDoc, ChargeState } from '../../store/collections.ts';
import { asSeen, changeAsSeen, changeEach, ofKey, postpone } from '../charges.ts';
import type { ChainContext } from '../context.ts';

type Started = Pick<ChargeDoc, 'state' | 'lane' | 'transactionId' | 'updatedAt'>;

/**
 * Asks the payments whether they still want these attempts, and marks the wanted ones as started, each for its
 * transaction. From then on nobody can withdraw them. Returns the charges that this signing queue has taken. An attempt
 * that its payment has withdrawn ends; a charge whose payment gives no answer waits.
 */
export async function startCharges(
  ctx: ChainContext,
  sender: string,
  transactionIdOf: (charge: ChargeDoc) => string,
  charges: readonly ChargeDoc[],
): Promise<ChargeDoc[]> {
  const answers = await ctx.listener.start(charges);
  const free = charges.filter(({ _id }) => answers.get(_id) === 'go');
  const held = charges.filter(({ _id }) => !answers.has(_id));
  if (held.length > 0) await postpone(ctx, held, ctx.timing.postponeMs);
  const withdrawn = charges.filter(({ _id }) => answers.get(_id) === 'withdrawn');
  await withdraw(ctx, withdrawn);
  const updatedAt = ctx.clock();
  const started = free.map((charge): Started => {
    return { state: 'started', lane: sender, transactionId: transactionIdOf(charge), updatedAt };
  });
  const won = await markStarted(ctx, free, started);
  return free.flatMap((charge, index) => (won.has(charge._id) ? [{ ...charge, ...started[index] }] : []));
}

/** Writes all charges of one transaction in one write. Returns the ids of those that no other queue has taken. */
async function markStarted(
  ctx: ChainContext,
  charges: readonly ChargeDoc[],
  started: readonly Started[],
): Promise<ReadonlySet<string>> {
  const [first] = started;
  if (first !== undefined && started.every(({ transactionId }) => transactionId === first.transactionId)) {
    return changeAsSeen(ctx, charges, first);
  }
  const won = await ctx.records.changeMany(
    'charges',
    charges.map((charge, index) => ({ id: charge._id, where: asSeen(charge), change: { set: { ...started[index] } } })),
  );
  return new Set(charges.flatMap(({ _id }, index) => (won[index] === true ? [_id] : [])));
}

/** Ends attempts that their payments have withdrawn. */
async function withdraw(ctx: ChainContext, charges: readonly ChargeDoc[]): Promise<void> {
  if (charges.length > 0) await changeEach(ctx, charges, { state: 'withdrawn', lane: null, transactionId: null });
}

/** The pause before the next check of an unwanted attempt, if no attempt of its key is followed. */
const UNWANTED_REST_MS = 60_000;

/** The states of an attempt that is in a transaction, or about to be. */
const FOLLOWED = ['started', 'sent', 'mined', 'final'] as const satisfies readonly ChargeState[];

/**
 * For charges that are already on the chain. Asks their payments whether they want these attempts, and returns the
 * wanted ones. An unwanted attempt ends if another attempt of its key is followed: it was refused, and nobody could
 * note that. If none is followed, the chain took money that no payment knows of: the attempt stays open, and shows as
 * trouble. An attempt whose payment gives no answer waits.
 */
export async function wantedOf(ctx: ChainContext, seen: readonly ChargeDoc[]): Promise<ChargeDoc[]> {
  const answers = await ctx.listener.start(seen);
  const held = seen.filter(({ _id }) => !answers.has(_id));
  if (held.length > 0) await postpone(ctx, held, ctx.timing.postponeMs);
  for (const charge of seen) if (answers.get(charge._id) === 'withdrawn') await endUnwanted(ctx, charge);
  return seen.filter(({ _id }) => answers.get(_id) === 'go');
}

async function endUnwanted(ctx: ChainContext, charge: ChargeDoc): Promise<void> {
  const { _id, key } = charge;
  const { chainId, log, records, troubles } = ctx;
  const followed = await records.find('charges', { where: { ...ofKey(key), state: { in: FOLLOWED } }, limit: 2 });
  if (followed.some((other) => other._id !== _id)) {
    await withdraw(ctx, [charge]);
    troubles.set(`seen:${key}`, null);
    return;
  }
  const sentence = `charge ${_id} is already on the chain, but its payment does not want it; it is checked again every minute`;
  if (troubles.set(`seen:${key}`, sentence)) log.error({ chainId, chargeId: _id }, sentence);
  await postpone(ctx, [charge], UNWANTED_REST_MS);
}

/** The most ids of a batch that a trace shows. */
const SPAN_IDS_MAX = 10;

/** The trace of a send, in every chain family. */
export function sendSpan(
  { chainId }: { readonly chainId: number },
  sender: string,
  charges: readonly Pick<ChargeDoc, 'paymentId'>[],
): Omit<Traced<never>, 'outcome'> {
  return {
    name: 'chain send',
    attributes: () => ({
      'tideline.chain_id': chainId,
      'tideline.sender': sender,
      'tideline.count': charges.length,
      'tideline.ids': charges.slice(0, SPAN_IDS_MAX).map(({ paymentId }) => paymentId),
    }),
  };
}
