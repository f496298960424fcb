import type { EffectOf, WebhookEvent } from '../../../machines/effects.ts';
import type { JsonObject } from '../../../machines/json.ts';
import { RELAY_GRACE_MS } from '../../engine/dispatcher.ts';
import type { Relayed } from '../../engine/relay.ts';
import { internalFault, notFound } from '../../errors/fault.ts';
import { oldestOf, pendingOf } from '../../store/actors/log-actors.ts';
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
  /** Called after every write with effects, so that they run at once. */
  readonly onCommitted: (collection: ResourceCollection, doc: Relayed, relayAt: Date) => void;
  /** Set in a process that only serves requests: it writes no resource itself. */
  readonly remote?: RemoteResources | undefined;
}

/** Has workers write resources. Answers as `insertResource` and `commitChange` do, after the effects have run. */
export interface RemoteResources {
  insert<C extends ResourceCollection>(into: C, doc: Collections[C], caused: Caused): Promise<InsertVerdict>;
  change<C extends ResourceCollection>(
    of: C,
    doc: Collections[C],
    change: ResourceChange<Collections[C]>,
  ): Promise<Collections[C] | null>;
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

/** What a change causes: webhook events, and further effects after them. */
export type Caused = Pick<ResourceChange<never>, 'emit' | 'effects'>;

/** The envelope of a new resource: revision 1, with the number of its webhook events. */
export function newEnvelope(id: string, tenant: Tenant, now: Date, caused: Caused): Envelope {
  const op = newId('op', now);
  return {
    _id: id,
    merchantId: tenant.merchantId,
    mode: tenant.mode,
    rev: 1,
    recentOps: [op],
    eventSeq: caused.emit.length,
    outboxId: effectsOf(caused).length > 0 ? op : null,
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
  caused: Caused,
): Promise<InsertVerdict> {
  if (deps.remote) return deps.remote.insert(into, doc, caused);
  const outbox = outboxItems({ _id: doc._id, rev: 0, eventSeq: 0 }, caused, doc.createdAt);
  await open(deps, into, doc, outbox);
  const verdict = await insertOnce(deps, into, doc);
  if (verdict.inserted) committed(deps, into, doc, outbox);
  else await close(deps, doc);
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
    const after = await (deps.remote?.change(of, doc, change) ?? commitChange(deps, of, doc, change));
    if (after !== null) return { before: doc, after };
  }
  throw internalFault(`${of} ${id}: not changed; other writers changed it first in all ${ATTEMPTS_MAX} attempts`);
}

/** A resource before and after its change; equal if nothing changed. */
export interface Changed<C extends ResourceCollection> {
  readonly before: Collections[C];
  readonly after: Collections[C];
}

type Decided<C extends ResourceCollection> = ResourceChange<Collections[C]> | null;

/** One conditional write of a change that is decided. null: another writer won. */
export async function commitChange<C extends ResourceCollection>(
  deps: ResourceDeps,
  of: C,
  doc: Collections[C],
  { set: values, emit, effects = [] }: ResourceChange<Collections[C]>,
): Promise<Collections[C] | null> {
  const now = deps.clock();
  const op = newId('op', now);
  const items = outboxItems(doc, { emit, effects }, now);
  const outbox = items.length === 0 ? [] : [...(await pending(deps, doc)), ...items];
  const envelope = {
    rev: doc.rev + 1,
    eventSeq: doc.eventSeq + emit.length,
    updatedAt: now,
    ...(items.length === 0 ? {} : { outboxId: op }),
  };
  if (items.length > 0) await open(deps, of, { ...doc, ...envelope }, outbox);
  const changed = await changeOnce(deps, of, doc, { op, set: { ...values, ...envelope } });
  if (changed !== null) committed(deps, of, changed, outbox);
  else if (items.length > 0) await close(deps, { outboxId: op });
  return changed;
}

/** null: another writer won. Throws if nobody can say whether this one did. */
async function changeOnce<C extends ResourceCollection>(
  { store }: ResourceDeps,
  of: C,
  { _id, merchantId, mode, rev }: Collections[C],
  { op, set }: { readonly op: string; readonly set: object },
): Promise<Collections[C] | null> {
  try {
    return await store.records.change(
      of,
      _id,
      { merchantId, mode, rev },
      { set: { ...set }, push: { recentOps: [op] } },
    );
  } catch (error) {
    if (!(error instanceof UnknownOutcome)) throw error;
    const [stored] = await store.records.get(of, [_id]);
    if (stored?.recentOps.includes(op)) return stored;
    if (stored?.rev === rev) throw error;
    return null;
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

function committed(
  deps: ResourceDeps,
  collection: ResourceCollection,
  { _id, merchantId, mode, outboxId, updatedAt }: ResourceDoc,
  outbox: readonly OutboxItem[],
): void {
  if (outbox.length === 0) return;
  deps.onCommitted(collection, { _id, merchantId, mode, outboxId, outbox, failures: 0 }, relayAt(updatedAt));
}

/** The time from which other processes may run the effects of a change. */
function relayAt(changedAt: Date): Date {
  return new Date(changedAt.getTime() + RELAY_GRACE_MS);
}

/** The effects of earlier changes that have not run. */
async function pending({ store }: ResourceDeps, { _id, outboxId }: ResourceDoc): Promise<readonly OutboxItem[]> {
  const [outbox] = outboxId === null ? [] : await store.records.get('outbox', [outboxId]);
  return pendingOf(_id, outbox).outbox;
}

/** The effects are stored before the change that decides them; they count only if that change is made. */
async function open(
  { store }: ResourceDeps,
  source: ResourceCollection,
  doc: Pick<ResourceDoc, '_id' | 'merchantId' | 'mode' | 'rev' | 'outboxId' | 'updatedAt'>,
  effects: readonly OutboxItem[],
): Promise<void> {
  const { _id: documentId, merchantId, mode, rev, outboxId, updatedAt: createdAt } = doc;
  if (outboxId === null || effects.length === 0) return;
  const at = relayAt(createdAt);
  const entries = [{ documentId, merchantId, mode, rev, effects }];
  const oldestAt = oldestOf(entries, createdAt);
  const about = { source, version: 0, entries, failures: {}, oldestAt, createdAt, at };
  await store.records.insert('outbox', [{ _id: outboxId, ...about }]);
}

async function close({ store }: ResourceDeps, { outboxId }: Pick<ResourceDoc, 'outboxId'>): Promise<void> {
  if (outboxId !== null) await store.records.remove('outbox', [outboxId]);
}

/** The effects of a change, webhook events first, with the numbers of the events. */
function outboxItems(
  { _id, rev, eventSeq }: Pick<ResourceDoc, '_id' | 'rev' | 'eventSeq'>,
  caused: Caused,
  at: Date,
): OutboxItem[] {
  return effectsOf(caused).map((effect, index) => {
    const sequence = effect.type === 'webhook.emit' ? eventSeq + index + 1 : null;
    return { id: `${_id}:${rev + 1}:${index}`, rev: rev + 1, index, at, sequence, effect };
  });
}

function effectsOf({ emit, effects = [] }: Caused): OutboxItem['effect'][] {
  return [...emit.map(({ event, data }) => ({ type: 'webhook.emit', event, data })), ...effects];
}

/** Throws 404 for a resource that has been deleted. */
export function present<D extends { readonly deletedAt: Date | null }>(doc: D): D {
  if (doc.deletedAt !== null) throw notFound();
  return doc;
}
