import type { DeliveryContext } from '../../machines/delivery/context.ts';
import type { Create } from '../engine/types.ts';
import type { EventDoc } from '../store/collections.ts';
import { siblingId } from '../store/ids.ts';

/** Who sends the events of this folder. */
export const BY_WEBHOOKS = 'webhooks';

/**
 * The delivery of a resource's event number `sequence`: its id follows from the two, so that it is made once, and the ones
 * before and after it are found without a search.
 */
export function deliveryIdOf(resourceId: string, sequence: number): string {
  return siblingId('dlv', resourceId, String(sequence));
}

/** Numbers are given by conditional writes, so this is a fault of ours. */
export function numberTaken({
  eventId,
  sequence,
  resourceId,
}: Pick<DeliveryContext, 'eventId' | 'sequence' | 'resourceId'>): Error {
  return new Error(`${eventId}: number ${sequence} of ${resourceId} belongs to another event`);
}

/** One merchant's environment has one endpoint at a time. */
export function queueOf({ merchantId, mode }: Pick<EventDoc, 'merchantId' | 'mode'>): string {
  return `${merchantId}:${mode}`;
}

/** An event's delivery as it is to be made. */
export function newbornOf(event: EventDoc, context: DeliveryContext): Create {
  const { _id: eventId, merchantId, mode, resourceId, sequence } = event;
  return {
    kind: 'delivery',
    id: context.id,
    merchantId,
    mode,
    attributes: { eventId, resourceId, sequence, event: event.event },
    context,
    by: BY_WEBHOOKS,
  };
}
