import type { Collections } from './collections.ts';
import type { ActorDoc, ActorKind, LoggedEvent, OutboxItem, StoredActor } from './documents.ts';

/** One conditional write of an actor: made only while its revision is that of `before`. */
export interface Commit {
  /** null: the actor is new. */
  readonly before: StoredActor | null;
  /** Its `rev` is higher. */
  readonly after: ActorDoc;
  readonly events: readonly LoggedEvent[];
  /** The effects that have not run: those of `before`, if this commit has any, and its own. */
  readonly effects: readonly OutboxItem[];
}

/** Commits that are written together. */
export interface CommitBatch {
  /** Different for each attempt. */
  readonly op: string;
  /** Real time. */
  readonly at: Date;
  /** Real time from which other processes may run the effects. */
  readonly relayAt: Date;
  readonly commits: readonly Commit[];
}

/**
 * `applied`: this write is stored (also if it was stored before and only its answer was lost). `lost`: another writer
 * was first; nothing changed.
 */
export type CommitVerdict = 'applied' | 'lost';

/**
 * `inserted`, or the name of the unique index (see `indexes.ts`; `_id` for the primary one) that already had the key.
 */
export type InsertVerdict = { readonly inserted: true } | { readonly inserted: false; readonly index: string };

/** Called between the writes of a commit, so that a test may stop there (`FAULT_POINTS`). */
export type BetweenWrites = (point: 'commit.row.before' | 'commit.row.after') => Promise<void>;

export interface ActorStore {
  /** The existing actors as of now, in no particular order. */
  load(kind: ActorKind, ids: readonly string[]): Promise<StoredActor[]>;
  /** One verdict per commit, in the order given. A batch has the same actor at most once. */
  commit(kind: ActorKind, batch: CommitBatch, between?: BetweenWrites): Promise<CommitVerdict[]>;
  /**
   * Not quarantined, `wakeAt <= now`, in one of `partitions`, of one of `versions`; the longest due first. Those of one
   * moment come in the order of their ids, which is the order of their heads in the storage: a page of the storage then
   * takes the writes of all its actors at once.
   */
  due(query: DueQuery): Promise<StoredActor[]>;
  /** The earliest `wakeAt` of all actors that are not in quarantine, or null. `/health` shows it as lag. */
  earliestWake(kind: ActorKind): Promise<Date | null>;
  /** Stores what lists find of these actors of one kind, where that is missing or older. */
  writeHeads(kind: ActorKind, docs: readonly StoredActor[]): Promise<void>;
  /** Gives payments a head that have been open for ten minutes, and forgets those that have ended: one limited pass. */
  endOpenPayments(now: Date): Promise<void>;
}

export interface DueQuery {
  readonly kind: ActorKind;
  readonly partitions: readonly number[];
  /** Absent: of any version. */
  readonly versions?: readonly number[];
  readonly now: Date;
  /** The most timers read. */
  readonly limit: number;
}

/** Values that a filter can compare. */
export type Scalar = string | number | boolean | Date | null;

/** The condition on one field. `null` matches a field that is null or absent. */
export type Condition =
  | Scalar
  | { readonly in: readonly Scalar[] }
  | { readonly not: Scalar }
  | { readonly lt?: Scalar; readonly lte?: Scalar; readonly gt?: Scalar; readonly gte?: Scalar };

/**
 * Field paths (dots for nested fields; through an array: any element) and their conditions; all must hold. A path with
 * an undefined condition is a programming error and throws, because in MongoDB it would match everything.
 */
export type Where = { readonly [path: string]: Condition };

export interface Query {
  readonly where: Where;
  /** Field path and direction, most significant first; `_id` breaks ties, in the direction of the last. */
  readonly sort?: readonly (readonly [path: string, direction: 1 | -1])[];
  readonly start?: number;
  /**
   * Only documents after the one with these values of the sort keys; the last is `_id`, and none is null. That document
   * need not exist or match `where`.
   */
  readonly after?: readonly Scalar[];
  /** `any`: documents with the same values of the sort keys come in any order, so the index need not end with `_id`. */
  readonly ties?: 'any';
  readonly limit: number;
}

