import { changed } from '../change.ts';
import type { Collections } from '../collections.ts';
import { DuplicateKey } from '../errors.ts';
import { checkAtMost, checkDocument, checkOne, checkQuery, checkTally, checkWhere } from '../guard.ts';
import type {
  Change,
  CollectionName,
  InsertVerdict,
  LedgerRecords,
  OneChange,
  Query,
  Revised,
  Tally,
  TallyQuery,
  Where,
  WithNamed,
} from '../port.ts';
import { typed } from '../typed.ts';
import { changeAll, changeOne } from './changes.ts';
import type { BoundCollections } from './collections.ts';
import type { Connection, Row } from './connection.ts';
import { byIds, filterOf, updateOf } from './filter.ts';
import { putNewer } from './newer.ts';
import { countIn, findIn, tallyIn } from './queries.ts';

/** The field in which a read returns the named document; no document has a field with this name. */
const NAMED = ':named';

export class MongoRecords implements LedgerRecords {
  readonly #connection: Connection;
  readonly #collections: BoundCollections['records'];
  readonly #canBulk: boolean;

  constructor(connection: Connection, collections: BoundCollections, canBulk: boolean) {
    this.#connection = connection;
    this.#collections = collections.records;
    this.#canBulk = canBulk;
  }

  async get<C extends CollectionName>(from: C, ids: readonly string[]): Promise<Collections[C][]> {
    if (ids.length === 0) return [];
    const rows = await this.#collections[from].loader.ask(ids);
    return rows.map((row) => typed<Collections[C]>(row));
  }

  /** Measured on the embedded engine: twice as fast as two reads for one document, equally fast for 30. */
  async getWith<C extends CollectionName, D extends CollectionName>(
    from: C,
    ids: readonly string[],
    by: keyof Collections[C] & string,
    named: D,
  ): Promise<WithNamed<Collections[C], Collections[D]>[]> {
    if (ids.length === 0) return [];
    const pipeline = [
      { $match: byIds(this.#connection, from, ids) },
      { $lookup: { from: this.#collections[named].name, localField: by, foreignField: '_id', as: NAMED } },
    ];
    const rows = await this.#connection.repeatable(`get ${from} with ${named}`, () =>
      this.#collections[from].rows
        .aggregate<Row & { readonly [NAMED]: readonly Row[] }>(pipeline, { batchSize: ids.length + 1 })
        .toArray(),
    );
    return rows.map(({ [NAMED]: [other], ...doc }) => ({
      doc: typed<Collections[C]>(doc),
      named: other === undefined ? null : typed<Collections[D]>(other),
    }));
  }

  async insert<C extends CollectionName>(into: C, docs: readonly Collections[C][]): Promise<InsertVerdict[]> {
    if (docs.length === 0) return [];
    for (const doc of docs) checkDocument(doc, `${into} ${doc._id}`);
    return this.#collections[into].inserter.ask(docs);
  }

  async find<C extends CollectionName>(from: C, query: Query): Promise<Collections[C][]> {
    checkQuery(query, `find ${from}`);
    return findIn<Collections[C]>(this.#connection, this.#collections[from], query);
  }

  async count<C extends CollectionName>(from: C, where: Where, atMost?: number): Promise<number> {
    checkWhere(where, `count ${from}`);
    checkAtMost(atMost, `count ${from}.atMost`);
    return countIn(this.#connection, this.#collections[from], where, atMost);
  }

  async change<C extends CollectionName>(
    of: C,
    id: string,
    where: Where,
    change: Change,
  ): Promise<Collections[C] | null> {
    checkOne(of, { id, where, change });
    const row = await changeOne(this.#connection, this.#collections[of], { id, where, change });
    return row === null ? null : typed<Collections[C]>(row);
  }

  async changeMany<C extends CollectionName>(of: C, changes: readonly OneChange[]): Promise<boolean[]> {
    for (const one of changes) checkOne(of, one);
    return changeAll(this.#connection, this.#collections[of], changes, this.#canBulk);
  }

  async changeAlike<C extends CollectionName>(
    of: C,
    ids: readonly string[],
    where: Where,
    change: Change,
  ): Promise<number | null> {
    const [id] = ids;
    if (id === undefined) return 0;
    checkOne(of, { id, where, change });
    const { rows, types } = this.#collections[of];
    const filter = { $and: [byIds(this.#connection, of, ids), filterOf(where, types)] };
    const result = await this.#connection.write(`change ${of}`, () => rows.updateMany(filter, updateOf(change)));
    return this.#connection.isRouter ? null : result.matchedCount;
  }

  async upsert<C extends CollectionName>(
    of: C,
    id: string,
    initial: Omit<Collections[C], '_id'>,
    change: Change,
  ): Promise<Collections[C]> {
    const first = typed<Collections[C]>({ ...initial, _id: id });
    checkDocument(first, `upsert ${of} ${id}`);
    // One try for each time that others make and remove the document in between: the next change finds another writer's
    // insert.
    for (let tries = 0; tries < 16; tries++) {
      const present = await this.change(of, id, {}, change);
      if (present !== null) return present;
      const made = changed(first, change);
      const [verdict] = await this.insert(of, [made]);
      if (verdict?.inserted === true) return made;
      if (verdict !== undefined && verdict.index !== '_id') throw new DuplicateKey(of, id, verdict.index);
    }
    throw new Error(`upsert ${of} ${id}: gave up after 16 tries, because other writers made and removed it each time`);
  }

  async remove<C extends CollectionName>(from: C, ids: readonly string[]): Promise<number> {
    if (ids.length === 0) return 0;
    const { rows } = this.#collections[from];
    const filter = byIds(this.#connection, from, ids);
    const result = await this.#connection.write(`remove ${from}`, () =>
      ids.length === 1 ? rows.deleteOne(filter) : rows.deleteMany(filter),
    );
    return result.deletedCount;
  }

  async putNewer<C extends CollectionName & Revised>(into: C, docs: readonly Collections[C][]): Promise<void> {
    if (docs.length === 0) return;
    for (const doc of docs) checkDocument(doc, `${into} ${doc._id}`);
    await putNewer(this.#connection, this.#collections[into], docs);
  }

  async findFields<C extends CollectionName, F extends keyof Collections[C]>(
    from: C,
    query: Query,
    fields: readonly F[],
  ): Promise<Pick<Collections[C], '_id' | F>[]> {
    checkQuery(query, `find ${from}`);
    const projection = Object.fromEntries(['_id', ...fields].map((field) => [field, 1 as const]));
    return findIn<Pick<Collections[C], '_id' | F>>(this.#connection, this.#collections[from], query, projection);
  }

  async tally(from: CollectionName, query: TallyQuery): Promise<Tally[]> {
    checkTally(query, `tally ${from}`);
    return tallyIn(this.#connection, this.#collections[from], query);
  }
}
