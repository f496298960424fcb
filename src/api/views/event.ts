import { z } from 'zod';
import { deliveryStatus } from '../../../machines/delivery/context.ts';
import { moment, webhookEvent } from '../../../machines/effects.ts';
import type { JsonObject } from '../../../machines/json.ts';
import type { DeliveryRecord, EventRecord } from '../../billing/events/events.ts';
import { createdAt, isSandbox, jsonMap, momentOrNull } from '../../http/schemas.ts';
import type { EventFacts } from '../../store/collections.ts';
import { deliveredData, EVENT_SCHEMAS } from '../../webhooks/events.ts';

/** The envelope of every kind (reference, section 6: Delivery). */
interface EventView {
  readonly id: string;
  readonly event: z.output<typeof webhookEvent>;
  readonly createdAt: string;
  readonly isSandbox: boolean;
  readonly data: object;
  readonly sequence: number;
}

/** One event as it is delivered; each kind has its own `data`. */
export const eventSchema: z.ZodType<EventView> = z.union(EVENT_SCHEMAS.map(({ schema }) => schema));

/** The fields of every kind, in order. */
export const EVENT_FIELDS: readonly (keyof EventView)[] = ['id', 'event', 'createdAt', 'isSandbox', 'data', 'sequence'];

/** The fields of an envelope in the order in which they are signed and sent. */
export function eventView(doc: EventFacts): EventView & { readonly data: JsonObject } {
  return {
    id: doc._id,
    event: webhookEvent.parse(doc.event),
    createdAt: doc.createdAt.toISOString(),
    isSandbox: doc.mode === 'test',
    data: deliveredData(doc),
    sequence: doc.sequence,
  };
}

export const deliveryAttemptSchema = z.strictObject({
  attempt: z.int().min(1).describe('The number of the attempt; a redelivery continues to count.'),
  startedAt: moment.describe('When it began.'),
  durationMs: z.int().min(0).describe('The time until the answer, or until the attempt failed.'),
  status: z.int().nullable().describe('The HTTP status of the answer; `null` without one.'),
  error: z.string().nullable().describe('Why there was no answer; else `null`.'),
  body: z.string().nullable().describe("The first kilobyte of the answer's body, as text."),
});

export const deliverySchema = z.strictObject({
  id: z
    .string()
    .regex(/^dlv_[0-9a-z]{26}$/)
    .describe('The delivery.'),
  status: deliveryStatus.describe(
    '`queued`: waits for the first attempt of the event before it; `sending`: an attempt is under way; `retrying`: the next ' +
      'one has a time; `failed`: six have failed; `no_endpoint`: no URL was set.',
  ),
  nextAttemptAt: moment.nullable().describe('The time of the next attempt while `retrying`; else `null`.'),
  attempts: z.array(deliveryAttemptSchema).describe('The newest 30 ended attempts, oldest first.'),
  createdAt,
});

/** One event with its delivery. */
export const eventRecordSchema = z.strictObject({
  id: z
    .string()
    .regex(/^evt_[0-9a-z]{26}$/)
    .describe('The id of the event, equal in every delivery.'),
  event: webhookEvent.describe('The kind of the event.'),
  createdAt: moment.describe('When it happened.'),
  isSandbox,
  data: jsonMap.describe('The delivered data; its ids depend on the kind.'),
  sequence: z.int().min(1).describe('The number of the event among those of `resourceId`.'),
  resourceId: z
    .string()
    .describe('The subscription, one-off payment, customer or payout wallet whose events `sequence` counts.'),
  deliveries: z.array(deliverySchema).describe('The deliveries; empty only for a moment, during the first attempt.'),
});

export function eventRecordView({ event, deliveries }: EventRecord): z.output<typeof eventRecordSchema> {
  return { ...eventView(event), resourceId: event.resourceId, deliveries: deliveries.map(deliveryView) };
}

function deliveryView({ nextAttemptAt, attempts, ...delivery }: DeliveryRecord): z.output<typeof deliverySchema> {
  const moments = { nextAttemptAt: momentOrNull(nextAttemptAt), createdAt: delivery.createdAt.toISOString() };
  return { ...delivery, attempts: [...attempts], ...moments };
}
