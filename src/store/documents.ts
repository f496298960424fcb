import type { Json, JsonObject } from '../../machines/json.ts';

/** The owner and environment of data; every query of merchants' data has one. */
export interface Tenant {
  readonly merchantId: string;
  readonly mode: Mode;
}

/** The environment of a key and of everything made with it (reference, section 5). */
export type Mode = 'live' | 'test';

/** The kinds of actors. Each has a collection with its name in the plural. */
export type ActorKind = 'subscription' | 'payment';

/** The number of partitions of due actors; the groups of jobs share them. */
export const PARTITIONS = 64;
export const EVERY_PARTITION: readonly number[] = Array.from({ length: PARTITIONS }, (_, partition) => partition);

/**
 * One effect that is decided and has not run yet. `id` is `<documentId>:<rev>:<index>`; items run in their order. `at`
 * is the real time of the commit that decided it.
 */
export interface OutboxItem {
  readonly id: string;
  readonly rev: number;
  readonly index: number;
  readonly at: Date;
  /** The number of the webhook event (its `Envelope.eventSeq`); null for every other effect. */
  readonly sequence: number | null;
  readonly effect: JsonObject & { readonly type: string };
}

/** The fields that actors and plain resources share: one conditional write is the unit of atomicity. */
export interface Envelope extends Tenant {
  readonly _id: string;
  /** Grows by one with every accepted event, or with every change of a resource. */
  readonly rev: number;
  /** The last 16 operation ids; they distinguish a lost answer from a lost write. */
  readonly recentOps: readonly string[];
  /** The number of the last webhook event of this resource (`sequence`, docs/rules.md, "Webhooks"). */
  readonly eventSeq: number;
  readonly outbox: readonly OutboxItem[];
  /** Real time from which the relay may run the outbox; null when it is empty. */
  readonly relayAt: Date | null;
  readonly relayFailures: number;
  readonly partition: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** One actor: immutable `attributes`, and the snapshot of its machine. */
export interface ActorDoc extends Envelope {
  readonly kind: ActorKind;
  readonly attributes: JsonObject;
  readonly machineVersion: number;
  readonly value: Json;
  readonly context: JsonObject;
  /** The name of the outermost state in `value`, for lists. */
  readonly status: string;
  /** Real time at which the actor wants a wake (its own due time minus its clock's offset); null: nothing is due. */
  readonly wakeAt: Date | null;
  /** How far this actor's clock is ahead of real time; not 0 only for sandbox subscriptions. */
  readonly clockOffsetMs: number;
  /** Set when the document is no longer sound enough to accept events (docs/rules.md, "Staff"). */
  readonly quarantine: Quarantine | null;
}

export interface Quarantine {
  readonly at: Date;
  readonly reason: string;
}

/** An actor as stored: with the newest rows of its journal, in the order of `rev`. Older rows are in pages. */
export interface StoredActor extends ActorDoc {
  readonly journal: readonly JournalRow[];
}

/** Rows that have left their actor's document, in the order of `rev`. `_id` is `<actorId>:<rev of the last row>`. */
export interface JournalPage {
  readonly _id: string;
  readonly actorId: string;
  readonly rev: number;
  readonly rows: readonly JournalRow[];
}

/** One event that an actor accepted. A replay of all, in order, gives the stored snapshot. */
export interface JournalRow {
  readonly rev: number;
  /** The actor's own time, ISO 8601. */
  readonly at: string;
  readonly event: JsonObject & { readonly type: string };
  /** The sender, such as `api`, `wake`, `chain`, `payment:pay_…`, `staff:NAME`. */
  readonly by: string;
  /** The reason that staff gave, in their words. */
  readonly reason?: string;
  /** The message that brought it, when another actor sent it. */
  readonly sender: { readonly id: string; readonly mark: readonly [rev: number, index: number] } | null;
  readonly from: Json;
  readonly to: Json;
  readonly effects: readonly JsonObject[];
  readonly machineVersion: number;
  /** SHA-256 of the canonical snapshot after the event. */
  readonly hash: string;
  /** The operation that stored it; several events of one burst share one. */
  readonly op: string;
}
