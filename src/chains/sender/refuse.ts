import type { ChargeDoc } from '../../store/collections.ts';
import { asSeen, decidedOf } from '../charges.ts';
import { type ChainContext, later } from '../context.ts';
import type { RefusalFact } from '../port.ts';
import { type News, tell, tellEach } from '../tell.ts';
import { postpone } from './postpone.ts';

interface Refused {
  readonly charge: ChargeDoc;
  readonly why: RefusalFact;
  /** Kept with the charge beside the reason. */
  readonly note?: Pick<ChargeDoc, 'note'>;
}

/** How long whoever has decided may take to tell it, before a signing queue that comes by tells it too. */
const TELLING_MS = 5_000;

/** A refusal that its payment does not take, where others have taken theirs, rests so many times as long as what waits for all. */
const UNTOLD_RESTS = 12;

/**
 * Ends charges that simulation refuses. What is decided stands in the charge first, by a write that loses to any signing queue that has
 * taken it in between, and from then on nobody signs it; then its payment is told; then it is marked. Whoever dies or stands
 * still in between leaves the telling to the next signing queue (`tellDecided`), so that no payment hears of a refusal while its charge
 * is signed. Those whose payment cannot be told at present rest, and hold up no other.
 */
export async function refuse(ctx: ChainContext, refusals: readonly Refused[]): Promise<void> {
  await tellAndMark(ctx, await decide(ctx, refusals));
}

/** Of what a signing queue has at hand, ends what had been decided before and returns the others. */
export async function tellDecided(ctx: ChainContext, charges: readonly ChargeDoc[]): Promise<ChargeDoc[]> {
  await tellAndMark(
    ctx,
    charges.filter((charge) => decidedOf(charge) !== null),
  );
  return charges.filter((charge) => decidedOf(charge) === null);
}

async function decide(ctx: ChainContext, refusals: readonly Refused[]): Promise<ChargeDoc[]> {
  const nowhere = { state: 'waiting', lane: null, transactionId: null, notBefore: later(ctx, TELLING_MS) } as const;
  const decided = refusals.map(({ charge, why, note }) => ({
    charge,
    set: { ...nowhere, reason: why.reason, ...note, updatedAt: ctx.clock() },
  }));
  const won = await ctx.records.changeMany(
    'charges',
    decided.map(({ charge, set }) => ({ id: charge._id, where: asSeen(charge), change: { set } })),
  );
  return decided.flatMap(({ charge, set }, index) => (won[index] === true ? [{ ...charge, ...set }] : []));
}

async function tellAndMark(ctx: ChainContext, decided: readonly ChargeDoc[]): Promise<void> {
  if (decided.length === 0) return;
  const news = decided.map((charge): News => ({ charge, facts: [decidedOf(charge)].filter((fact) => fact !== null) }));
  const told = new Set((await tellEach(news, (some) => tell(ctx, some))).map(({ charge }) => charge));
  await ctx.records.changeMany(
    'charges',
    [...told].map((charge) => ({
      id: charge._id,
      where: asSeen(charge),
      change: { set: { state: 'refused', updatedAt: ctx.clock() } },
    })),
  );
  const untold = decided.filter((charge) => !told.has(charge));
  if (untold.length > 0) await postpone(ctx, untold, ctx.timing.postponeMs * (told.size > 0 ? UNTOLD_RESTS : 1));
}
