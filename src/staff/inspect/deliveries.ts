import { z } from 'zod';
import { deliveryContext } from '../../../machines/delivery/context.ts';
import { moment } from '../../../machines/effects.ts';
import { momentOrNull } from '../../http/schemas.ts';
import type { EventDoc } from '../../store/collections.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { Store } from '../../store/port.ts';
import { deliveryIdOf } from '../../webhooks/deliveries.ts';
import { envelopeOf } from '../../webhooks/envelope.ts';

const attemptSchema = z.strictObject({
  attempt: z.int(),
  startedAt: z.string(),
  durationMs: z.int(),
  status: z.int().nullable(),
  error: z.string().nullable(),
  /** The first kilobyte of the answer. */
  body: z.string().nullable(),
});

/** One webhook event and its delivery. */
export const deliverySchema = z.strictObject({
  id: z.string(),
  eventId: z.string(),
  event: z.string(),
  sequence: z.int(),
  resourceId: z.string(),
  createdAt: moment,
  /** null: the delivery does not exist yet. */
  status: z.string().nullable(),
  nextAttemptAt: moment.nullable(),
  attempts: z.array(attemptSchema),
  /** The exact bytes that are signed and sent. */
  body: z.string(),
});
export type DeliveryView = z.output<typeof deliverySchema>;

/** The newest events of a resource with their deliveries, the newest first. */
export async function deliveriesOf(
  store: Store,
  resourceId: string,
  limit: number,
  isWanted: (event: EventDoc) => boolean = () => true,
): Promise<DeliveryView[]> {
  const found = await store.records.find('events', { where: { resourceId }, sort: [['sequence', -1]], limit });
  const events = found.filter(isWanted);
  const docs = await store.actors.load(
    'delivery',
    events.map((event) => deliveryIdOf(event.resourceId, event.sequence)),
  );
  const byId = new Map(docs.map((doc) => [doc._id, doc]));
  return events.map((event) => deliveryView(event, byId.get(deliveryIdOf(event.resourceId, event.sequence)) ?? null));
}

export function deliveryView(event: EventDoc, doc: ActorDoc | null): DeliveryView {
  return {
    id: deliveryIdOf(event.resourceId, event.sequence),
    eventId: event._id,
    event: event.event,
    sequence: event.sequence,
    resourceId: event.resourceId,
    createdAt: event.createdAt.toISOString(),
    status: doc?.status ?? null,
    nextAttemptAt: doc?.status === 'retrying' ? momentOrNull(doc.wakeAt) : null,
    attempts: doc === null ? [] : [...deliveryContext.parse(doc.context).attempts],
    body: envelopeOf(event).toString('utf8'),
  };
}
