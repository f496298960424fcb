import { MACHINES } from '../../machines/versions.ts';
import { OUTBOX_SOURCES, type Pending, pendingIn } from '../../scripts/ops/doctor/checks/actors.ts';
import { actorKind } from '../../src/engine/journal.ts';
import { replayAll } from '../../src/engine/replay.ts';
import type { Collections } from '../../src/store/collections.ts';
import type { ActorKind, OutboxSource } from '../../src/store/documents.ts';
import { pagesOf } from '../../src/store/pages.ts';
import type { CollectionName, Store } from '../../src/store/port.ts';

export const KINDS: readonly ActorKind[] = ['subscription', 'payment'];
const MOST = 10_000;

/** All documents of a collection, in the order of their ids. */
export async function allOf<C extends CollectionName>({ records }: Pick<Store, 'records'>, from: C) {
  const all: Collections[C][] = [];
  for await (const page of pagesOf((query) => records.find(from, query), {})) all.push(...page);
  return all;
}

/** The documents with pending effects. */
export async function unrelayedIn(store: Store): Promise<Pending[]> {
  const outboxes = await allOf(store, 'outbox');
  const of = (wanted: OutboxSource) => outboxes.filter(({ source }) => source === wanted);
  return (await Promise.all(OUTBOX_SOURCES.map((source) => pendingIn(store, source, of(source))))).flat();
}

export async function quarantinedIn({ actors, records }: Pick<Store, 'actors' | 'records'>) {
  const where = { 'quarantine.at': { gt: new Date(0) } };
  const found = await Promise.all(KINDS.map((kind) => actors.find(kind, { where, limit: MOST })));
  return [...found.flat(), ...(await records.find('events', { where, limit: MOST }))].map(
    ({ _id: id, quarantine }) => ({ id, reason: quarantine?.reason ?? '' }),
  );
}

/** Replays every journal. `differences`: between journals and snapshots. */
export async function replayEverything(store: Store) {
  const seen = { actors: 0, events: 0 };
  const differences: string[] = [];
  for (const kind of actorKind.options) {
    for await (const { rev, problem } of replayAll(store, MACHINES, kind)) {
      seen.actors += 1;
      seen.events += rev;
      if (problem) differences.push(problem.message);
    }
  }
  return { ...seen, differences };
}
