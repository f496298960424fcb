import { messageOf } from '../errors/message-of.ts';
import type { ChargeDoc } from '../store/collections.ts';
import type { ChainContext } from './context.ts';
import type { ChargeFact, ToldFact } from './port.ts';

/** What is told of one charge, in this order. */
export interface News {
  readonly charge: ChargeDoc;
  readonly facts: readonly ChargeFact[];
}

/** Tells the payments. False: it is not certain that all of them have taken it, so it has to be told again. */
export async function tell(
  { chainId, listener, log }: Pick<ChainContext, 'chainId' | 'listener' | 'log'>,
  news: readonly News[],
): Promise<boolean> {
  const facts = news.flatMap(({ charge, facts: list }) => list.map((fact): ToldFact => ({ charge, fact })));
  if (facts.length === 0) return true;
  try {
    await listener.tell(facts);
    return true;
  } catch (error) {
    const charges = news.map(({ charge }) => charge._id).slice(0, 3);
    log.warn({ chainId, charges, count: news.length, error: messageOf(error) }, 'facts not taken');
    return false;
  }
}

/**
 * Tells everything at once and, where that is refused, one after the other: one bad payment stops no other. Returns those
 * that were taken.
 */
export async function tellEach<N>(news: readonly N[], telling: (some: readonly N[]) => Promise<boolean>): Promise<N[]> {
  if (news.length === 0) return [];
  if (await telling(news)) return [...news];
  if (news.length === 1) return [];
  const told: N[] = [];
  for (const each of news) if (await telling([each])) told.push(each);
  return told;
}
