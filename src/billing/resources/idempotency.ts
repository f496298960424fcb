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
export async function earlierOf<C extends 'offers' | 'customers'>(
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
