import type { AttemptRecord, DeliveryStatus } from '../../../machines/delivery/context.ts';
import { effect, type WebhookEvent, webhookEvent } from '../../../machines/effects.ts';
import { conflict, internalFault, invalid, notFound } from '../../errors/fault.ts';
import { type CreatedRange, createdIn, type ListPage, type Page, readPage } from '../../model/lists.ts';
import { compact } from '../../model/pick.ts';
import type { EventDoc, EventFacts } from '../../store/collections.ts';
import type { OutboxDoc, OutboxEntry, Tenant } from '../../store/documents.ts';
import type { Store, Where } from '../../store/port.ts';
import { tenantStore } from '../../store/tenant.ts';
import { deliveryIdOf, effectiveUrl } from '../../webhooks/deliveries.ts';
import { factsOf } from '../../webhooks/emit.ts';
import type { EventStore } from '../../webhooks/event-store.ts';
import type { EventWatch } from '../../webhooks/event-watch.ts';

export interface DeliveryRecord {
  readonly id: string;
  readonly status: DeliveryStatus;
  /** null: none is planned, or one is under way. */
  readonly nextAttemptAt: Date | null;
  readonly attempts: readonly AttemptRecord[];
  readonly createdAt: Date;
}

export interface EventRecord {
  readonly event: EventFacts;
  /** Empty for a moment, until the event is stored. */
  readonly deliveries: readonly DeliveryRecord[];
}

interface EventFilter extends Page {
  readonly event?: WebhookEvent | undefined;
  /** Absent: whatever its delivery has come to. */
  readonly delivery?: Extract<DeliveryStatus, 'retrying' | 'failed'> | undefined;
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
  readonly events: Pick<EventStore, 'take'>;
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
  const { event, delivery, created } = filter;
  // Few have not arrived, and an index has these alone.
  const kind = delivery === undefined ? ofKind(event) : compact({ status: delivery, event });
  return readPage(filter, {
    sort: NEWEST_EVENTS_FIRST,
    get: (id) => own.record('events', id),
    find: (query) => own.find('events', { where: { ...kind, ...createdIn(created) }, ...query }),
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
  const end = await endOfLog(store, tenant, clock());
  const lt = created?.lt !== undefined && created.lt < end ? created.lt : end;
  const where = { ...ofKind(event), ...createdIn({ ...created, lt }) };
  const from = last && { after: [last.createdAt, last.sequence, last._id] };
  const found = await own.find('events', { where, sort: OLDEST_EVENTS_FIRST, ...from, limit: limit + 1 });
  return { items: found.slice(0, limit), hasMore: found.length > limit };
}

/** All events of the tenant before this moment are stored. An outbox of several documents counts for all of them. */
async function endOfLog(store: EventsDeps['store'], tenant: Tenant, now: Date): Promise<Date> {
  const [open] = await withOpenEvents(store, tenant, 1, 1);
  return new Date(Math.min(now.getTime() - UNSEEN_MS, open?.oldestAt.getTime() ?? Number.POSITIVE_INFINITY));
}

/** The outboxes with events of the tenant that may not be stored yet, in this order of their oldest effects. */
function withOpenEvents(
  { records }: EventsDeps['store'],
  { merchantId, mode }: Tenant,
  order: 1 | -1,
  limit: number,
): Promise<OutboxDoc[]> {
  const own = { 'entries.merchantId': merchantId, 'entries.mode': mode, 'entries.effects.effect.type': 'webhook.emit' };
  const where = { oldestAt: { gt: new Date(0) }, ...own };
  return records.find('outbox', { where, sort: [['oldestAt', order]], ties: 'any', limit });
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

/**
 * Starts a new delivery of the event with six attempts, or, if it is being retried, makes the next attempt now. Throws
 * 404, and 409 if an attempt is under way or still to come, or if there is no URL.
 */
export async function redeliverEvent(
  { store, events }: Pick<EventsDeps, 'store' | 'events'>,
  tenant: Tenant,
  id: string,
): Promise<EventRecord> {
  const { deliveries } = await getEvent({ store }, tenant, id);
  const [merchant] = await store.records.get('merchants', [tenant.merchantId]);
  if (!merchant || effectiveUrl(merchant.webhook, tenant.mode) === null) {
    throw conflict('There is no webhook URL to deliver to; redeliver needs one to be set first');
  }
  const needs = 'retrying, delivered, failed or no_endpoint';
  if (deliveries.length === 0) throw conflict(`Delivery is about to be made; redeliver needs ${needs}`);
  const result = await events.take(id, { type: 'redelivery.requested' });
  if (result.kind === 'taken') return recordOf(result.doc);
  if (result.kind === 'refused') throw conflict(`Delivery is ${result.doc.status}; redeliver needs ${needs}`);
  throw internalFault(`${id} is ${result.kind}`);
}

/** The most outboxes in which an event is looked for that is not stored yet. */
const OPEN_MAX = 1_000;

/**
 * The event as stored. While its first attempt is under way it may be in its outbox only, and its receiver may ask for
 * it already. Throws 404.
 */
export async function getEvent({ store }: Pick<EventsDeps, 'store'>, tenant: Tenant, id: string): Promise<EventRecord> {
  const own = tenantStore(store, tenant);
  const stored = await own.record('events', id);
  if (stored) return recordOf(stored);
  const open = (await withOpenEvents(store, tenant, -1, OPEN_MAX)).flatMap(({ entries }) => entries);
  const event = open
    .filter(isOf(tenant))
    .flatMap(eventsIn)
    .find(({ _id }) => _id === id);
  if (event) return { event, deliveries: [] };
  // It may have been stored between the two reads.
  const now = await own.record('events', id);
  if (now === null) throw notFound();
  return recordOf(now);
}

function isOf({ merchantId, mode }: Tenant): (entry: OutboxEntry) => boolean {
  return (entry) => entry.merchantId === merchantId && entry.mode === mode;
}

function eventsIn({ documentId, merchantId, mode, effects }: OutboxEntry): EventFacts[] {
  return effects.flatMap(({ at, sequence, effect: stored }) => {
    const { success, data } = effect.safeParse(stored);
    if (!success || data.type !== 'webhook.emit') return [];
    return [factsOf({ at, sequence, source: { id: documentId, merchantId, mode }, effect: data })];
  });
}

function recordOf(event: EventDoc): EventRecord {
  const { _id, status, wakeAt, attempts, createdAt } = event;
  const nextAttemptAt = status === 'retrying' ? wakeAt : null;
  return { event, deliveries: [{ id: deliveryIdOf(_id), status, nextAttemptAt, attempts, createdAt }] };
}