/** A change of a plain document: fields set by path (null clears), elements pushed, numbers added. */
export interface Change {
  readonly set?: { readonly [path: string]: unknown };
  readonly push?: { readonly [path: string]: readonly unknown[] };
  readonly inc?: { readonly [path: string]: number };
}

export type CollectionName = keyof Collections;

/** A document and the one that its field names. */
interface WithNamed<T, U> {
  readonly doc: T;
  readonly named: U | null;
}

/** A change of one document under its own conditions. */
export interface OneChange {
  readonly id: string;
  readonly where: Where;
  readonly change: Change;
}

/** What moves money, and who may be paid. Only workers write these, so most code has a store that cannot. */
type LedgerCollection = 'charges' | 'transactions' | 'announcements';
export type Ledger = RecordStore<LedgerCollection>;

/** `W`: the collections that it writes. It reads all. */
export interface RecordStore<W extends CollectionName = Exclude<CollectionName, LedgerCollection>> {
  /** Never set. Without it the compiler would accept a store that writes less, because it compares no constraints. */
  readonly writes?: (of: W) => never;
  /** The existing documents, in no particular order. */
  get<C extends CollectionName>(from: C, ids: readonly string[]): Promise<Collections[C][]>;
  /**
   * One verdict per document, in the order given; the inserts are unordered, so a conflict of one never stops the
   * others.
   */
  insert<C extends W>(into: C, docs: readonly Collections[C][]): Promise<InsertVerdict[]>;
  /**
   * The existing documents, each with the document of another collection whose id is in its field `by` (null: none),
   * both as of now; one call, in no particular order.
   */
  getWith<C extends CollectionName, D extends CollectionName>(
    from: C,
    ids: readonly string[],
    by: keyof Collections[C] & string,
    named: D,
  ): Promise<WithNamed<Collections[C], Collections[D]>[]>;
  /** The documents of a query, in its order. `limit` is required, so that every query is bounded. */
  find<C extends CollectionName>(from: C, query: Query): Promise<Collections[C][]>;
  /** `atMost`: stops counting there; absent: counts all. */
  count<C extends CollectionName>(from: C, where: Where, atMost?: number): Promise<number>;
  /** Changes the document if it exists and matches `where`, and returns the new version; else returns null. */
  change<C extends W>(of: C, id: string, where: Where, change: Change): Promise<Collections[C] | null>;
  /** The same change for many, each under its own conditions. True: made. The answers are in the order given. */
  changeMany<C extends W>(of: C, changes: readonly OneChange[]): Promise<boolean[]>;
  /**
   * The same change for those that match `where`, in one write that costs the database a fraction of one each; returns
   * the number of changed documents. Each document changes atomically. Not for fields with a unique index. In a sharded
   * cluster one that moves to another shard at that moment may stay unchanged, and the count is null: read what is
   * stored.
   */
  changeAlike<C extends W>(of: C, ids: readonly string[], where: Where, change: Change): Promise<number | null>;
  /**
   * Like `change` for a document named by `_id` alone, which is made from `initial` if it does not exist. Callers that
   * race to make it end with one document that has every change.
   */
  upsert<C extends W>(of: C, id: string, initial: Omit<Collections[C], '_id'>, change: Change): Promise<Collections[C]>;
  /**
   * How many it removed. Of several, a sharded cluster may leave one that moves to another shard at that moment, and
   * count it all the same; so callers remove again, or find later what is left.
   */
  remove<C extends W>(from: C, ids: readonly string[]): Promise<number>;
  /** Stores each document unless the stored one of its `_id` has the same `rev` or a higher one. */
  putNewer<C extends W & Revised>(into: C, docs: readonly Collections[C][]): Promise<void>;
  /** Like `find`, with only the `_id` and these fields of each document. */
  findFields<C extends CollectionName, F extends keyof Collections[C]>(
    from: C,
    query: Query,
    fields: readonly F[],
  ): Promise<Pick<Collections[C], '_id' | F>[]>;
  /** The groups in no particular order. The database reads every document that matches. */
  tally(from: CollectionName, query: TallyQuery): Promise<Tally[]>;
}

