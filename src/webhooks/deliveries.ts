import type { DeliveryContext } from '../../machines/delivery/context.ts';
import type { Create } from '../engine/types.ts';
import type { EventDoc, WebhookSettings } from '../store/collections.ts';
import type { Mode } from '../store/documents.ts';
import { siblingId } from '../store/ids.ts';

/** The sender (`by`) of the events that this folder sends. */
export const BY_WEBHOOKS = 'webhooks';

/**
 * The id of the delivery of a resource's event number `sequence`. It follows from the two, so a delivery is made once,
 * and the deliveries before and after it are found without a search.
 */
export function deliveryIdOf(resourceId: string, sequence: number): string {
  return siblingId('dlv', resourceId, String(sequence));
}

/** Conditional writes assign the numbers, so two events with one number are a bug. */
export function numberTaken({
  eventId,
  sequence,
  resourceId,
}: Pick<DeliveryContext, 'eventId' | 'sequence' | 'resourceId'>): Error {
  return new Error(`${eventId}: number ${sequence} of ${resourceId} belongs to another event`);
}

/** The endpoint queue of a merchant's environment, which has one endpoint at a time. */
export function queueOf({ merchantId, mode }: Pick<EventDoc, 'merchantId' | 'mode'>): string {
  return `${merchantId}:${mode}`;
}

/** The command that creates an event's delivery. */
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

/**
 * The URL to which deliveries of a mode go now; null if there is none (reference, section 6: Delivery). Sandbox events
 * go to the live URL when there is no sandbox URL; live events never go to the sandbox URL.
 */
export function effectiveUrl(settings: WebhookSettings, mode: Mode): string | null {
  const own = mode === 'live' ? settings.liveUrl : settings.testUrl;
  return own || settings.liveUrl || null;
}
