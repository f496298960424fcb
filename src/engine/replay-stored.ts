import type { Machines } from '../../machines/versions.ts';
import type { ActorKind, StoredActor } from '../store/documents.ts';
import type { Store } from '../store/port.ts';
import { actorKind, journalOf } from './journal.ts';
import { ReplayError, replayOf } from './replay.ts';

/** Actors per read. */
const PAGE = 250;

/** The result of one actor's replay. `problem` is null if journal and snapshot agree. */
export interface Verdict {
  readonly id: string;
  readonly kind: ActorKind;
  readonly rev: number;
  readonly problem: ReplayError | null;
}

/** The kinds with a journal. */
export function journaledKinds(machines: Machines): ActorKind[] {
  return actorKind.options.filter((kind) => machines[kind].journaled);
}

/** Compares every journal of a kind with its snapshot, in the order of the ids. Writes nothing. */
export async function* replayAll(store: Store, machines: Machines, kind: ActorKind): AsyncGenerator<Verdict> {
  for (let after = ''; ; ) {
    const found = await store.actors.find(kind, { where: { _id: { gt: after } }, sort: [['_id', 1]], limit: PAGE });
    const ids = found.map(({ _id }) => _id);
    for (const doc of await store.actors.load(kind, ids)) yield await replayStored(store, machines, doc);
    const last = ids.at(-1);
    if (last === undefined || ids.length < PAGE) return;
    after = last;
  }
}

/**
 * Compares one actor's journal with its snapshot. A running service may commit an event between the two reads, so a
 * difference is confirmed by a second comparison from new reads.
 */
export async function replayStored(store: Store, machines: Machines, doc: StoredActor): Promise<Verdict> {
  const first = await compare(store, machines, doc);
  if (first.problem === null) return first;
  const [again] = await store.actors.load(doc.kind, [doc._id]);
  return again && again.rev !== doc.rev ? compare(store, machines, again) : first;
}

async function compare(store: Store, machines: Machines, doc: StoredActor): Promise<Verdict> {
  const about = { id: doc._id, kind: doc.kind, rev: doc.rev };
  try {
    replayOf(machines, doc, await journalOf(store, doc));
    return { ...about, problem: null };
  } catch (error) {
    if (!(error instanceof ReplayError)) throw error;
    return { ...about, problem: error };
  }
}
