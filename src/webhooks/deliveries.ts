import { z } from 'zod';
import { type DeliveryState, deliveryContext, deliveryStatus } from '../../machines/delivery/context.ts';
import type { DeliveryEvent } from '../../machines/delivery/events.ts';
import { DELIVERY } from '../../machines/delivery.ts';
import type { Untimed } from '../../machines/versions.ts';
import { type StoredState, step } from '../engine/step.ts';
import { messageOf } from '../errors/message-of.ts';
import type { EventDoc, EventFacts, WebhookSettings } from '../store/collections.ts';
import type { Mode, Tenant } from '../store/documents.ts';
import { partitionOf, siblingId, suffixOf } from '../store/ids.ts';

/** A message to a delivery: an event of its machine, before its time is added. */
export type DeliveryMessage = Untimed<DeliveryEvent>;

/** An event's id follows from resource and number: it is stored once, and its neighbours need no search. */
export function eventIdOf(resourceId: string, sequence: number): string {
  return siblingId('evt', resourceId, String(sequence));
}

/** The id of an event's delivery, which is in the same document. */
export function deliveryIdOf(eventId: string): string {
  return `dlv_${suffixOf(eventId)}`;
}

export function eventOfDelivery(deliveryId: string): string {
  return `evt_${suffixOf(deliveryId)}`;
}

/** The endpoint queue of a merchant's environment, which has one endpoint at a time. */
export function queueOf({ merchantId, mode }: Tenant): string {
  return `${merchantId}:${mode}`;
}

/**
 * The URL to which deliveries of a mode go now; null if there is none (reference, section 6: Delivery). Sandbox events
 * go to the live URL when there is no sandbox URL; live events never go to the sandbox URL.
 */
export function effectiveUrl(settings: WebhookSettings, mode: Mode): string | null {
  const own = mode === 'live' ? settings.liveUrl : settings.testUrl;
  return own || settings.liveUrl || null;
}

/** An event as it is stored first. */
export function newEvent(facts: EventFacts, delivery: DeliveryState, now: Date): EventDoc {
  const { _id } = facts;
  return { ...facts, ...stored(delivery), rev: 1, partition: partitionOf(_id), quarantine: null, updatedAt: now };
}

export function machineStateOf({ status, attempt, madeBefore, attempts, looks, wakeAt }: EventDoc): StoredState {
  const before = madeBefore === undefined ? {} : { madeBefore };
  return { value: status, context: { attempt, ...before, attempts, looks, wakeAt: wakeAt?.toISOString() ?? null } };
}

/** The document after the message, at its revision; null: refused. Pure. Throws if the delivery is not sound. */
export function decide(doc: EventDoc, message: DeliveryMessage, now: Date): EventDoc | null {
  const stepped = step(DELIVERY, machineStateOf(doc), { ...message, now: now.toISOString() }, null, false);
  if (stepped.taken !== true) return null;
  const { value, context } = stepped.state;
  const delivery = { status: deliveryStatus.parse(value), ...deliveryContext.parse(context) };
  return { ...doc, ...stored(delivery), updatedAt: now };
}

/** Without them, the order of the resource's first attempts cannot be told. */
const numbered = z.object({ resourceId: z.string(), sequence: z.int().positive() });

/** Why the delivery cannot be changed; null: it is sound. */
export function unsoundnessOf(doc: EventDoc): string | null {
  try {
    numbered.parse(doc);
    deliveryStatus.parse(doc.status);
    deliveryContext.parse(machineStateOf(doc).context);
    return null;
  } catch (error) {
    return `cannot be read: ${messageOf(error)}`;
  }
}

function stored({ wakeAt, ...delivery }: DeliveryState): Omit<DeliveryState, 'wakeAt'> & Pick<EventDoc, 'wakeAt'> {
  return { ...delivery, wakeAt: wakeAt === null ? null : new Date(wakeAt) };
}
