import { messageOf } from '../../../message-of.ts';
import type { ChargeDoc } from '../../../store/collections.ts';
import type { ChargeFact, ToldFact } from '../../port.ts';
import type { SolanaContext } from '../context.ts';

/** What is told of one charge, in this order. */
export interface News {
  readonly charge: ChargeDoc;
  readonly facts: readonly ChargeFact[];
}

/** Tells the payments. False: it is not certain that they have taken it, so it has to be told again. */
export async function tell(ctx: SolanaContext, news: readonly News[]): Promise<boolean> {
  const facts = news.flatMap(({ charge, facts: list }) => list.map((fact): ToldFact => ({ charge, fact })));
  if (facts.length === 0) return true;
  const kinds = [...new Set(facts.map(({ fact }) => fact.kind))];
  for (const kind of kinds) await ctx.fault('reconciler.told.before', kind);
  try {
    await ctx.listener.tell(facts);
  } catch (error) {
    const charges = news.map(({ charge }) => charge._id).slice(0, 3);
    ctx.log.warn({ chainId: ctx.chainId, charges, count: news.length, error: messageOf(error) }, 'facts not taken');
    return false;
  }
  for (const kind of kinds) await ctx.fault('reconciler.told.after', kind);
  return true;
}

/** Everything at once and, where that is refused, one after the other: one bad payment stops no other. Those that were taken. */
export async function tellEach<N extends News>(ctx: SolanaContext, news: readonly N[]): Promise<N[]> {
  if (news.length === 0) return [];
  if (await tell(ctx, news)) return [...news];
  if (news.length === 1) return [];
  const told: N[] = [];
  for (const each of news) if (await tell(ctx, [each])) told.push(each);
  return told;
}
