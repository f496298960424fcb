import { journalOf } from '../../src/engine/journal.ts';
import type { ActorKind } from '../../src/store/documents.ts';
import type { Store } from '../../src/store/port.ts';
import type { Violation } from './judge.ts';

/** The events of actors by id, one line per event. They show how a violation came about. */
export type Journals = { readonly [id: string]: readonly string[] };

/** Violations often have one cause, so the first actors are enough. */
const ACTORS_MOST = 5;
const ROWS_MOST = 200;

/** The journals of the actors in the first violations. */
export async function journalsOf(store: Store, violations: readonly Violation[]): Promise<Journals> {
  const ids = [...new Set(violations.flatMap(({ id }) => (id === undefined ? [] : [id])))].slice(0, ACTORS_MOST);
  return Object.fromEntries(await Promise.all(ids.map(async (id) => [id, await linesOf(store, id)] as const)));
}

async function linesOf(store: Store, actorId: string): Promise<string[]> {
  const kind: ActorKind = actorId.startsWith('sub_') ? 'subscription' : 'payment';
  const [doc] = await store.actors.load(kind, [actorId]);
  const rows = doc === undefined ? [] : await journalOf(store, doc);
  return rows.slice(0, ROWS_MOST).map(({ rev, at, event, by, from, to, op }) => {
    return `${rev} ${at} ${JSON.stringify(event)} by ${by}: ${JSON.stringify(from)} → ${JSON.stringify(to)} (${op})`;
  });
}
