import type { Store } from '../../../src/store/port.ts';

/** The store with some of its operations on actors replaced. */
export function withActors(store: Store, change: (actors: Store['actors']) => Partial<Store['actors']>): Store {
  const { actors } = store;
  const same: Store['actors'] = {
    load: (...args) => actors.load(...args),
    insert: (...args) => actors.insert(...args),
    commit: (...args) => actors.commit(...args),
    due: (...args) => actors.due(...args),
    earliestWake: (...args) => actors.earliestWake(...args),
    setQuarantine: (...args) => actors.setQuarantine(...args),
    find: (...args) => actors.find(...args),
    findFields: (...args) => actors.findFields(...args),
    count: (...args) => actors.count(...args),
    tally: (...args) => actors.tally(...args),
  };
  return { ...store, actors: { ...same, ...change(actors) } };
}

/** The store with some of its operations on outboxes replaced. */
export function withOutboxes(store: Store, change: (outboxes: Store['outboxes']) => Partial<Store['outboxes']>): Store {
  const { outboxes } = store;
  const same: Store['outboxes'] = {
    unrelayed: (...args) => outboxes.unrelayed(...args),
    ack: (...args) => outboxes.ack(...args),
    failed: (...args) => outboxes.failed(...args),
  };
  return { ...store, outboxes: { ...same, ...change(outboxes) } };
}

/** The store with some of its operations on plain records replaced. */
export function withRecords(store: Store, change: (records: Store['records']) => Partial<Store['records']>): Store {
  const { records } = store;
  const same: Store['records'] = {
    get: (...args) => records.get(...args),
    getWith: (...args) => records.getWith(...args),
    insert: (...args) => records.insert(...args),
    find: (...args) => records.find(...args),
    count: (...args) => records.count(...args),
    change: (...args) => records.change(...args),
    changeMany: (...args) => records.changeMany(...args),
    changeAlike: (...args) => records.changeAlike(...args),
    upsert: (...args) => records.upsert(...args),
    remove: (...args) => records.remove(...args),
  };
  return { ...store, records: { ...same, ...change(records) } };
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
