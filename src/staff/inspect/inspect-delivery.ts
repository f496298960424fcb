import { notFound } from '../../errors/fault.ts';
import type { HttpDeps } from '../../http/deps.ts';
import type { Inspection } from '../wire.ts';
import { deliveryAnswers } from './answers.ts';
import { asNewest, generalPart, requireActor } from './inspection.ts';
import { kindOfId } from './kinds.ts';
import { actorNotes, deliveryView } from './views.ts';

/** Throws 404. */
export async function inspectDelivery(deps: HttpDeps, id: string): Promise<Inspection> {
  const stored = await requireActor(deps, 'delivery', id);
  const { eventId, resourceId } = stored.attributes;
  const [event] = typeof eventId === 'string' ? await deps.store.records.get('events', [eventId]) : [];
  if (event === undefined) throw notFound();
  const general = await generalPart(deps, stored, []);
  const { doc, unsound } = asNewest(stored);
  const delivery = deliveryView(event, unsound === null ? doc : null);
  return {
    ...general,
    title: event.event,
    facts: [],
    answers: unsound === null ? deliveryAnswers(doc, delivery) : [],
    notes: actorNotes(stored, unsound),
    related: [
      { kind: kindOfId(String(resourceId)) ?? 'resource', id: String(resourceId), label: 'Its resource' },
      { kind: 'event', id: event._id, label: 'Its event' },
    ],
    payments: [],
    charges: [],
    deliveries: [delivery],
    deposits: [],
  };
}
