import { changed } from '../change.ts';
import type { Collections } from '../collections.ts';
import { DuplicateKey } from '../errors.ts';
import { checkAtMost, checkDocument, checkOne, checkQuery, checkTally, checkWhere } from '../guard.ts';
import { matcher } from '../match.ts';
import type {
  Change,
  CollectionName,
  InsertVerdict,
  LedgerRecords,
  OneChange,
  Query,
  Revised,
  Scalar,
  Tally,
  TallyQuery,
  Where,
  WithNamed,
} from '../port.ts';
import type { RoundTrips } from '../round-trips.ts';
import { typed } from '../typed.ts';
import { copy } from '../values.ts';
import { valuesAt } from '../values-at.ts';
import type { Table } from './table.ts';

export type RecordTables = { readonly [C in CollectionName]: Table<Collections[C]> };

export class MemoryRecords implements LedgerRecords {
  readonly #tables: RecordTables;
  readonly #calls: RoundTrips;

  constructor(tables: RecordTables, calls: RoundTrips) {
    this.#tables = tables;
    this.#calls = calls;
  }

  async get<C extends CollectionName>(from: C, ids: readonly string[]): Promise<Collections[C][]> {
    if (ids.length === 0) return [];
    this.#calls.add();
    return copy(this.#tables[from].some(ids));
  }

  async getWith<C extends CollectionName, D extends CollectionName>(
    from: C,
    ids: readonly string[],
    by: keyof Collections[C] & string,
    named: D,
  ): Promise<WithNamed<Collections[C], Collections[D]>[]> {
    if (ids.length === 0) return [];
    this.#calls.add();
    return this.#tables[from].some(ids).map((doc) => {
      const id = doc[by];
      const other = typeof id === 'string' ? this.#tables[named].get(id) : undefined;
      return { doc: copy(doc), named: other === undefined ? null : copy(other) };
    });
  }

  async insert<C extends CollectionName>(into: C, docs: readonly Collections[C][]): Promise<InsertVerdict[]> {
    if (docs.length === 0) return [];
    for (const doc of docs) checkDocument(doc, `${into} ${doc._id}`);
    this.#calls.add();
    return docs.map((doc) => this.#tables[into].insert(copy(doc)));
  }

  async find<C extends CollectionName>(from: C, query: Query): Promise<Collections[C][]> {
    checkQuery(query, `find ${from}`);
    if (query.limit === 0) return [];
    this.#calls.add();
    return copy(this.#tables[from].find(query));
  }

  async count<C extends CollectionName>(from: C, where: Where, atMost?: number): Promise<number> {
    checkWhere(where, `count ${from}`);
    checkAtMost(atMost, `count ${from}.atMost`);
    this.#calls.add();
    return Math.min(this.#tables[from].count(where), atMost ?? Number.POSITIVE_INFINITY);
  }

  async change<C extends CollectionName>(
    of: C,
    id: string,
    where: Where,
    change: Change,
  ): Promise<Collections[C] | null> {
    checkOne(of, { id, where, change });
    this.#calls.add();
    const next = changeIn(this.#tables[of], { id, where, change });
    return next === null ? null : copy(next);
  }

  async changeMany<C extends CollectionName>(of: C, changes: readonly OneChange[]): Promise<boolean[]> {
    if (changes.length === 0) return [];
    for (const one of changes) checkOne(of, one);
    this.#calls.add();
    const refused: unknown[] = [];
    const made = changes.map((one) => {
      try {
        return changeIn(this.#tables[of], one) !== null;
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
    const first = typed<Collections[C]>({ ...initial, _id: id });
    checkDocument(first, `upsert ${of} ${id}`);
    checkOne(of, { id, where: {}, change });
    this.#calls.add();
    const table = this.#tables[of];
    const present = changeIn(table, { id, where: {}, change });
    if (present !== null) return copy(present);
    this.#calls.add();
    const made = changed(first, change);
    const verdict = table.insert(made);
    if (!verdict.inserted) throw new DuplicateKey(of, id, verdict.index);
    return copy(made);
  }

  async remove<C extends CollectionName>(from: C, ids: readonly string[]): Promise<number> {
    if (ids.length === 0) return 0;
    this.#calls.add();
    return new Set(ids.filter((id) => this.#tables[from].remove(id))).size;
  }

  async putNewer<C extends CollectionName & Revised>(into: C, docs: readonly Collections[C][]): Promise<void> {
    if (docs.length === 0) return;
    for (const doc of docs) checkDocument(doc, `${into} ${doc._id}`);
    this.#calls.add();
    const table = this.#tables[into];
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
    return tallyOf(this.#tables[from].find({ where: query.where, limit: Number.POSITIVE_INFINITY }), query);
  }
}

function revOf(doc: object | undefined): number {
  return doc !== undefined && 'rev' in doc && typeof doc.rev === 'number' ? doc.rev : 0;
}

function changeIn<T extends { readonly _id: string }>(table: Table<T>, one: OneChange): T | null {
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
