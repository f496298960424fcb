import type { Store } from '../../src/store/port.ts';
import type { Violation } from './judge.ts';

/** What actors were told, one line per event, by id: what one reads to find out how a violation came about. */
export type Journals = { readonly [id: string]: readonly string[] };

/** Violations often come together; the first few tell of all. */
const ACTORS_MOST = 5;
const ROWS_MOST = 200;

/** Of those that the first violations are about. */
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
