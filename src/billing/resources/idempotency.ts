import type { Collections } from '../../store/collections.ts';
import type { Tenant } from '../../store/documents.ts';
import type { Store } from '../../store/port.ts';
import { tenantStore } from '../../store/tenant.ts';

/**
 * The result of an idempotent create. `replayed`: the key was used before, `resource` is the earlier one, and nothing
 * new was created. `mismatch`: the earlier request had another body (docs/rules.md, "Payments": Keys).
 */
export interface Created<T> {
  readonly resource: T;
  readonly replayed: boolean;
  readonly mismatch: boolean;
}

export interface Keyed {
  readonly idempotencyKey: string | null;
  readonly requestHash: string;
}

/**
 * The resource that an earlier create with this key made, as last stored, even if deleted since; null if there was
 * none. Keys are unique per merchant, mode and endpoint, for ever (docs/rules.md, "Payments": Keys).
 */
export async function earlierOf<C extends 'offers' | 'customers' | 'coupons'>(
  store: Store,
  from: C,
  tenant: Tenant,
  { idempotencyKey, requestHash }: Keyed,
): Promise<Created<Collections[C]> | null> {
  if (idempotencyKey === null) return null;
  const [doc] = await tenantStore(store, tenant).find(from, { where: { idempotencyKey }, limit: 1 });
  if (doc === undefined) return null;
  return { resource: doc, replayed: true, mismatch: doc.requestHash !== requestHash };
}

export type KeyDoc = Collections['idempotencyKeys'];

/** The id of a subscription's key. Merchants do not share them. */
export function subscriptionKeyId({ merchantId, mode }: Tenant, key: string): string {
  return `subscription:${merchantId}:${mode}:${key}`;
}

/**
 * Stores a key before its actor is created, and returns the stored one. It names the actor, so a process that finds a
 * key without an actor (its creator died) creates exactly that one. A refused request stores no key.
 */
export async function claimKey({ records }: Store, key: KeyDoc): Promise<KeyDoc> {
  const [verdict] = await records.insert('idempotencyKeys', [key]);
  if (verdict?.inserted) return key;
  return (await storedKey(records, key._id)) ?? key;
}

/** null: nobody has used the key. */
export async function storedKey(records: Store['records'], id: string): Promise<KeyDoc | null> {
  const [known] = await records.get('idempotencyKeys', [id]);
  return known ?? null;
}
