import type { Collections } from './collections.ts';
import type { ActorDoc, ActorKind, Mode, OutboxItem, Quarantine } from './documents.ts';

/** One conditional write of an actor: taken only while the stored `rev` is `seenRev`. */
export interface Commit {
  readonly id: string;
  readonly seenRev: number;
  readonly op: string;
  readonly set: Pick<
    ActorDoc,
    'rev' | 'machineVersion' | 'value' | 'context' | 'status' | 'wakeAt' | 'clockOffsetMs' | 'eventSeq' | 'updatedAt'
  >;
  /** Appended to the outbox; when not empty, `relayAt` is set in the same write. */
  readonly effects: readonly OutboxItem[];
  readonly relayAt: Date;
  /** All that the outbox held as of `seenRev` has been carried out: `effects` take its place instead. */
  readonly clearsOutbox?: true;
  /** Lost also where the document has been quarantined: `rev` does not tell, and what is written comes of an older read. */
  readonly unlessQuarantined?: true;
}

/**
 * `applied`: this write is stored (also when it had been stored before and only its answer was lost).
 * `lost`: another writer was first, nothing was changed. `missing`: there is no such document.
 */
export type CommitVerdict = 'applied' | 'lost' | 'missing';

/** `inserted`, or the name of the unique index (see `indexes.ts`; `_id` for the primary one) that had it already. */
export type InsertVerdict = { readonly inserted: true } | { readonly inserted: false; readonly index: string };

export interface ActorStore {
  /** The documents that exist, in no particular order; whole, as stored. */
  load(kind: ActorKind, ids: readonly string[]): Promise<ActorDoc[]>;
  /** One verdict per document, in the order given. One foreign conflict never rejects the others. */
  insert(kind: ActorKind, docs: readonly ActorDoc[]): Promise<InsertVerdict[]>;
  /** One verdict per commit, in the order given. The same actor at most once in a batch. */
  commit(kind: ActorKind, commits: readonly Commit[]): Promise<CommitVerdict[]>;
  /** Not quarantined, `wakeAt <= now`, in one of `partitions`; the longest due first. */
  due(kind: ActorKind, partitions: readonly number[], now: Date, limit: number): Promise<ActorDoc[]>;
  /** The earliest `wakeAt` of all that are not quarantined, or null: what the inspection and `/health` show as lag. */
  earliestWake(kind: ActorKind): Promise<Date | null>;
  /** Marks or, with null, releases; anything else of the document stays. False: no such document. */
  setQuarantine(kind: ActorKind, id: string, quarantine: Quarantine | null): Promise<boolean>;
}

/** Where an outbox lives. */
export type OutboxCollection = ActorKind | 'offers' | 'customers' | 'wallets';

export interface Unrelayed {
  readonly _id: string;
  readonly merchantId: string;
  readonly mode: Mode;
  readonly rev: number;
  readonly outbox: readonly OutboxItem[];
  readonly relayFailures: number;
  /** Of an actor. */
  readonly machineVersion?: number;
}

export interface OutboxStore {
  /** Documents with `relayAt <= before` in one of `partitions`, actors only when not quarantined; oldest first. */
  unrelayed(from: OutboxCollection, partitions: readonly number[], before: Date, limit: number): Promise<Unrelayed[]>;
  /** Takes the effects out of the outboxes; clears `relayAt` and `relayFailures` where nothing is left. Others stay. */
  ack(
    from: OutboxCollection,
    done: readonly { readonly id: string; readonly effectIds: readonly string[] }[],
  ): Promise<void>;
  /**
   * Adds `count` to the failures (0: it only waits for something), sets `relayAt` to `retryAt`, returns the failures.
   * 0: there is no such document, or nothing is left in its outbox; then nothing is changed.
   */
  failed(from: OutboxCollection, id: string, retryAt: Date, count: 0 | 1): Promise<number>;
}

/** Values that can be compared in a filter. */
export type Scalar = string | number | boolean | Date | null;

/** What one field must be. `null` matches a field that is null or absent. */
export type Condition =
  | Scalar
  | { readonly in: readonly Scalar[] }
  | { readonly not: Scalar }
  | { readonly lt?: Scalar; readonly lte?: Scalar; readonly gt?: Scalar; readonly gte?: Scalar };

/**
 * Field paths (dots for nested fields; through an array: any element) and what each must be; all must hold. A path whose
 * condition is undefined is a programming error and throws, for in MongoDB it would match everything.
 */
export type Where = { readonly [path: string]: Condition };

export interface Query {
  readonly where: Where;
  /** Field path and direction, most significant first; ties end on `_id`, in the direction of the last. */
  readonly sort?: readonly (readonly [path: string, direction: 1 | -1])[];
  readonly start?: number;
  /**
   * Only documents behind the one that has these values of the sort keys, `_id` the last of them; none of them null. Whether
   * that document still matches `where`, or exists, makes no difference.
   */
  readonly after?: readonly Scalar[];
  readonly limit: number;
}

