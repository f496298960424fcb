import { z } from 'zod';
import { frame, freshFrame } from '../actor.ts';
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

/** The context of a delivery. JSON, parsed on every load. */
export const deliveryContext = z.strictObject({
  ...frame,
  id: z.string(),
  eventId: z.string(),
  resourceId: z.string(),
  sequence: z.int().positive(),
  /** The number of the current or last attempt; 0 before the first. */
  attempt: z.int().nonnegative(),
  /** The number of attempts before the last redelivery; absent: there was no redelivery. */
  madeBefore: z.int().positive().exactOptional(),
  attempts: z.array(attemptRecord),
  /** How often the delivery has checked for its turn without a message from the delivery before it. */
  looks: z.int().nonnegative(),
});
export type DeliveryContext = z.infer<typeof deliveryContext>;

export type NewDelivery = Pick<DeliveryContext, 'id' | 'eventId' | 'resourceId' | 'sequence'>;

export function newDelivery(made: NewDelivery): DeliveryContext {
  return begunWith(made, 0, []);
}

/** A delivery that is created in its turn: its first attempt is under way. */
export function deliveryInTurn(made: NewDelivery): DeliveryContext {
  return begunWith(made, 1, []);
}

/**
 * A delivery whose first attempt ended before its document was created, with a 2xx or without a URL in force: it starts
 * in a final state.
 */
export function deliveryEnded(made: NewDelivery, record: AttemptRecord): DeliveryContext {
  return begunWith(made, record.attempt, [record]);
}

function begunWith(
  { id, eventId, resourceId, sequence }: NewDelivery,
  attempt: number,
  attempts: AttemptRecord[],
): DeliveryContext {
  // The frame comes last: V8 needs a hundred times as long for properties that follow a spread.
  return { id, eventId, resourceId, sequence, attempt, attempts, looks: 0, ...freshFrame };
}
