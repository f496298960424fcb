import type { EffectOf, WebhookEvent } from '../../../machines/effects.ts';
import type { JsonObject } from '../../../machines/json.ts';
import { RELAY_GRACE_MS } from '../../engine/dispatcher.ts';
import { internalFault, notFound } from '../../errors/fault.ts';
import type { Collections } from '../../store/collections.ts';
import type { Envelope, OutboxItem, Tenant } from '../../store/documents.ts';
import { UnknownOutcome } from '../../store/errors.ts';
import { newId, partitionOf } from '../../store/ids.ts';
import type { InsertVerdict, Store } from '../../store/port.ts';
import { tenantStore } from '../../store/tenant.ts';

/** Resources without a machine. Their events are effects of the same write too (docs/rules.md, rule 4). */
export type ResourceCollection = 'offers' | 'customers' | 'wallets';

type ResourceDoc = Collections[ResourceCollection];

export interface ResourceDeps {
  readonly store: Store;
  readonly clock: () => Date;
  /** Called after every write with effects in its outbox, so that they run at once. */
  readonly onCommitted: (collection: ResourceCollection, doc: ResourceDoc) => void;
}

/** A webhook event that a change emits. */
export interface Emission {
  readonly event: WebhookEvent;
  readonly data: JsonObject;
}

/** An effect of a resource's change on subscriptions, stored with the change so that no crash loses it. */
export type ResourceEffect = EffectOf<'subscriptions.cancel' | 'payer.link' | 'payout.registered'>;

/** A change of a document: new values, webhook events and further effects. */
export interface ResourceChange<D> {
  readonly set: Partial<Omit<D, keyof Envelope>>;
  readonly emit: readonly Emission[];
  /** Run after the events. */
  readonly effects?: readonly ResourceEffect[];
}

/** How often a change is tried while other writers win; with this many writers at once each succeeds in the end. */
const ATTEMPTS_MAX = 100;

/** The envelope of a new resource: revision 1, with its webhook events and further effects. */
export function newEnvelope(
  id: string,
  tenant: Tenant,
  now: Date,
  emit: readonly Emission[],
  effects: readonly ResourceEffect[] = [],
): Envelope {
  return {
    _id: id,
    merchantId: tenant.merchantId,
    mode: tenant.mode,
    rev: 1,
    recentOps: [newId('op', now)],
    eventSeq: emit.length,
    outbox: outboxItems({ id, rev: 1, eventSeq: 0 }, { emit, effects }, now),
    relayAt: emit.length + effects.length === 0 ? null : relayAt(now),
    relayFailures: 0,
    partition: partitionOf(id),
    createdAt: now,
    updatedAt: now,
  };
}

/** Stores a new resource, or returns the unique index that has its key already. */
export async function insertResource<C extends ResourceCollection>(
  deps: ResourceDeps,
  into: C,
  doc: Collections[C],
): Promise<InsertVerdict> {
  const verdict = await insertOnce(deps, into, doc);
  if (verdict.inserted) committed(deps, into, doc);
  return verdict;
}

/**
 * Changes a resource of a tenant by one conditional write. `decide` returns the change, or null for none. It is called
 * again when another writer wins, and its own reads come after the read of the document. Throws 404 if the tenant has
 * no such resource, the errors of `decide`, and `DuplicateKey`.
 */
export async function changeResource<C extends ResourceCollection>(
  deps: ResourceDeps,
  of: C,
  tenant: Tenant,
  id: string,
  decide: (doc: Collections[C]) => Decided<C> | Promise<Decided<C>>,
): Promise<Changed<C>> {
  const mine = tenantStore(deps.store, tenant);
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const doc = await mine.record(of, id);
    if (doc === null) throw notFound();
    const change = await decide(doc);
    if (change === null) return { before: doc, after: doc };
    const changed = await commit(deps, of, doc, change);
    if (changed !== null) {
      committed(deps, of, changed);
      return { before: doc, after: changed };
    }
  }
  throw internalFault(`${of} ${id}: not changed; other writers changed it first in all ${ATTEMPTS_MAX} attempts`);
}

/** A resource before and after its change; equal if nothing changed. */
export interface Changed<C extends ResourceCollection> {
  readonly before: Collections[C];
  readonly after: Collections[C];
}

type Decided<C extends ResourceCollection> = ResourceChange<Collections[C]> | null;

/** null: another writer won. */
async function commit<C extends ResourceCollection>(
  deps: ResourceDeps,
  of: C,
  doc: Collections[C],
  { set, emit, effects = [] }: ResourceChange<Collections[C]>,
): Promise<Collections[C] | null> {
  const now = deps.clock();
  const op = newId('op', now);
  const items = outboxItems({ id: doc._id, rev: doc.rev + 1, eventSeq: doc.eventSeq }, { emit, effects }, now);
  const relay = items.length === 0 ? {} : { relayAt: relayAt(now) };
  const { merchantId, mode, rev } = doc;
  try {
    return await deps.store.records.change(
      of,
      doc._id,
      { merchantId, mode, rev },
      {
        set: { ...set, ...relay, rev: rev + 1, eventSeq: doc.eventSeq + emit.length, updatedAt: now },
        push: { recentOps: [op], ...(items.length === 0 ? {} : { outbox: items }) },
      },
    );
  } catch (error) {
    if (!(error instanceof UnknownOutcome)) throw error;
    const [stored] = await deps.store.records.get(of, [doc._id]);
    return stored?.recentOps.includes(op) ? stored : null;
  }
}

async function insertOnce<C extends ResourceCollection>(
  { store }: ResourceDeps,
  into: C,
  doc: Collections[C],
): Promise<InsertVerdict> {
  try {
    const [verdict] = await store.records.insert(into, [doc]);
    if (verdict === undefined) throw new Error(`${into} ${doc._id}: the store gave no verdict`);
    return verdict;
  } catch (error) {
    if (!(error instanceof UnknownOutcome)) throw error;
    const [stored] = await store.records.get(into, [doc._id]);
    if (stored === undefined) throw error;
    return { inserted: true };
  }
}

function committed(deps: ResourceDeps, collection: ResourceCollection, doc: ResourceDoc): void {
  if (doc.outbox.length > 0) deps.onCommitted(collection, doc);
}

function outboxItems(
  at: { readonly id: string; readonly rev: number; readonly eventSeq: number },
  { emit, effects = [] }: Pick<ResourceChange<never>, 'emit' | 'effects'>,
  now: Date,
): OutboxItem[] {
  const item = (effect: OutboxItem['effect'], index: number, sequence: number | null): OutboxItem => {
    return { id: `${at.id}:${at.rev}:${index}`, rev: at.rev, index, at: now, sequence, effect };
  };
  return [
    ...emit.map(({ event, data }, index) =>
      item({ type: 'webhook.emit', event, data }, index, at.eventSeq + index + 1),
    ),
    ...effects.map((effect, index) => item(effect, emit.length + index, null)),
  ];
}

function relayAt(now: Date): Date {
  return new Date(now.getTime() + RELAY_GRACE_MS);
}

/** Throws 404 for a resource that has been deleted. */
export function present<D extends { readonly deletedAt: Date | null }>(doc: D): D {
  if (doc.deletedAt !== null) throw notFound();
  return doc;
}