/** A change of a plain document: fields set by path (null clears), elements pushed, numbers added. */
export interface Change {
  readonly set?: { readonly [path: string]: unknown };
  readonly push?: { readonly [path: string]: readonly unknown[] };
  readonly inc?: { readonly [path: string]: number };
}

/** Names of the collections of plain documents. */
export type CollectionName = keyof Collections;

/** A document and the one that it names. */
export interface WithNamed<T, U> {
  readonly doc: T;
  readonly named: U | null;
}

/** A change of one document on its own conditions. */
export interface OneChange {
  readonly id: string;
  readonly where: Where;
  readonly change: Change;
}

export interface RecordStore {
  /** The documents that exist, in no particular order. */
  get<C extends CollectionName>(from: C, ids: readonly string[]): Promise<Collections[C][]>;
  /** One verdict per document, in the order given; unordered beneath, so one conflict never stops the others. */
  insert<C extends CollectionName>(into: C, docs: readonly Collections[C][]): Promise<InsertVerdict[]>;
  /**
   * The documents that exist, each with the one of another collection whose id its field `by` holds (null: there is none),
   * as both stand now; in one call, in no particular order.
   */
  getWith<C extends CollectionName, D extends CollectionName>(
    from: C,
    ids: readonly string[],
    by: keyof Collections[C] & string,
    named: D,
  ): Promise<WithNamed<Collections[C], Collections[D]>[]>;
  /** Documents of a query, in its order. Every query is bounded: `limit` is required. */
  find<C extends CollectionName>(from: C, query: Query): Promise<Collections[C][]>;
  /** `atMost`: counts no further; absent: to the end. */
  count<C extends CollectionName>(from: C, where: Where, atMost?: number): Promise<number>;
  /** Changes the document if it exists and fulfils `where`; returns it as it is afterwards, else null. */
  change<C extends CollectionName>(of: C, id: string, where: Where, change: Change): Promise<Collections[C] | null>;
  /** The same change for many, each on its own conditions; true where it was made. Order of the answers = order given. */
  changeMany<C extends CollectionName>(of: C, changes: readonly OneChange[]): Promise<boolean[]>;
  /**
   * The same change for all of these that fulfil `where`, in one write that costs the database a fraction of one each;
   * returns how many it was made of. Each document is changed for itself; not for fields that an index keeps unique.
   */
  changeAlike<C extends CollectionName>(of: C, ids: readonly string[], where: Where, change: Change): Promise<number>;
  /**
   * Like `change` for a document that `_id` alone names, made with `initial` if it does not exist yet. What races to make
   * it ends with one document that has every change.
   */
  upsert<C extends CollectionName>(
    of: C,
    id: string,
    initial: Omit<Collections[C], '_id'>,
    change: Change,
  ): Promise<Collections[C]>;
  remove<C extends CollectionName>(from: C, ids: readonly string[]): Promise<number>;
}

export interface ActorQueries {
  /** Actors by their attributes, status or context, through declared indexes. */
  find(kind: ActorKind, query: Query): Promise<ActorDoc[]>;
  /** `atMost`: counts no further; absent: to the end. */
  count(kind: ActorKind, where: Where, atMost?: number): Promise<number>;
}

/** What has been counted in a window, and in the part of it that was named. */
export interface Counts {
  readonly whole: number;
  readonly part: number;
}

/** Counts of windows, each gone once its `expiresAt` has passed. Not journaled: a lost count is a few calls more. */
export interface CounterStore {
  /** Adds `n` to the counter of a window, and returns the count after it. */
  add(key: string, n: number, expiresAt: Date): Promise<number>;
  /**
   * As `add`, and in the same write `n` is added to the counter of one numbered part of that window, such as the minute of
   * a day. A part is forgotten when the one `PARTS_KEPT` later is counted in.
   */
  addPart(key: string, n: number, part: number, expiresAt: Date): Promise<Counts>;
}

/**
 * See `CounterStore.addPart`. So many minutes may the clocks of two processes be apart and not forget each other's counts;
 * and so many of a day's 1,440 stand in the counter of who calls all the time.
 */
export const PARTS_KEPT = 20;

/**
 * Everything that lasts, in the engine's words. Two forms, MongoDB and memory, pass one contract suite. Every write that
 * is answered is durable (majority, journaled), counters excepted. No operation needs a transaction over two documents.
 */
export interface Store {
  readonly actors: ActorStore & ActorQueries;
  readonly outboxes: OutboxStore;
  readonly records: RecordStore;
  readonly counters: CounterStore;
  /** How many calls have gone to the database since the start: what round-trip budgets are held against. */
  readonly roundTrips: () => number;
  /** True when the database answers. */
  ping(): Promise<boolean>;
  close(): Promise<void>;
}
