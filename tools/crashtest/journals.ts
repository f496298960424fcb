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
  const rows = await store.records.find('journal', { where: { actorId }, sort: [['rev', 1]], limit: ROWS_MOST });
  return rows.map(({ rev, at, event, by, from, to, op }) => {
    return `${rev} ${at} ${JSON.stringify(event)} by ${by}: ${JSON.stringify(from)} → ${JSON.stringify(to)} (${op})`;
  });
}
