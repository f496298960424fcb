import { z } from 'zod';
import { type AttemptRecord, deliveryContext } from '../../../machines/delivery/context.ts';
import { type WebhookEvent, webhookEvent } from '../../../machines/effects.ts';
import { MACHINES } from '../../../machines/versions.ts';
import type { Engine } from '../../engine/engine.ts';
import { newestState } from '../../engine/upcast.ts';
import { conflict, invalid, notFound } from '../../errors/fault.ts';
import { type CreatedRange, createdIn, type ListPage, type Page, readPage } from '../../model/lists.ts';
import type { EventDoc } from '../../store/collections.ts';
import { type ActorDoc, EVERY_PARTITION, type Tenant } from '../../store/documents.ts';
import type { Store, Where } from '../../store/port.ts';
import { type TenantStore, tenantStore } from '../../store/tenant.ts';
import { deliveryIdOf, effectiveUrl } from '../../webhooks/deliveries.ts';
import type { EventWatch } from '../../webhooks/event-watch.ts';
import { requireTaken } from '../actors/refusals.ts';

/** The state of an event's delivery, as in `machines/delivery.ts`. */
export const deliveryStatus = z.enum(['queued', 'sending', 'retrying', 'delivered', 'failed', 'no_endpoint']);

/** A delivery of an event, with its ended attempts. */
export interface DeliveryRecord {
  readonly id: string;
  readonly status: z.output<typeof deliveryStatus>;
  /** null: none is planned, or one is under way. */
  readonly nextAttemptAt: Date | null;
  readonly attempts: readonly AttemptRecord[];
  readonly createdAt: Date;
}

export interface EventRecord {
  readonly event: EventDoc;
  /** Empty for a moment, until the event's delivery is created. */
  readonly deliveries: readonly DeliveryRecord[];
}

interface EventFilter extends Page {
  readonly event?: WebhookEvent | undefined;
  readonly created?: CreatedRange | undefined;
  /** How long to wait for a further event, in milliseconds; 0: not at all. */
  readonly waitMs: number;
  /**
   * The newest events that the caller has, at most `COMPARED`. If one of the newest as many is not among them, there is
   * no wait. Absent: wait for the next event from now on.
   */
  readonly known?: readonly string[] | undefined;
}

/** `after`: the id of the event after which the page begins; absent: it begins with the oldest one. */
type OldestFirst = Pick<EventFilter, 'event' | 'created' | 'limit'> & { readonly after?: string | undefined };

export interface EventsDeps {
  readonly store: Pick<Store, 'actors' | 'records'>;
  readonly engine: Pick<Engine, 'dispatch'>;
  readonly watch: EventWatch;
  readonly clock: () => Date;
}

/** The events of one write have the same time, so `sequence` orders them. */
const NEWEST_EVENTS_FIRST = [
  ['createdAt', -1],
  ['sequence', -1],
  ['_id', -1],
] as const;

const OLDEST_EVENTS_FIRST = NEWEST_EVENTS_FIRST.map(([path]) => [path, 1] as const);

/**
 * Oldest first, the list ends this long before the present, milliseconds. An event has the moment at which its process
 * decided it; until the write is done, no other process can see it. A write is repeated for up to 10 s, and clocks may
 * differ.
 */
const UNSEEN_MS = 15_000;

/** Documents with a filled outbox, in the words of the two indexes that have all of them. */
const WITH_OUTBOX: Where = { partition: { in: EVERY_PARTITION }, relayAt: { gte: new Date(0) }, quarantine: null };
const IN_QUARANTINE: Where = { 'quarantine.at': { gte: new Date(0) } };

/** The number of newest events compared to find a new one. */
export const COMPARED = 20;

/** The ids of the newest events of a tenant, of one kind or (null) of all. An {@link EventWatch} polls them. */
export async function newestEvents(
  store: EventsDeps['store'],
  { merchantId, mode, event }: Tenant & { readonly event: string | null },
): Promise<readonly string[]> {
  const newest = { where: ofKind(event), sort: NEWEST_EVENTS_FIRST, limit: COMPARED };
  return (await tenantStore(store, { merchantId, mode }).find('events', newest)).map(({ _id }) => _id);
}

/**
 * The log of webhook events (docs/rules.md, "Webhooks"), newest first, those of one resource by `sequence`; as of the
 * end of the wait. Throws 400 for an unknown `startingAfter`.
 */
export async function listEvents(deps: EventsDeps, tenant: Tenant, filter: EventFilter): Promise<ListPage<EventDoc>> {
  if (filter.waitMs > 0) await waitForAnother(deps, tenant, filter);
  const own = tenantStore(deps.store, tenant);
  return readPage(filter, {
    sort: NEWEST_EVENTS_FIRST,
    get: (id) => own.record('events', id),
    find: (query) => own.find('events', { where: { ...ofKind(filter.event), ...createdIn(filter.created) }, ...query }),
  });
}

/**
 * The log oldest first. No event appears later before one that a page has shown: a page ends before the oldest event
 * that is not stored yet, and `UNSEEN_MS` before the present. Throws 400 for an unknown `after`.
 */