/** The collections whose documents have a revision. */
type Revised = {
  [C in CollectionName]: Collections[C] extends { readonly rev: number } ? C : never;
}[CollectionName];

/** Groups of actors, and what to count in each. */
export interface TallyQuery {
  readonly where: Where;
  /** The paths of the fields whose values make a group. */
  readonly by: readonly string[];
  /** Also by the day or month (UTC) of the moment at a path; null: not by time. */
  readonly period: { readonly of: string; readonly unit: 'day' | 'month' } | null;
  /** The path of base units, as decimal digits, to add up; other texts count as 0. null: only counts. */
  readonly sum: string | null;
  /** The most groups of the answer. */
  readonly limit: number;
}

export interface Tally {
  /** The values of the fields of `by`, in its order; an absent field is null. */
  readonly by: readonly Scalar[];
  /** The start of the period; null: not by time, or the moment is absent. */
  readonly start: Date | null;
  readonly count: number;
  /** Exact below 10^34. */
  readonly sum: bigint;
}

export interface ActorQueries {
  /** Actors by their attributes, status or context, through declared indexes; as of now. */
  find(kind: ActorKind, query: Query): Promise<ActorDoc[]>;
  /** Like `find`, with only the `_id` and these fields of each document. */
  findFields<F extends keyof ActorDoc>(
    kind: ActorKind,
    query: Query,
    fields: readonly F[],
  ): Promise<Pick<ActorDoc, '_id' | F>[]>;
  /** `atMost`: stops counting there; absent: counts all. */
  count(kind: ActorKind, where: Where, atMost?: number): Promise<number>;
  /** The groups in no particular order. The database reads every actor that matches. */
  tally(kind: ActorKind, query: TallyQuery): Promise<Tally[]>;
}

/** The count of a window, and of the named part. */
interface Counts {
  readonly whole: number;
  readonly part: number;
}

/** Counts of windows; each is gone after its `expiresAt`. Not journaled: a lost count allows a few calls more. */
export interface CounterStore {
  /** Adds `n` to the counter of a window and returns the new count. */
  add(key: string, n: number, expiresAt: Date): Promise<number>;
  /**
   * Like `add`; the same write adds `n` to one numbered part of that window, such as a minute of a day. A part is
   * forgotten when the one `PARTS_KEPT` later is counted.
   */
  addPart(key: string, n: number, part: number, expiresAt: Date): Promise<Counts>;
}

/**
 * See `CounterStore.addPart`. The clocks of two processes may differ by this many minutes and still keep each other's
 * counts. The counter of a constant caller holds this many of a day's 1,440 minutes.
 */
export const PARTS_KEPT = 20;

/**
 * Everything that lasts, in the terms of the engine. Two forms, MongoDB and memory, pass one contract suite. Every
 * answered write is durable (majority, journaled), except counters. No operation needs a transaction over two
 * documents.
 */
export interface Store<W extends CollectionName = Exclude<CollectionName, LedgerCollection>> {
  readonly actors: ActorStore & ActorQueries;
  readonly records: RecordStore<W>;
  readonly counters: CounterStore;
  /** The number of calls to the database since the start; tests compare it with round-trip budgets. */
  readonly roundTrips: () => number;
  /** True when the database answers. */
  ping(): Promise<boolean>;
  close(): Promise<void>;
}

/** These write the ledger too. */
export type LedgerStore = Store<CollectionName>;
export type LedgerRecords = RecordStore<CollectionName>;
