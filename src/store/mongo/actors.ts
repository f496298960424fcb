import type { Document, Filter } from 'mongodb';
import { fieldsOf, outboxAfter, RECENT_OPS } from '../change.ts';
import { type ActorDoc, type ActorKind, EVERY_PARTITION, type Quarantine, type StoredActor } from '../documents.ts';
import {
  checkAtMost,
  checkCommits,
  checkCount,
  checkDocument,
  checkQuery,
  checkTally,
  checkValue,
  checkWhere,
} from '../guard.ts';
import type {
  ActorQueries,
  ActorStore,
  Commit,
  CommitVerdict,
  InsertVerdict,
  Query,
  Tally,
  TallyQuery,
  Where,
} from '../port.ts';
import { typed } from '../typed.ts';
import type { BoundCollection, BoundCollections } from './collections.ts';
import type { Connection, Row } from './connection.ts';
import { pushOf } from './filter.ts';
import { withSafeKeys } from './keys.ts';
import { countIn, findIn, tallyIn } from './queries.ts';

/**
 * Queries for due actors and outboxes contain this condition, so that the partial indexes `due` and `relay` serve them.
 */
export const NOT_QUARANTINED = { quarantine: null } as const;

export class MongoActors implements ActorStore, ActorQueries {
  readonly #connection: Connection;
  readonly #bound: BoundCollections['actors'];

  constructor(connection: Connection, bound: BoundCollections) {
    this.#connection = connection;
    this.#bound = bound.actors;
  }

  async load(kind: ActorKind, ids: readonly string[]): Promise<StoredActor[]> {
    if (ids.length === 0) return [];
    const rows = await this.#bound[kind].loader.ask(ids);
    return rows.map(stored);
  }

  async insert(kind: ActorKind, docs: readonly StoredActor[]): Promise<InsertVerdict[]> {
    if (docs.length === 0) return [];
    for (const doc of docs) checkDocument(doc, `${kind} ${doc._id}`);
    return this.#bound[kind].inserter.ask(docs);
  }

  async commit(kind: ActorKind, commits: readonly Commit[]): Promise<CommitVerdict[]> {
    if (commits.length === 0) return [];
    checkCommits(commits, kind);
    const bound = this.#bound[kind];
    const written = await this.#connection.untilAnswered(`commit ${kind}`, () => write(bound, commits));
    if (written === commits.length) return commits.map(() => 'applied');
    return this.#verdicts(bound, commits);
  }

