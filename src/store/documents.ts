import type { Json, JsonObject } from '../../machines/json.ts';

/** The fields that most documents have. */
export interface StoredDoc {
  readonly _id: string;
  readonly createdAt: Date;
}

export interface ChangingDoc extends StoredDoc {
  readonly updatedAt: Date;
}

/** The owner and environment of data; every query of merchants' data has one. */
export interface Tenant {
  readonly merchantId: string;
  readonly mode: Mode;
}

/** The environment of a key and of everything made with it (reference, section 5). */
export type Mode = 'live' | 'test';

/** The kinds of actors. Each has a collection of heads with its name in the plural. */
export type ActorKind = 'subscription' | 'payment';

/** The number of partitions of due actors; the groups of jobs share them. */
export const PARTITIONS = 64;
export const EVERY_PARTITION: readonly number[] = Array.from({ length: PARTITIONS }, (_, partition) => partition);

/**
 * One effect that is decided and has not run yet. `id` is `<documentId>:<rev>:<index>`; the effects of a document run
 * in this order. `at` is the real time of the commit that decided it.
 */
export interface OutboxItem {
  readonly id: string;
  readonly rev: number;
  readonly index: number;
  readonly at: Date;
  /** The number of the webhook event (its `eventSeq`); null for every other effect. */
  readonly sequence: number | null;
  readonly effect: JsonObject & { readonly type: string };
}

/** The documents whose changes have effects: actors, and resources without a machine. */
export type OutboxSource = ActorKind | 'offers' | 'customers' | 'wallets';

/**
 * The effects of commits that are written together, until they have run. It is stored before the commits. An entry
 * counts if its document names this one as its outbox; otherwise the commit was not made, or a later commit has taken
 * over what was left.
 */
export interface OutboxDoc {
  /** The `op` of the commits. */
  readonly _id: string;
  readonly source: OutboxSource;
  /** The newest version of the actors' machine; 0: resources have none. */
  readonly version: number;
  readonly entries: readonly OutboxEntry[];
  /** How often an effect of a document has failed; absent: never. */
  readonly failures: { readonly [documentId: string]: number };
  /** Real time of the commit that decided the oldest of the effects; a later one may have taken them over. */
  readonly oldestAt: Date;
  /** Real time of the commits. */
  readonly createdAt: Date;
  /** Real time from which any process may run the effects. */
  readonly at: Date;
}

/** The effects of one document that had not run at its commit. */
export interface OutboxEntry extends Tenant {
  readonly documentId: string;
  /** The document's revision after the commit. */
  readonly rev: number;
  /** Empty: the commit has only a head to write. */
  readonly effects: readonly OutboxItem[];
}

/** A document as its outbox needs it. */
export interface WithOutbox extends Tenant {
  readonly _id: string;
  /** Grows by one with every change. */
  readonly rev: number;
  /** The outbox document with the effects of its last commit that had any; null: none had. */
  readonly outboxId: string | null;
}

/** A document with webhook events of its own. */
interface Emitting extends WithOutbox, ChangingDoc {
  /** The number of its last webhook event (`sequence`, docs/rules.md, "Webhooks"). */
  readonly eventSeq: number;
  readonly partition: number;
}

/** A real time at which an actor wants a wake. It is stored before the commit that asks for it. */
export interface TimerDoc {
  /** See `timerId`. */
  readonly _id: string;
  readonly kind: ActorKind;
  readonly actorId: string;
  /** The revision of the actor that asks for it. */
  readonly rev: number;
  readonly partition: number;
  /** The version of the actor's machine. */
  readonly version: number;
  readonly at: Date;
  readonly createdAt: Date;
}

/** The fields that plain resources share: one conditional write is the unit of atomicity. */
export interface Envelope extends Emitting {
  /** The last 16 operation ids; they distinguish a lost answer from a lost write. */
  readonly recentOps: readonly string[];
}

/** One actor: immutable `attributes`, and the snapshot of its machine. */
export interface ActorDoc extends Emitting {
  readonly kind: ActorKind;
  readonly attributes: JsonObject;
  readonly machineVersion: number;
  readonly value: Json;
  readonly context: JsonObject;
  /** The name of the outermost state in `value`, for lists. */
  readonly status: string;
  /** Real time at which the actor wants a wake (its own due time minus its clock's offset); null: nothing is due. */
  readonly wakeAt: Date | null;
  /** The revision that set `wakeAt`. */
  readonly wakeRev: number;
  /** How far this actor's clock is ahead of real time; not 0 only for sandbox subscriptions. */
  readonly clockOffsetMs: number;
  /** Set when the document is no longer sound enough to accept events (docs/rules.md, "Staff"). */
  readonly quarantine: Quarantine | null;
}

export interface Quarantine {
  readonly at: Date;
  readonly reason: string;
}

/** An actor as read by its id. */
export interface StoredActor extends ActorDoc {
  /** The revision of its head; 0: it has none yet. */
  readonly headRev: number;
  /** Its effects that have not run, in order. */
  readonly outbox: readonly OutboxItem[];
  /** How often the first of them has failed. */
  readonly failures: number;
}

/**
 * One commit of one actor: its events, and the fields that they changed. The state of an actor is the sum of its rows;
 * `_id` (`rowId`) has the revision of the first event, so only one of the writers that saw the same revision stores its
 * row. A stored row never changes.
 */
export interface LogRow {
  readonly _id: string;
  readonly kind: ActorKind;
  readonly partition: number;
  /** The operation that stored it, different from all others. */
  readonly op: string;
  /** The actor's revision after the last event. */
  readonly rev: number;
  readonly events: readonly LoggedEvent[];
  /** The new values of fields; the first row has all of them. */
  readonly set: Partial<Omit<ActorDoc, 'context'>>;
  /**
   * The new values of fields of the context, and the names of those that it lost; in the first row, compared with the
   * input of its event.
   */
  readonly context: JsonObject;
  readonly lost?: readonly string[];
}

/** One event that an actor accepted. A replay of all, in order, gives the stored snapshot. */
export interface LoggedEvent {
  readonly event: JsonObject & { readonly type: string; readonly now: string };
  /** The sender, such as `api`, `wake`, `chain`, `payment:pay_…`, `staff:NAME`. */
  readonly by: string;
  /** The reason that staff gave, in their words. */
  readonly reason?: string;
  /** The message that brought it, when another actor sent it. */
  readonly sender?: { readonly id: string; readonly mark: readonly [rev: number, index: number] };
  readonly to: Json;
  /** The effects that the machine decided: the name of a webhook event, or the type. */
  readonly effects: readonly string[];
  readonly version: number;
  /** The hash of the canonical snapshot after the event, and of the effects. */
  readonly hash: string;
}

/** A logged event with its revision in the journal of its actor. */
export interface JournalRow extends LoggedEvent {
  readonly rev: number;
  /** null before the first event. */
  readonly from: Json;
  /** Several events of one burst share one. */
  readonly op: string;
}
