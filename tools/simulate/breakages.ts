import { unknownCase } from '../../machines/unknown-case.ts';
import type { LedgerStore } from '../../src/store/port.ts';
import type { Random } from '../crashtest/random.ts';
import { overriding } from './overriding.ts';

/**
 * Deliberate defects of the store, to show that the judges find them. `lost-write`: it acknowledges commits that it did
 * not make. `no-fence`: it makes commits without comparing revisions. `lost-events`: it acknowledges events that it did
 * not keep. `lost-changes`: the same with changes of allowances.
 */
export const BREAKAGES = ['lost-write', 'no-fence', 'lost-events', 'lost-changes'] as const;

export type Breakage = (typeof BREAKAGES)[number];

/** The probability of a defect, per occasion. */
const RATE = 0.1;

/** The store with this defect; null: the store as it is. */
export function broken(breakage: Breakage | null, store: LedgerStore, random: Random): LedgerStore {
  switch (breakage) {
    case null:
      return store;
    case 'lost-write':
      return {
        ...store,
        actors: overriding(store.actors, {
          commit: async (kind, commits) => {
            const kept = commits.filter(() => random.next() >= RATE);
            const verdicts = await store.actors.commit(kind, kept);
            return commits.map((commit) => verdicts[kept.indexOf(commit)] ?? 'applied');
          },
        }),
      };
    case 'no-fence':
      return {
        ...store,
        actors: overriding(store.actors, {
          commit: async (kind, commits) => {
            const docs = await store.actors.load(
              kind,
              commits.map(({ id }) => id),
            );
            const revs = new Map(docs.map(({ _id, rev }) => [_id, rev]));
            return store.actors.commit(
              kind,
              commits.map((commit) => {
                const seenRev = revs.get(commit.id) ?? commit.seenRev;
                return { ...commit, seenRev, set: { ...commit.set, rev: Math.max(commit.set.rev, seenRev + 1) } };
              }),
            );
          },
        }),
      };
    case 'lost-events':
      return {
        ...store,
        records: overriding(store.records, {
          insert: async (into, docs) => {
            if (into !== 'events' || random.next() >= RATE) return store.records.insert(into, docs);
            return docs.map(() => ({ inserted: true }));
          },
        }),
      };
    case 'lost-changes':
      return {
        ...store,
        records: overriding(store.records, {
          insert: async (into, docs) => {
            if (into !== 'allowanceChanges') return store.records.insert(into, docs);
            return docs.map(() => ({ inserted: true }));
          },
        }),
      };
    default:
      return unknownCase(breakage, 'breakage');
  }
}
