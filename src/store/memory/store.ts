import { LogActors, type Warnings } from '../actors/log-actors.ts';
import { changed } from '../change.ts';
import type { Collections } from '../collections.ts';
import { DuplicateKey } from '../errors.ts';
import {
  checkAtMost,
  checkCount,
  checkCounter,
  checkDocument,
  checkOne,
  checkQuery,
  checkTally,
  checkWhere,
} from '../guard.ts';
import { RECORD_INDEXES } from '../indexes.ts';
import { matcher } from '../match.ts';
import {
  type CollectionName,
  type CounterStore,
  type LedgerRecords,
  type LedgerStore,
  type OneChange,
  PARTS_KEPT,
  type Scalar,
  type Tally,
  type TallyQuery,
} from '../port.ts';
import { RoundTrips } from '../round-trips.ts';
import { typed } from '../typed.ts';
import { copy } from '../values.ts';
import { valuesAt } from '../values-at.ts';
import { type Row, Table } from './table.ts';

export interface MemoryStoreDeps {
  /** The clock of counters, and of the check whether a write was suspended. Default: the real one. */
  readonly now?: () => Date;
  /** Default: none. */
  readonly log?: Warnings;
}

const SILENT: Warnings = { warn: () => {} };

/**
 * A store that lasts as long as its process, otherwise like the MongoDB form: unique indexes, orders, conditions,
 * verdicts. Documents are copied on the way in and on the way out. Every operation is one step.
 */
export function openMemoryStore(deps: MemoryStoreDeps = {}): LedgerStore {
  const calls = new RoundTrips();
  const records = memoryRecords(calls);
  let open = true;
  return {
    actors: new LogActors(records, deps.log ?? SILENT, deps.now),
    records,
    counters: memoryCounters(deps.now ?? (() => new Date()), calls),
    roundTrips: () => calls.total,
    ping: async () => open,
    close: async () => {
      open = false;
    },
  };
}

function memoryRecords(calls: RoundTrips): LedgerRecords {
  const tables = new Map<CollectionName, Table>();
  const tableOf = (name: CollectionName): Table => {
    const known = tables.get(name) ?? new Table(name, RECORD_INDEXES[name]);
    tables.set(name, known);
    return known;
  };
  const records: LedgerRecords = {
    async get(from, ids) {
      if (ids.length === 0) return [];
      calls.add();
      return tableOf(from)
        .some(ids)
        .map((row) => copyOf(row));
    },

    async getWith(from, ids, by, named) {
      if (ids.length === 0) return [];
      calls.add();
      return tableOf(from)
        .some(ids)
        .map((row) => {
          const doc: Collections[typeof from] = copyOf(row);
          const id = doc[by];
          const other = typeof id === 'string' ? tableOf(named).get(id) : undefined;
          return { doc, named: other === undefined ? null : copyOf(other) };
        });
    },

    async insert(into, docs) {
      if (docs.length === 0) return [];
      for (const doc of docs) checkDocument(doc, `${into} ${doc._id}`);
      calls.add();
      return docs.map((doc) => tableOf(into).insert(copy(doc)));
    },

    async find(from, query) {
      checkQuery(query, `find ${from}`);
      if (query.limit === 0) return [];
      calls.add();
      return tableOf(from)
        .find(query)
        .map((row) => copyOf(row));
    },

    async count(from, where, atMost) {
      checkWhere(where, `count ${from}`);
      checkAtMost(atMost, `count ${from}.atMost`);
      calls.add();
      return Math.min(tableOf(from).count(where), atMost ?? Number.POSITIVE_INFINITY);
    },

    async change(of, id, where, change) {
      checkOne(of, { id, where, change });
      calls.add();
      const next = changeIn(tableOf(of), { id, where, change });
      return next === null ? null : copyOf(next);
    },

    async changeMany(of, changes) {
      if (changes.length === 0) return [];
      for (const one of changes) checkOne(of, one);
      calls.add();
      const refused: unknown[] = [];
      const made = changes.map((one) => {
        try {
          return changeIn(tableOf(of), one) !== null;
        } catch (error) {
          refused.push(error);
          return false;
        }
      });
      if (refused.length > 0) throw refused[0];
      return made;
    },

    async changeAlike(of, ids, where, change) {
      const changes = [...new Set(ids)].map((id) => ({ id, where, change }));
      return (await records.changeMany(of, changes)).filter((made) => made).length;
    },

    async upsert(of, id, initial, change) {
      const first = { ...initial, _id: id };
      checkDocument(first, `upsert ${of} ${id}`);
      checkOne(of, { id, where: {}, change });
      calls.add();
      const table = tableOf(of);
      const present = changeIn(table, { id, where: {}, change });
      if (present !== null) return copyOf(present);
      calls.add();
      const made = changed(first, change);
      const verdict = table.insert(made);
      if (!verdict.inserted) throw new DuplicateKey(of, id, verdict.index);
      return copyOf(made);
    },

    async remove(from, ids) {
      if (ids.length === 0) return 0;
      calls.add();
      return new Set(ids.filter((id) => tableOf(from).remove(id))).size;
    },

    async putNewer(into, docs) {
      if (docs.length === 0) return;
      for (const doc of docs) checkDocument(doc, `${into} ${doc._id}`);
      calls.add();
      const table = tableOf(into);
      for (const doc of docs) if (revOf(table.get(doc._id)) < revOf(doc)) table.put(copy(doc));
    },

    async findFields(from, query, fields) {
      const wanted = new Set<PropertyKey>(['_id', ...fields]);
      const found = await records.find(from, query);
      return found.map((doc) => typed(Object.fromEntries(Object.entries(doc).filter(([field]) => wanted.has(field)))));
    },

    async tally(from, query) {
      checkTally(query, `tally ${from}`);
      calls.add();
      return tallyOf(tableOf(from).find({ where: query.where, limit: Number.POSITIVE_INFINITY }), query);
    },
  };
  return records;
}

