import { notFound } from '../../errors/fault.ts';
import type { StoredActor, Tenant } from '../../store/documents.ts';
import type { Store } from '../../store/port.ts';
import { tenantStore } from '../../store/tenant.ts';

/** The tenant's subscription. Throws 404. */
export async function requireSubscription(
  { store }: { readonly store: Store },
  tenant: Tenant,
  id: string,
): Promise<StoredActor> {
  const doc = await tenantStore(store, tenant).actor('subscription', id);
  if (!doc) throw notFound();
  return doc;
}
