import { type EventOf, MACHINES } from '../../../machines/versions.ts';
import { advance } from '../../../src/engine/advance.ts';
import type { StoredActor } from '../../../src/store/documents.ts';
import type { Commit } from '../../../src/store/port.ts';
import { NOBODY, subscriptionOf } from '../documents.ts';

/** This many actors accept one event each: one by one by 32 callers, or as a batch. */
export interface TransitionOrder {
  readonly how: 'one by one' | 'many';
  readonly actors: number;
}

/** The callers of `one by one`, each with one event at a time. */
export const CONCURRENCY = 32;

/** The event of the benchmark: it replaces a merchant's free-form map, and only the journal records that. */
export const EVENT: EventOf<'subscription'> = {
  type: 'variables.replaced',
  customVariables: { seats: 3, plan: 'pro', region: 'eu-central' },
};
export const BY = 'bench';

/** Admits no opt-in events; this event causes none. */
export const admitsNothing = () => false;

/** Subscriptions that wait for the end of their paid period, as the service reads them. */
export function actors(count: number): StoredActor[] {
  const at = new Date();
  return Array.from({ length: count }, () => {
    const doc = subscriptionOf(NOBODY, at);
    return { ...doc, value: { active: 'waiting' }, headRev: doc.rev, outbox: [], failures: 0 };
  });
}

/** The product's write when this actor accepts the event, computed before the measurement starts. */
export function commitOf(before: StoredActor): Commit {
  const incoming = { event: EVENT, by: BY, sender: null };
  const taken = advance(MACHINES, before, incoming, { now: new Date(), admits: admitsNothing, writes: {} });
  if (taken.outcome !== 'taken') throw new Error(`${before._id} does not take ${EVENT.type}: ${taken.outcome}`);
  const { doc: after, logged: events, items: effects } = taken;
  return { before, after, events, effects };
}
