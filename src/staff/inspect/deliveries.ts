import { deliveryContext } from '../../../machines/delivery/context.ts';
import { momentOrNull } from '../../http/schemas.ts';
import type { EventDoc } from '../../store/collections.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { Store } from '../../store/port.ts';
import { envelopeOf } from '../../webhooks/attempt.ts';
import { deliveryIdOf } from '../../webhooks/deliveries.ts';
import type { DeliveryView } from '../wire.ts';

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
