import type { Json, JsonObject } from '../../machines/json.ts';

/** The environment of a key and of everything made with it (reference, section 5). */
export type Mode = 'live' | 'test';

/** What has a lifecycle, and with it the collection of the same name in the plural. */
export type ActorKind = 'subscription' | 'payment' | 'delivery';

/** How many partitions the due actors are spread over; the groups of jobs divide these among themselves. */
export const PARTITIONS = 64;
/** All of them, for whoever checks everywhere. */
export const EVERY_PARTITION: readonly number[] = Array.from({ length: PARTITIONS }, (_, partition) => partition);

/**
 * One effect that has been decided and not yet been carried out. `id` is `<documentId>:<rev>:<index>`; items stand in the
 * order in which they must run. `at` is the real time of the commit that decided it.
 */
export interface OutboxItem {
  readonly id: string;
  readonly rev: number;
  readonly index: number;
  readonly at: Date;
  /** The number of the webhook event (`Envelope.eventSeq` with it counted); null for every other effect. */
  readonly sequence: number | null;
  readonly effect: JsonObject & { readonly type: string };
}

/** What actors and plain resources have in common: one conditional write is the unit of atomicity. */
export interface Envelope {
  readonly _id: string;
  readonly merchantId: string;
  readonly mode: Mode;
  /** Grows by one with every event taken, or with every change of a resource. */
  readonly rev: number;
  /** The last 16 operation ids: how a write whose answer was lost is recognised. */
  readonly recentOps: readonly string[];
  /** The number of the last webhook event of this resource (`sequence`, docs/rules.md, "Webhooks"). */
  readonly eventSeq: number;
  readonly outbox: readonly OutboxItem[];
  /** Real time from which somebody may drain the outbox; null when it is empty. */
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
  /** Projection of `value` for lists: the name of the outermost state. */
  readonly status: string;
  /** Real time at which the actor wants to be woken (its own due time minus its clock's offset); null: nothing is due. */
  readonly wakeAt: Date | null;
  /** How far this actor's clock runs ahead of the real one; only sandbox subscriptions differ from 0. */
  readonly clockOffsetMs: number;
  /** Set when the document can no longer be trusted to take events (docs/rules.md, "Staff"). */
  readonly quarantine: Quarantine | null;
}

export interface Quarantine {
  readonly at: Date;
  readonly reason: string;
}

/** One event that one actor took. `_id` is `<actorId>:<rev>`. Replaying these in order gives the stored snapshot. */
export interface JournalDoc {
  readonly _id: string;
  readonly actorId: string;
  readonly kind: ActorKind;
  readonly rev: number;
  /** The actor's own time, ISO 8601. */
  readonly at: string;
  readonly event: JsonObject & { readonly type: string };
  /** Who or what sent it, such as `api`, `wake`, `chain`, `payment:pay_…`, `staff:NAME`. */
  readonly by: string;
  /** Why, in their words, where staff sent it. */
  readonly reason?: string;
  /** The message it came by, when another actor sent it. */
  readonly sender: { readonly id: string; readonly mark: readonly [rev: number, index: number] } | null;
  readonly from: Json;
  readonly to: Json;
  readonly effects: readonly JsonObject[];
  readonly machineVersion: number;
  /** SHA-256 of the canonical snapshot after the event. */
  readonly hash: string;
  /** The operation that took it: several events of one burst share one. */
  readonly op: string;
}