function revOf(doc: object | undefined): number {
  return doc !== undefined && 'rev' in doc && typeof doc.rev === 'number' ? doc.rev : 0;
}

function copyOf<T extends Row>(doc: Row): T {
  return typed<T>(copy(doc));
}

function changeIn(table: Table, one: OneChange): Row | null {
  const doc = table.get(one.id);
  if (doc === undefined || !matcher(one.where)(doc)) return null;
  const next = changed(doc, one.change);
  table.put(next);
  return next;
}

/** The groups of documents that match already. */
function tallyOf(docs: readonly object[], { by, period, sum, limit }: TallyQuery): Tally[] {
  const groups = new Map<string, Tally>();
  for (const doc of docs) {
    const values = by.map((path) => scalarAt(doc, path));
    const start = period && startOf(scalarAt(doc, period.of), period.unit);
    const key = JSON.stringify([values, start]);
    const before = groups.get(key) ?? { by: values, start, count: 0, sum: 0n };
    const more = BigInt((sum !== null && /^\d+$/.exec(String(scalarAt(doc, sum)))?.[0]) || 0);
    groups.set(key, { ...before, count: before.count + 1, sum: before.sum + more });
  }
  return [...groups.values()].slice(0, limit);
}

function scalarAt(doc: object, path: string): Scalar {
  const [value] = valuesAt(doc, path.split('.'));
  const isScalar =
    value instanceof Date || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isScalar ? value : null;
}

function startOf(moment: Scalar, unit: 'day' | 'month'): Date | null {
  if (typeof moment !== 'string' && !(moment instanceof Date)) return null;
  const date = new Date(moment);
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), unit === 'day' ? date.getUTCDate() : 1));
}

interface Counter {
  readonly n: number;
  readonly parts: ReadonlyMap<number, number>;
  readonly expiresAt: number;
}

/** Counters that end when the clock passes their `expiresAt`. */
function memoryCounters(clock: () => Date, calls: RoundTrips): CounterStore {
  const counters = new Map<string, Counter>();
  let sweepAt = 0;

  /** Once a minute, as MongoDB's own monitor does. */
  const sweep = (now: number): void => {
    if (now < sweepAt) return;
    sweepAt = now + 60_000;
    for (const [key, { expiresAt }] of counters) if (expiresAt <= now) counters.delete(key);
  };

  /** The counter, or a new one if it has ended. */
  const live = (key: string, expiresAt: Date): Counter => {
    calls.add();
    const now = clock().getTime();
    sweep(now);
    const old = counters.get(key);
    if (old !== undefined && old.expiresAt > now) return old;
    return { n: 0, parts: new Map(), expiresAt: expiresAt.getTime() };
  };

  return {
    async add(key, n, expiresAt) {
      checkCounter(key, n, expiresAt);
      const counter = live(key, expiresAt);
      const next = { ...counter, n: counter.n + n };
      counters.set(key, next);
      return next.n;
    },

    async addPart(key, n, part, expiresAt) {
      checkCounter(key, n, expiresAt);
      checkCount(part, `counter ${key}.part`);
      const counter = live(key, expiresAt);
      const counted = (counter.parts.get(part) ?? 0) + n;
      const parts = new Map([...counter.parts, [part, counted]]);
      parts.delete(part - PARTS_KEPT);
      counters.set(key, { ...counter, n: counter.n + n, parts });
      return { whole: counter.n + n, part: counted };
    },
  };
}
