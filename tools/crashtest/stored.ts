import { pagesOf } from '../../src/store/pages.ts';
import type { Store } from '../../src/store/port.ts';
import { quarantinedIn, unrelayedIn } from '../lib/stored.ts';

/** The parts of the database that the verdict checks. */
export interface Stored {
  /** The ids of all webhook events in the log. */
  readonly events: ReadonlySet<string>;
  /** Documents with pending effects. */
  readonly unrelayed: readonly string[];
  /** Quarantined actors, with the reasons. */
  readonly quarantined: readonly { readonly id: string; readonly reason: string }[];
  /** Deliveries without a 2xx answer. */
  readonly undelivered: readonly string[];
  /** Ids of events whose first attempt failed. Later events of the resource did not wait for the next attempt. */
  readonly retried: ReadonlySet<string>;
}

const PAGE = 1_000;

/** Reads the current state. A running service may change it at the same time. */
export async function readStored(store: Store): Promise<Stored> {
  const [events, unrelayed, quarantined, undelivered, retried] = await Promise.all([
    eventIds(store),
    unrelayedIn(store),
    quarantinedIn(store),
    undeliveredOf(store),
    retriedOf(store),
  ]);
  return { events, unrelayed: unrelayed.map(({ _id }) => _id), quarantined, undelivered, retried };
}

async function eventIds({ records }: Store): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const page of pagesOf(records, 'events')) for (const { _id } of page) ids.add(_id);
  return ids;
}

async function undeliveredOf(store: Store): Promise<string[]> {
  const where = { status: { not: 'delivered' } };
  return (await store.records.find('events', { where, limit: PAGE })).map(({ _id }) => _id);
}

async function retriedOf(store: Store): Promise<Set<string>> {
  const where = { attempt: { gt: 1 } };
  return new Set((await store.records.find('events', { where, limit: PAGE })).map(({ _id }) => _id));
}
