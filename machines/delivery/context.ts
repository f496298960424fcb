import { z } from 'zod';
import { frame, freshFrame } from '../actor.ts';
import { moment } from '../effects.ts';

/** How one attempt to deliver ended. `status` is the HTTP status, null when there was no answer. */
export const attemptRecord = z.strictObject({
  attempt: z.int().positive(),
  startedAt: moment,
  durationMs: z.int().nonnegative(),
  status: z.int().nullable(),
  /** What went wrong when there was no answer: time-out, connection refused, address not allowed. */
  error: z.string().nullable(),
  /** The first kilobyte of the answer's body, as text. */
  body: z.string().nullable(),
});
export type AttemptRecord = z.infer<typeof attemptRecord>;

/** The newest attempts are kept: of a delivery that is redelivered again and again, not all. */
export const ATTEMPTS_KEPT = 30;

/** Everything that a delivery remembers; JSON, parsed on every load. */
export const deliveryContext = z.strictObject({
  ...frame,
  id: z.string(),
  eventId: z.string(),
  resourceId: z.string(),
  sequence: z.int().positive(),
  /** The attempt under way, or the last one; 0 before the first. */
  attempt: z.int().nonnegative(),
  /** How many attempts were made before the last redelivery; absent: it has not been redelivered. */
  madeBefore: z.int().positive().exactOptional(),
  attempts: z.array(attemptRecord),
  /** How often it has been waited for its turn without a word from the event before. */
  looks: z.int().nonnegative(),
});
export type DeliveryContext = z.infer<typeof deliveryContext>;

export type NewDelivery = Pick<DeliveryContext, 'id' | 'eventId' | 'resourceId' | 'sequence'>;

export function newDelivery(made: NewDelivery): DeliveryContext {
  return begunWith(made, 0, []);
}

/** One whose turn it is when it is made: its first attempt is under way. */
export function deliveryInTurn(made: NewDelivery): DeliveryContext {
  return begunWith(made, 1, []);
}

/** One whose first attempt has ended before it was made, with a 2xx or without a URL in force: it is over when it begins. */
export function deliveryEnded(made: NewDelivery, record: AttemptRecord): DeliveryContext {
  return begunWith(made, record.attempt, [record]);
}

function begunWith(
  { id, eventId, resourceId, sequence }: NewDelivery,
  attempt: number,
  attempts: AttemptRecord[],
): DeliveryContext {
  // The frame last: what is added behind a spread costs V8 a hundred times as much as what stands before it.
  return { id, eventId, resourceId, sequence, attempt, attempts, looks: 0, ...freshFrame };
}
