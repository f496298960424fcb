import type { Store } from '../../../src/store/port.ts';

/** The target with some of its methods replaced. */
function overriding<T extends object>(target: T, changes: Partial<T>): T {
  return new Proxy(target, {
    get: (_, name) => {
      const value: unknown = Reflect.get(name in changes ? changes : target, name);
      return typeof value === 'function' ? value.bind(name in changes ? changes : target) : value;
    },
  });
}

/** The store with some of its operations on actors replaced. */
export function withActors(store: Store, change: (actors: Store['actors']) => Partial<Store['actors']>): Store {
  return { ...store, actors: overriding(store.actors, change(store.actors)) };
}

/** The store with some of its operations on outboxes replaced. */
export function withOutboxes(store: Store, change: (outboxes: Store['outboxes']) => Partial<Store['outboxes']>): Store {
  return { ...store, outboxes: overriding(store.outboxes, change(store.outboxes)) };
}

/** The store with some of its operations on plain records replaced. */
export function withRecords(store: Store, change: (records: Store['records']) => Partial<Store['records']>): Store {
  return { ...store, records: overriding(store.records, change(store.records)) };
}

/** The calls of the database about actors, one line each: `load 1`, `commit 3`. */
export function spied(store: Store): { readonly store: Store; readonly calls: string[] } {
  const calls: string[] = [];
  const spying = withActors(store, (actors) => ({
    load: (kind, ids) => {
      calls.push(`load ${ids.length}`);
      return actors.load(kind, ids);
    },
    commit: (kind, commits) => {
      calls.push(`commit ${commits.length}`);
      return actors.commit(kind, commits);
    },
  }));
  return { store: spying, calls };
}