  async due(kind: ActorKind, partitions: readonly number[], now: Date, limit: number): Promise<StoredActor[]> {
    checkCount(limit, `due ${kind}.limit`);
    checkValue(now, `due ${kind}.now`);
    if (limit === 0 || partitions.length === 0) return [];
    const filter: Filter<Row> = {
      partition: { $in: [...partitions] },
      wakeAt: { $lte: now, $type: 'date' },
      ...NOT_QUARANTINED,
    };
    const options = { sort: { wakeAt: 1 as const }, limit, batchSize: limit + 1 };
    const rows = await this.#connection.repeatable(`due ${kind}`, () =>
      this.#bound[kind].rows.find(filter, options).toArray(),
    );
    return rows.map(stored);
  }

  async earliestWake(kind: ActorKind): Promise<Date | null> {
    const filter: Filter<Row> = {
      partition: { $in: [...EVERY_PARTITION] },
      wakeAt: { $type: 'date' },
      ...NOT_QUARANTINED,
    };
    const options = { sort: { wakeAt: 1 as const }, projection: { wakeAt: 1 } };
    const first = await this.#connection.repeatable(`earliest ${kind}`, () =>
      this.#bound[kind].rows.findOne<Pick<ActorDoc, 'wakeAt'>>(filter, options),
    );
    return first?.wakeAt ?? null;
  }

  async setQuarantine(kind: ActorKind, id: string, quarantine: Quarantine | null): Promise<boolean> {
    checkValue(quarantine, `${kind} ${id}.quarantine`);
    const { rows } = this.#bound[kind];
    const result = await this.#connection.untilAnswered(`quarantine ${kind}`, () =>
      rows.updateOne({ _id: id }, { $set: { quarantine } }),
    );
    return result.matchedCount === 1;
  }

  async find(kind: ActorKind, query: Query): Promise<ActorDoc[]> {
    checkQuery(query, `find ${kind}`);
    return findIn<ActorDoc>(this.#connection, this.#bound[kind], query, { journal: 0 });
  }

  async findFields<F extends keyof ActorDoc>(
    kind: ActorKind,
    query: Query,
    fields: readonly F[],
  ): Promise<Pick<ActorDoc, '_id' | F>[]> {
    checkQuery(query, `find ${kind}`);
    const projection = Object.fromEntries(['_id', ...fields].map((field) => [field, 1 as const]));
    return findIn<Pick<ActorDoc, '_id' | F>>(this.#connection, this.#bound[kind], query, projection);
  }

  async tally(kind: ActorKind, query: TallyQuery): Promise<Tally[]> {
    checkTally(query, `tally ${kind}`);
    return tallyIn(this.#connection, this.#bound[kind], query);
  }

  async count(kind: ActorKind, where: Where, atMost?: number): Promise<number> {
    checkWhere(where, `count ${kind}`);
    checkAtMost(atMost, `count ${kind}.atMost`);
    return countIn(this.#connection, this.#bound[kind], where, atMost);
  }

  /** The results when not all commits were written: a read shows whose operation each document has. */
  async #verdicts({ rows }: BoundCollection, commits: readonly Commit[]): Promise<CommitVerdict[]> {
    const ids = commits.map(({ id }) => id);
    const options = { projection: { recentOps: 1 }, batchSize: ids.length + 1 };
    const found = await this.#connection.repeatable(`commit ${rows.collectionName}, check again`, () =>
      rows.find<Pick<ActorDoc, '_id' | 'recentOps'>>({ _id: { $in: ids } }, options).toArray(),
    );
    const opsOf = new Map(found.map((doc) => [doc._id, doc.recentOps]));
    return commits.map(({ id, op }) => {
      const ops = opsOf.get(id);
      if (ops === undefined) return 'missing';
      return ops.includes(op) ? 'applied' : 'lost';
    });
  }
}

function stored(row: Row): StoredActor {
  return typed<StoredActor>(row);
}

/** The number of commits that this call wrote. */
async function write({ rows }: BoundCollection, commits: readonly Commit[]): Promise<number> {
  const [first, ...others] = commits;
  if (first !== undefined && others.length === 0) {
    return (await rows.updateOne(fenceOf(first), updateOf(first))).matchedCount;
  }
  if (commits.length >= TOGETHER_MIN) return (await rows.updateMany(anyOf(commits), together(commits))).modifiedCount;
  const writes = commits.map((commit) => ({ updateOne: { filter: fenceOf(commit), update: updateOf(commit) } }));
  return (await rows.bulkWrite(writes, { ordered: false })).matchedCount;
}

/** From this number of commits on, one statement for all costs the database less than one statement each (measured). */
const TOGETHER_MIN = 8;

function anyOf(commits: readonly Commit[]): Filter<Row> {
  return { _id: { $in: commits.map(({ id }) => id) } };
}

/**
 * All commits as one update. It finds each document's new content by `_id`, and leaves a document unchanged that does
 * not meet its fence: the same rules as `fenceOf` and `updateOf`. Measured: half the cost of one update each.
 */
function together(commits: readonly Commit[]): Document[] {
  const position = { $indexOfArray: [{ $literal: commits.map(({ id }) => id) }, '$_id'] };
  const mine = { $arrayElemAt: [{ $literal: withSafeKeys(commits.map(entryOf)) }, position] };
  const isThere = { $eq: ['$rev', '$$mine.seenRev'] };
  const isFree = { $or: ['$$mine.evenQuarantined', { $eq: [{ $ifNull: ['$quarantine', null] }, null] }] };
  const outbox = { $concatArrays: [{ $cond: ['$$mine.clears', [], '$outbox'] }, '$$mine.effects'] };
  const rows = { $cond: ['$$mine.turnsPage', [], '$journal'] };
  const journal = { $concatArrays: [rows, '$$mine.journal'] };
  const recentOps = { $slice: [{ $concatArrays: ['$recentOps', ['$$mine.op']] }, -RECENT_OPS] };
  const next = { $mergeObjects: ['$$ROOT', '$$mine.set', { outbox, journal, recentOps }] };
  const becomes = { $cond: [{ $and: [isThere, isFree] }, next, '$$ROOT'] };
  return [{ $replaceWith: { $let: { vars: { mine }, in: becomes } } }];
}

function entryOf(commit: Commit): Document {
  const { seenRev, op, journal, turnsPage, effects, clearsOutbox, unlessQuarantined } = commit;
  const { relayAt, relayFailures } = outboxAfter(commit);
  const relayed = effects.length > 0 ? { relayAt } : {};
  return {
    seenRev,
    op,
    journal,
    turnsPage: turnsPage === true,
    effects,
    clears: clearsOutbox === true,
    evenQuarantined: unlessQuarantined !== true,
    set: { ...fieldsOf(commit), ...(clearsOutbox ? { relayAt, relayFailures } : relayed) },
  };
}

/** `rev` never returns to an old value, so a write that arrives twice, or late, changes nothing the second time. */
function fenceOf(commit: Commit): Filter<Row> {
  const fence = { _id: commit.id, rev: commit.seenRev };
  return commit.unlessQuarantined ? { ...fence, quarantine: null } : fence;
}

function updateOf(commit: Commit): Document {
  const { journal, turnsPage, effects, clearsOutbox, relayAt } = commit;
  const pushes = effects.length > 0 && !clearsOutbox;
  const outbox = clearsOutbox ? outboxAfter(commit) : pushes ? { relayAt } : {};
  return {
    $set: withSafeKeys({ ...fieldsOf(commit), ...outbox, ...(turnsPage ? { journal } : {}) }),
    $push: {
      recentOps: pushOf('recentOps', [commit.op]),
      ...(turnsPage ? {} : { journal: pushOf('journal', journal) }),
      ...(pushes ? { outbox: pushOf('outbox', effects) } : {}),
    },
  };
}
