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
  type Change,
  type CollectionName,
  type CounterStore,
  type Counts,
  type InsertVerdict,
  type LedgerRecords,
  type LedgerStore,
  type OneChange,
  PARTS_KEPT,
  type Query,
  type Revised,
  type Scalar,
  type Tally,
  type TallyQuery,
  type Where,
  type WithNamed,
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
  const records = new MemoryRecords(calls);
  let open = true;
  return {
    actors: new LogActors(records, deps.log ?? SILENT, deps.now),
    records,
    counters: new MemoryCounters(deps.now ?? (() => new Date()), calls),
    roundTrips: () => calls.total,
    ping: async () => open,
    close: async () => {
      open = false;
    },
  };
}

class MemoryRecords implements LedgerRecords {
  readonly #tables = new Map<CollectionName, Table>();
  readonly #calls: RoundTrips;

  constructor(calls: RoundTrips) {
    this.#calls = calls;
  }

  #table(name: CollectionName): Table {
    const known = this.#tables.get(name) ?? new Table(name, RECORD_INDEXES[name]);
    this.#tables.set(name, known);
    return known;
  }

  async get<C extends CollectionName>(from: C, ids: readonly string[]): Promise<Collections[C][]> {
    if (ids.length === 0) return [];
    this.#calls.add();
    return this.#table(from)
      .some(ids)
      .map(copyOf<Collections[C]>);
  }

  async getWith<C extends CollectionName, D extends CollectionName>(
    from: C,
    ids: readonly string[],
    by: keyof Collections[C] & string,
    named: D,
  ): Promise<WithNamed<Collections[C], Collections[D]>[]> {
    if (ids.length === 0) return [];
    this.#calls.add();
    const docs = this.#table(from)
      .some(ids)
      .map(copyOf<Collections[C]>);
    return docs.map((doc) => {
      const id = doc[by];
      const other = typeof id === 'string' ? this.#table(named).get(id) : undefined;
      return { doc, named: other === undefined ? null : copyOf<Collections[D]>(other) };
    });
  }

  async insert<C extends CollectionName>(into: C, docs: readonly Collections[C][]): Promise<InsertVerdict[]> {
    if (docs.length === 0) return [];
    for (const doc of docs) checkDocument(doc, `${into} ${doc._id}`);
    this.#calls.add();
    return docs.map((doc) => this.#table(into).insert(copy(doc)));
  }

  async find<C extends CollectionName>(from: C, query: Query): Promise<Collections[C][]> {
    checkQuery(query, `find ${from}`);
    if (query.limit === 0) return [];
    this.#calls.add();
    return this.#table(from)
      .find(query)
      .map(copyOf<Collections[C]>);
  }

  async count<C extends CollectionName>(from: C, where: Where, atMost?: number): Promise<number> {
    checkWhere(where, `count ${from}`);
    checkAtMost(atMost, `count ${from}.atMost`);
    this.#calls.add();
    return Math.min(this.#table(from).count(where), atMost ?? Number.POSITIVE_INFINITY);
  }

  async change<C extends CollectionName>(
    of: C,
    id: string,
    where: Where,
    change: Change,
  ): Promise<Collections[C] | null> {
    checkOne(of, { id, where, change });
    this.#calls.add();
    const next = changeIn(this.#table(of), { id, where, change });
    return next && copyOf<Collections[C]>(next);
  }

  async changeMany<C extends CollectionName>(of: C, changes: readonly OneChange[]): Promise<boolean[]> {
    if (changes.length === 0) return [];
    for (const one of changes) checkOne(of, one);
    this.#calls.add();
    const refused: unknown[] = [];
    const made = changes.map((one) => {
      try {
        return changeIn(this.#table(of), one) !== null;
      } catch (error) {
        refused.push(error);
        return false;
      }
    });
    if (refused.length > 0) throw refused[0];
    return made;
  }

  async changeAlike<C extends CollectionName>(
    of: C,
    ids: readonly string[],
    where: Where,
    change: Change,
  ): Promise<number> {
    const changes = [...new Set(ids)].map((id) => ({ id, where, change }));
    return (await this.changeMany(of, changes)).filter((made) => made).length;
  }

  async upsert<C extends CollectionName>(
    of: C,
    id: string,
    initial: Omit<Collections[C], '_id'>,
    change: Change,
  ): Promise<Collections[C]> {
    const first = { ...initial, _id: id };
    checkDocument(first, `upsert ${of} ${id}`);
    checkOne(of, { id, where: {}, change });
    this.#calls.add();
    const table = this.#table(of);
    const present = changeIn(table, { id, where: {}, change });
    if (present !== null) return copyOf<Collections[C]>(present);
    this.#calls.add();
    const made = changed(first, change);
    const verdict = table.insert(made);
    if (!verdict.inserted) throw new DuplicateKey(of, id, verdict.index);
    return copyOf<Collections[C]>(made);
  }

  async remove<C extends CollectionName>(from: C, ids: readonly string[]): Promise<number> {
    if (ids.length === 0) return 0;
    this.#calls.add();
    return new Set(ids.filter((id) => this.#table(from).remove(id))).size;
  }

  async putNewer<C extends CollectionName & Revised>(into: C, docs: readonly Collections[C][]): Promise<void> {
    if (docs.length === 0) return;
    for (const doc of docs) checkDocument(doc, `${into} ${doc._id}`);
    this.#calls.add();
    const table = this.#table(into);
    for (const doc of docs) if (revOf(table.get(doc._id)) < revOf(doc)) table.put(copy(doc));
  }

  async findFields<C extends CollectionName, F extends keyof Collections[C]>(
    from: C,
    query: Query,
    fields: readonly F[],
  ): Promise<Pick<Collections[C], '_id' | F>[]> {
    const wanted = new Set<PropertyKey>(['_id', ...fields]);
    const found = await this.find(from, query);
    return found.map((doc) => typed(Object.fromEntries(Object.entries(doc).filter(([field]) => wanted.has(field)))));
  }

  async tally(from: CollectionName, query: TallyQuery): Promise<Tally[]> {
    checkTally(query, `tally ${from}`);
    this.#calls.add();
    return tallyOf(this.#table(from).find({ where: query.where, limit: Number.POSITIVE_INFINITY }), query);
  }
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
class MemoryCounters implements CounterStore {
  readonly #counters = new Map<string, Counter>();
  readonly #now: () => Date;
  readonly #calls: RoundTrips;
  #sweepAt = 0;

  constructor(now: () => Date, calls: RoundTrips) {
    this.#now = now;
    this.#calls = calls;
  }

  async add(key: string, n: number, expiresAt: Date): Promise<number> {
    checkCounter(key, n, expiresAt);
    const counter = this.#live(key, expiresAt);
    const next = { ...counter, n: counter.n + n };
    this.#counters.set(key, next);
    return next.n;
  }

  async addPart(key: string, n: number, part: number, expiresAt: Date): Promise<Counts> {
    checkCounter(key, n, expiresAt);
    checkCount(part, `counter ${key}.part`);
    const counter = this.#live(key, expiresAt);
    const counted = (counter.parts.get(part) ?? 0) + n;
    const parts = new Map([...counter.parts, [part, counted]]);
    parts.delete(part - PARTS_KEPT);
    this.#counters.set(key, { ...counter, n: counter.n + n, parts });
    return { whole: counter.n + n, part: counted };
  }

  /** The counter, or a new one if it has ended. */
  #live(key: string, expiresAt: Date): Counter {
    this.#calls.add();
    const now = this.#now().getTime();
    this.#sweep(now);
    const old = this.#counters.get(key);
    if (old !== undefined && old.expiresAt > now) return old;
    return { n: 0, parts: new Map(), expiresAt: expiresAt.getTime() };
  }

  /** Once a minute, as MongoDB's own monitor does. */
  #sweep(now: number): void {
    if (now < this.#sweepAt) return;
    this.#sweepAt = now + 60_000;
    for (const [key, { expiresAt }] of this.#counters) if (expiresAt <= now) this.#counters.delete(key);
  }
}
