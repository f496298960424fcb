import { fieldsOf, outboxAfter, withOps } from '../change.ts';
import type { ActorDoc, ActorKind, Quarantine, StoredActor } from '../documents.ts';
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
  Scalar,
  Tally,
  TallyQuery,
  Where,
} from '../port.ts';
import type { RoundTrips } from '../round-trips.ts';
import { typed } from '../typed.ts';
import { copy } from '../values.ts';
import { valuesAt } from '../values-at.ts';
import type { Table } from './table.ts';

export type ActorTables = Readonly<Record<ActorKind, Table<StoredActor>>>;

export class MemoryActors implements ActorStore, ActorQueries {
  readonly #tables: ActorTables;
  readonly #calls: RoundTrips;

  constructor(tables: ActorTables, calls: RoundTrips) {
    this.#tables = tables;
    this.#calls = calls;
  }

  async load(kind: ActorKind, ids: readonly string[]): Promise<StoredActor[]> {
    if (ids.length === 0) return [];
    this.#calls.add();
    return copy(this.#tables[kind].some(ids));
  }

  async insert(kind: ActorKind, docs: readonly StoredActor[]): Promise<InsertVerdict[]> {
    if (docs.length === 0) return [];
    for (const doc of docs) checkDocument(doc, `${kind} ${doc._id}`);
    this.#calls.add();
    return docs.map((doc) => this.#tables[kind].insert(copy(doc)));
  }

  async commit(kind: ActorKind, commits: readonly Commit[]): Promise<CommitVerdict[]> {
    if (commits.length === 0) return [];
    checkCommits(commits, kind);
    const table = this.#tables[kind];
    const fresh = commits.filter((commit) => passes(commit, table.get(commit.id)));
    for (const commit of fresh) write(table, commit);
    this.#calls.add(fresh.length === commits.length ? 1 : 2);
    return commits.map((commit) => verdictOf(commit, table.get(commit.id)));
  }

  async due(kind: ActorKind, partitions: readonly number[], now: Date, limit: number): Promise<StoredActor[]> {
    checkCount(limit, `due ${kind}.limit`);
    checkValue(now, `due ${kind}.now`);
    if (limit === 0 || partitions.length === 0) return [];
    this.#calls.add();
    const table = this.#tables[kind];
    return copy(table.some(table.dated('due').upTo(partitions, now, limit)));
  }

  async earliestWake(kind: ActorKind): Promise<Date | null> {
    this.#calls.add();
    return this.#tables[kind].dated('due').earliest();
  }

  async setQuarantine(kind: ActorKind, id: string, quarantine: Quarantine | null): Promise<boolean> {
    checkValue(quarantine, `${kind} ${id}.quarantine`);
    this.#calls.add();
    const doc = this.#tables[kind].get(id);
    if (doc === undefined) return false;
    this.#tables[kind].put({ ...doc, quarantine: copy(quarantine) });
    return true;
  }

  async find(kind: ActorKind, query: Query): Promise<ActorDoc[]> {
    checkQuery(query, `find ${kind}`);
    if (query.limit === 0) return [];
    this.#calls.add();
    return copy(this.#tables[kind].find(query).map(withoutJournal));
  }

  async findFields<F extends keyof ActorDoc>(
    kind: ActorKind,
    query: Query,
    fields: readonly F[],
  ): Promise<Pick<ActorDoc, '_id' | F>[]> {
    const wanted = new Set<string>(['_id', ...fields]);
    const found = await this.find(kind, query);
    return found.map((doc) => typed(Object.fromEntries(Object.entries(doc).filter(([field]) => wanted.has(field)))));
  }

  async count(kind: ActorKind, where: Where, atMost?: number): Promise<number> {
    checkWhere(where, `count ${kind}`);
    checkAtMost(atMost, `count ${kind}.atMost`);
    this.#calls.add();
    return Math.min(this.#tables[kind].count(where), atMost ?? Number.POSITIVE_INFINITY);
  }

  async tally(kind: ActorKind, query: TallyQuery): Promise<Tally[]> {
    checkTally(query, `tally ${kind}`);
    this.#calls.add();
    return tallyOf(this.#tables[kind].find({ where: query.where, limit: Number.POSITIVE_INFINITY }), query);
  }
}

function write(table: Table<StoredActor>, commit: Commit): void {
  const doc = table.get(commit.id);
  if (doc === undefined) return;
  table.put({
    ...doc,
    ...copy(fieldsOf(commit)),
    recentOps: withOps(doc.recentOps, [commit.op]),
    journal: [...(commit.turnsPage ? [] : doc.journal), ...copy(commit.journal)],
    ...(commit.clearsOutbox ? copy(outboxAfter(commit)) : appended(doc, commit)),
  });
}

function withoutJournal({ journal: _, ...doc }: StoredActor): ActorDoc {
  return doc;
}

function passes({ seenRev, unlessQuarantined }: Commit, doc: ActorDoc | undefined): boolean {
  return doc?.rev === seenRev && (unlessQuarantined !== true || doc.quarantine === null);
}

function appended(doc: ActorDoc, { effects, relayAt }: Commit): Pick<ActorDoc, 'outbox' | 'relayAt'> {
  if (effects.length === 0) return { outbox: doc.outbox, relayAt: doc.relayAt };
  return { outbox: [...doc.outbox, ...copy(effects)], relayAt: new Date(relayAt) };
}

function verdictOf(commit: Commit, doc: ActorDoc | undefined): CommitVerdict {
  if (doc === undefined) return 'missing';
  return doc.recentOps.includes(commit.op) ? 'applied' : 'lost';
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
