import type { WebhookEvent } from '../../machines/effects.ts';
import type { JsonObject } from '../../machines/json.ts';
import { Fault, notFound } from '../fault.ts';
import { newId, partitionOf } from '../ids.ts';
import type { Collections } from '../store/collections.ts';
import type { Envelope, OutboxItem } from '../store/documents.ts';
import { UnknownOutcome } from '../store/errors.ts';
import type { InsertVerdict, Store } from '../store/port.ts';
import { type Tenant, tenantStore } from '../store/tenant.ts';

/** Resources without a machine: their events are effects of the same write all the same (architecture, rule 4). */
export type ResourceCollection = 'offers' | 'customers' | 'wallets';

export type ResourceDoc = Collections[ResourceCollection];

export interface ResourceDeps {
  readonly store: Store;
  readonly clock: () => Date;
  /** Hears of every write that left something in an outbox, so that it is carried out at once. */
  readonly onCommitted: (collection: ResourceCollection, doc: ResourceDoc) => void;
}

/** A webhook event that a change brings with it. */
export interface Emission {
  readonly event: WebhookEvent;
  readonly data: JsonObject;
}

/** What becomes of a document: fields with their new values, and the events that tell of it. */
export interface ResourceChange<D> {
  readonly set: Partial<Omit<D, keyof Envelope>>;
  readonly emit: readonly Emission[];
}

/**
 * How often a change is worked out again after another writer came first: with so many at once, each wins in the end.
 */
const ATTEMPTS_MAX = 100;
/** For so long an outbox is left to the process that filled it; then anybody drains it. */
const RELAY_GRACE_MS = 2_000;

/** The envelope of a new resource: revision 1, with the events that tell of its making. */
export function newEnvelope(id: string, tenant: Tenant, now: Date, emit: readonly Emission[]): Envelope {
  return {
    _id: id,
    merchantId: tenant.merchantId,
    mode: tenant.mode,
    rev: 1,
    recentOps: [newId('op', now)],
    eventSeq: emit.length,
    outbox: outboxItems({ id, rev: 1, eventSeq: 0 }, emit, now),
    relayAt: emit.length === 0 ? null : relayAt(now),
    relayFailures: 0,
    partition: partitionOf(id),
    createdAt: now,
    updatedAt: now,
  };
}

/** Stores a new resource, or names the unique index that has its key already. */
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
 * Changes one resource of a tenant by one conditional write; `decide` says what becomes of it, null for nothing, and is
 * asked again when another writer came first. Returns the document as it is afterwards. Throws 404 when the tenant has
 * none of this id, whatever `decide` throws, and `DuplicateKey`.
 */
export async function changeResource<C extends ResourceCollection>(
  deps: ResourceDeps,
  of: C,
  tenant: Tenant,
  id: string,
  decide: (doc: Collections[C]) => ResourceChange<Collections[C]> | null,
): Promise<Collections[C]> {
  const mine = tenantStore(deps.store, tenant);
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const doc = await mine.record(of, id);
    if (doc === null) throw notFound();
    const change = decide(doc);
    if (change === null) return doc;
    const changed = await commit(deps, of, doc, change);
    if (changed !== null) {
      committed(deps, of, changed);
      return changed;
    }
  }
  throw new Fault('internal', 'Internal error', {
    internal: `${of} ${id}: lost ${ATTEMPTS_MAX} times to other writers`,
  });
}

/** Null: another writer came first. */
async function commit<C extends ResourceCollection>(
  deps: ResourceDeps,
  of: C,
  doc: Collections[C],
  { set, emit }: ResourceChange<Collections[C]>,
): Promise<Collections[C] | null> {
  const now = deps.clock();
  const op = newId('op', now);
  const items = outboxItems({ id: doc._id, rev: doc.rev + 1, eventSeq: doc.eventSeq }, emit, now);
  const laden = items.length === 0 ? {} : { relayAt: relayAt(now) };
  const { merchantId, mode, rev } = doc;
  try {
    return await deps.store.records.change(
      of,
      doc._id,
      { merchantId, mode, rev },
      {
        set: { ...set, ...laden, rev: rev + 1, eventSeq: doc.eventSeq + items.length, updatedAt: now },
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
  emit: readonly Emission[],
  now: Date,
): OutboxItem[] {
  return emit.map(({ event, data }, index) => ({
    id: `${at.id}:${at.rev}:${index}`,
    rev: at.rev,
    index,
    at: now,
    sequence: at.eventSeq + index + 1,
    effect: { type: 'webhook.emit', event, data },
  }));
}

function relayAt(now: Date): Date {
  return new Date(now.getTime() + RELAY_GRACE_MS);
}
