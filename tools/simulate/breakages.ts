import { unknownCase } from '../../machines/unknown-case.ts';
import type { CollectionName, LedgerRecords, LedgerStore } from '../../src/store/port.ts';
import { overriding } from '../../stage/overriding.ts';
import type { Random } from '../crashtest/random.ts';

/**
 * Deliberate defects of the store, to show that the judges find them. `lost-write`: it acknowledges commits that it did
 * not make. `no-fence`: it acknowledges a commit although another one has its revision. `lost-heads`: it stores no head
 * of an actor. The others: it acknowledges timers, effects, events or changes of allowances that it did not keep.
 */
export const BREAKAGES = [
  'lost-write',
  'no-fence',
  'lost-heads',
  'lost-timers',
  'lost-effects',
  'lost-events',
  'lost-changes',
] as const;

export type Breakage = (typeof BREAKAGES)[number];

/** The probability of a defect, per occasion. */
const RATE = 0.1;

/** The store with this defect; null: the store as it is. */
export function broken(breakage: Breakage | null, store: LedgerStore, random: Random): LedgerStore {
  switch (breakage) {
    case null:
      return store;
    case 'lost-write':
      return losing('log', RATE, store, random);
    case 'lost-timers':
      return losing('timers', 1, store, random);
    case 'lost-effects':
      return losing('outbox', RATE, store, random);
    case 'lost-events':
      return losing('events', RATE, store, random);
    case 'lost-changes':
      return losing('allowanceChanges', 1, store, random);
    case 'lost-heads':
      return { ...store, records: overriding(store.records, { putNewer: async () => undefined }) };
    case 'no-fence':
      return { ...store, records: overriding(store.records, { insert: unfenced(store.records) }) };
    default:
      return unknownCase(breakage, 'breakage');
  }
}

/** Acknowledges some inserts into a collection without making them. */
function losing(from: CollectionName, rate: number, store: LedgerStore, random: Random): LedgerStore {
  const insert: LedgerRecords['insert'] = async (into, docs) => {
    const kept = into === from ? docs.filter(() => random.next() >= rate) : docs;
    const verdicts = await store.records.insert(into, kept);
    return docs.map((doc) => verdicts[kept.indexOf(doc)] ?? { inserted: true });
  };
  return { ...store, records: overriding(store.records, { insert }) };
}

/** Acknowledges rows whose revision another row has. */
function unfenced(records: LedgerRecords): LedgerRecords['insert'] {
  return async (into, docs) => {
    const verdicts = await records.insert(into, docs);
    return into === 'log' ? docs.map(() => ({ inserted: true })) : verdicts;
  };
}
