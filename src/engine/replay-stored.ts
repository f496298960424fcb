import type { Machines } from '../../machines/versions.ts';
import type { ActorDoc, ActorKind, JournalDoc } from '../store/documents.ts';
import type { Store } from '../store/port.ts';
import { actorKind } from './journal.ts';
import { ReplayError, replayOf } from './replay.ts';

/** Actors per read. */
const PAGE = 250;

/** Journal rows per read: more than any actor should have. */
const ROWS_PAGE = 5_000;

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
    const docs = await store.actors.find(kind, { where: { _id: { gt: after } }, sort: [['_id', 1]], limit: PAGE });
    for (const doc of docs) yield await replayStored(store, machines, doc);
    const last = docs.at(-1);
    if (!last || docs.length < PAGE) return;
    after = last._id;
  }
}

/**
 * Compares one actor's journal with its snapshot. A running service may commit an event between the two reads, so a difference
 * is confirmed by a second comparison from new reads.
 */
export async function replayStored(store: Store, machines: Machines, doc: ActorDoc): Promise<Verdict> {
  const first = await compare(store, machines, doc);
  if (first.problem === null) return first;
  const [again] = await store.actors.load(doc.kind, [doc._id]);
  return again && again.rev !== doc.rev ? compare(store, machines, again) : first;
}

async function compare(store: Store, machines: Machines, doc: ActorDoc): Promise<Verdict> {
  const about = { id: doc._id, kind: doc.kind, rev: doc.rev };
  try {
    const rows = await journalOf(store, doc._id);
    replayOf(
      machines,
      doc,
      rows.filter(({ rev }) => rev <= doc.rev),
    );
    return { ...about, problem: null };
  } catch (error) {
    if (!(error instanceof ReplayError)) throw error;
    return { ...about, problem: error };
  }
}

/** Every row of an actor's journal in the collection, in order. */
export async function journalOf(store: Store, actorId: string): Promise<JournalDoc[]> {
  const rows: JournalDoc[] = [];
  for (;;) {
    const page = await store.records.find('journal', {
      where: { actorId, rev: { gt: rows.at(-1)?.rev ?? 0 } },
      sort: [['rev', 1]],
      limit: ROWS_PAGE,
    });
    rows.push(...page);
    if (page.length < ROWS_PAGE) return rows;
  }
}
