import { deliveryContext } from '../../machines/delivery/context.ts';
import { MACHINES } from '../../machines/versions.ts';
import { journaledKinds, replayAll } from '../../src/engine/replay-stored.ts';
import { EVERY_PARTITION } from '../../src/store/documents.ts';
import { pagesOf } from '../../src/store/pages.ts';
import type { OutboxCollection, Store } from '../../src/store/port.ts';

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

/** The result of replaying every journal. */
export interface Replayed {
  readonly actors: number;
  readonly events: number;
  /** Differences between journals and snapshots. */
  readonly differences: readonly string[];
}

const KINDS = ['subscription', 'payment', 'delivery'] as const;
const OUTBOXES: readonly OutboxCollection[] = [...KINDS, 'offers', 'customers', 'wallets'];
const EVER = new Date(8_640_000_000_000_000);
const PAGE = 1_000;

/** Reads the current state. A running service may change it at the same time. */
export async function readStored(store: Store): Promise<Stored> {
  const [events, unrelayed, quarantined, undelivered, retried] = await Promise.all([
    eventIds(store),
    unrelayedOf(store),
    quarantinedOf(store),
    undeliveredOf(store),
    retriedOf(store),
  ]);
  return { events, unrelayed, quarantined, undelivered, retried };
}

async function eventIds({ records }: Store): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const page of pagesOf(records, 'events')) for (const { _id } of page) ids.add(_id);
  return ids;
}

/** The ids of documents with pending effects. */
export async function unrelayedOf(store: Store): Promise<string[]> {
  const found = await Promise.all(OUTBOXES.map((from) => store.outboxes.unrelayed(from, EVERY_PARTITION, EVER, PAGE)));
  return found.flat().map(({ _id }) => _id);
}

async function quarantinedOf(store: Store): Promise<Stored['quarantined'][number][]> {
  const where = { 'quarantine.at': { gt: new Date(0) } };
  const found = await Promise.all(KINDS.map((kind) => store.actors.find(kind, { where, limit: PAGE })));
  return found.flat().map(({ _id: id, quarantine }) => ({ id, reason: quarantine?.reason ?? '' }));
}

async function undeliveredOf(store: Store): Promise<string[]> {
  const where = { status: { not: 'delivered' } };
  return (await store.actors.find('delivery', { where, limit: PAGE })).map(({ _id }) => _id);
}

async function retriedOf(store: Store): Promise<Set<string>> {
  const where = { 'context.attempt': { gt: 1 } };
  return new Set(
    (await store.actors.find('delivery', { where, limit: PAGE })).map(
      (doc) => deliveryContext.parse(doc.context).eventId,
    ),
  );
}

export async function replayEverything(store: Store): Promise<Replayed> {
  const seen = { actors: 0, events: 0 };
  const differences: string[] = [];
  for (const kind of journaledKinds(MACHINES)) {
    for await (const { rev, problem } of replayAll(store, MACHINES, kind)) {
      seen.actors += 1;
      seen.events += rev;
      if (problem) differences.push(problem.message);
    }
  }
  return { ...seen, differences };
}
