import type { LedgerStore } from '../../../src/store/port.ts';
import { overriding } from '../../../stage/overriding.ts';

type Change<K extends keyof LedgerStore> = (part: LedgerStore[K]) => Partial<LedgerStore[K]>;

/** The store with some of its operations on actors replaced. */
export function withActors(store: LedgerStore, change: Change<'actors'>): LedgerStore {
  return { ...store, actors: overriding(store.actors, change(store.actors)) };
}

/** The store with some of its operations on plain records replaced. */
export function withRecords(store: LedgerStore, change: Change<'records'>): LedgerStore {
  return { ...store, records: overriding(store.records, change(store.records)) };
}

/** The calls of the database about actors, one line each: `load 1`, `commit 3`. */
export function spied(store: LedgerStore): { readonly store: LedgerStore; readonly calls: string[] } {
  const calls: string[] = [];
  const spying = withActors(store, (actors) => ({
    load: (kind, ids) => {
      calls.push(`load ${ids.length}`);
      return actors.load(kind, ids);
    },
    commit: (kind, batch) => {
      calls.push(`commit ${batch.commits.length}`);
      return actors.commit(kind, batch);
    },
  }));
  return { store: spying, calls };
}
