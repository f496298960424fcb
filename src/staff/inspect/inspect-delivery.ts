import { notFound } from '../../errors/fault.ts';
import type { HttpDeps } from '../../http/deps.ts';
import type { EventDoc } from '../../store/collections.ts';
import { eventOfDelivery, unsoundnessOf } from '../../webhooks/deliveries.ts';
import type { Inspection } from '../wire.ts';
import { deliveryAnswers } from './answers.ts';
import { inspectedDelivery } from './inspected.ts';
import { machinePart } from './inspection.ts';
import { kindOfId } from './kinds.ts';
import { actorNotes, deliveryView } from './views.ts';

/** Throws 404. */
export async function requireDelivery({ store }: Pick<HttpDeps, 'store'>, id: string): Promise<EventDoc> {
  const [event] = await store.records.get('events', [eventOfDelivery(id)]);
  if (!event) throw notFound();
  return event;
}

/** Throws 404. */
export async function inspectDelivery(deps: HttpDeps, id: string): Promise<Inspection> {
  const event = await requireDelivery(deps, id);
  const unsound = unsoundnessOf(event);
  const delivery = deliveryView(event);
  return {
    ...(await machinePart(deps, inspectedDelivery(event), unsound, event)),
    spellings: [],
    journal: [],
    replay: null,
    title: event.event,
    facts: [],
    answers: unsound === null ? deliveryAnswers(delivery) : [],
    notes: actorNotes({ ...event, outbox: [], failures: 0 }, unsound),
    related: [
      { kind: kindOfId(event.resourceId) ?? 'resource', id: event.resourceId, label: 'Its resource' },
      { kind: 'event', id: event._id, label: 'Its event' },
    ],
    payments: [],
    charges: [],
    deliveries: [delivery],
    deposits: [],
  };
}
