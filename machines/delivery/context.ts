import { z } from 'zod';
import { moment } from '../effects.ts';

/** The result of one attempt to deliver. `status` is the HTTP status; null: no answer came. */
export const attemptRecord = z.strictObject({
  attempt: z.int().positive(),
  startedAt: moment,
  durationMs: z.int().nonnegative(),
  status: z.int().nullable(),
  /** The fault when no answer came: time-out, connection refused, address not allowed. */
  error: z.string().nullable(),
  /** The first kilobyte of the answer's body, as text. */
  body: z.string().nullable(),
});
export type AttemptRecord = z.infer<typeof attemptRecord>;

/** How many attempts a delivery keeps, newest last. Older attempts of repeated redeliveries are dropped. */
export const ATTEMPTS_KEPT = 30;

export const deliveryStatus = z.enum(['queued', 'sending', 'retrying', 'delivered', 'failed', 'no_endpoint']);
export type DeliveryStatus = z.infer<typeof deliveryStatus>;

/** The context of a delivery. JSON, parsed on every load. */
export const deliveryContext = z.strictObject({
  /** When the delivery has to act by itself: its next attempt, the end of its lease; null: never. */
  wakeAt: moment.nullable(),
  /** The number of the current or last attempt; 0 before the first. */
  attempt: z.int().nonnegative(),
  /** The number of attempts before the last redelivery; absent: there was no redelivery. */
  madeBefore: z.int().positive().exactOptional(),
  attempts: z.array(attemptRecord),
  /** How often the delivery has checked for its turn without a message from the delivery before it. */
  looks: z.int().nonnegative(),
});
export type DeliveryContext = z.infer<typeof deliveryContext>;

/** Where a delivery is. */
export interface DeliveryState extends DeliveryContext {
  readonly status: DeliveryStatus;
}