export async function listEventsInOrder(
  { store, clock }: Pick<EventsDeps, 'store' | 'clock'>,
  tenant: Tenant,
  { event, created, limit, after }: OldestFirst,
): Promise<ListPage<EventDoc>> {
  const own = tenantStore(store, tenant);
  const last = after === undefined ? undefined : await own.record('events', after);
  if (last === null) throw invalid('after must be the id of an event');
  // Before the page is read: otherwise an event that is stored in between is missing in both.
  const end = await endOfLog(own, clock());
  const lt = created?.lt !== undefined && created.lt < end ? created.lt : end;
  const where = { ...ofKind(event), ...createdIn({ ...created, lt }) };
  const from = last && { after: [last.createdAt, last.sequence, last._id] };
  const found = await own.find('events', { where, sort: OLDEST_EVENTS_FIRST, ...from, limit: limit + 1 });
  return { items: found.slice(0, limit), hasMore: found.length > limit };
}

/** All events before this moment are stored. */
async function endOfLog(own: TenantStore, now: Date): Promise<Date> {
  const oldest = (of: Where) => {
    return { where: { ...of, 'outbox.effect.type': 'webhook.emit' }, sort: [['outbox.at', 1]] as const, limit: 1 };
  };
  const open = await Promise.all([
    own.findActors('subscription', oldest(WITH_OUTBOX)),
    own.findActors('subscription', oldest(IN_QUARANTINE)),
    own.findActors('payment', oldest(WITH_OUTBOX)),
    own.findActors('payment', oldest(IN_QUARANTINE)),
    own.find('customers', oldest(WITH_OUTBOX)),
    own.find('wallets', oldest(WITH_OUTBOX)),
  ]);
  const moments = open.flat().flatMap(({ outbox }) => outbox.map(({ at }) => at.getTime()));
  return new Date(Math.min(now.getTime() - UNSEEN_MS, ...moments));
}

/**
 * Names all kinds if none is asked for, so that the database merges them from the index by kind and needs no index by
 * time alone.
 */
function ofKind(event: string | null | undefined): Where {
  return { event: event ?? { in: webhookEvent.options } };
}

/** Opens the listener before it reads the log, so that no event in between is missed. */
async function waitForAnother(
  { store, watch }: EventsDeps,
  { merchantId, mode }: Tenant,
  { event, waitMs, known }: EventFilter,
): Promise<void> {
  const list = { merchantId, mode, event: event ?? null };
  const listener = watch.open(list);
  try {
    const newest = await newestEvents(store, list);
    const hasAnother = known !== undefined && newest.slice(0, known.length).some((id) => !known.includes(id));
    if (!hasAnother) await listener.arrival(newest, waitMs);
  } finally {
    listener.close();
  }
}

/** Throws 404. */
export async function getEvent({ store }: Pick<EventsDeps, 'store'>, tenant: Tenant, id: string): Promise<EventRecord> {
  const own = tenantStore(store, tenant);
  const event = await requireEvent(own, id);
  const delivery = await own.actor('delivery', deliveryIdOf(event.resourceId, event.sequence));
  return recordOf(event, delivery);
}

/**
 * Starts a new delivery of the event with six attempts, or, if it is being retried, makes the next attempt now. Throws
 * 404, and 409 if an attempt is under way or still to come, or if there is no URL.
 */
export async function redeliverEvent(
  { store, engine }: Pick<EventsDeps, 'store' | 'engine'>,
  tenant: Tenant,
  id: string,
  by: string,
): Promise<EventRecord> {
  const event = await requireEvent(tenantStore(store, tenant), id);
  const [merchant] = await store.records.get('merchants', [tenant.merchantId]);
  if (!merchant || effectiveUrl(merchant.webhook, tenant.mode) === null) {
    throw conflict('There is no webhook URL to deliver to; redeliver needs one to be set first');
  }
  const result = await engine.dispatch({
    kind: 'delivery',
    id: deliveryIdOf(event.resourceId, event.sequence),
    event: { type: 'redelivery.requested' },
    by,
  });
  const needs = 'retrying, delivered, failed or no_endpoint';
  if (result.kind === 'missing') throw conflict(`Delivery is about to be made; redeliver needs ${needs}`);
  return recordOf(event, requireTaken(result, { name: 'redeliver', needs }));
}

async function requireEvent(own: TenantStore, id: string): Promise<EventDoc> {
  const event = await own.record('events', id);
  if (event === null) throw notFound();
  return event;
}

function recordOf(event: EventDoc, delivery: ActorDoc | null): EventRecord {
  const isIts = delivery !== null && delivery.attributes['eventId'] === event._id;
  return { event, deliveries: isIts ? [deliveryOf(delivery)] : [] };
}

function deliveryOf(doc: ActorDoc): DeliveryRecord {
  const status = deliveryStatus.parse(doc.status);
  return {
    id: doc._id,
    status,
    nextAttemptAt: status === 'retrying' ? doc.wakeAt : null,
    attempts: deliveryContext.parse(newestState(MACHINES, doc).context).attempts,
    createdAt: doc.createdAt,
  };
}
