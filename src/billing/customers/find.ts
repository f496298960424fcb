import { notFound } from '../../errors/fault.ts';
import type { CustomerDoc } from '../../store/collections.ts';
import type { Tenant } from '../../store/documents.ts';
import type { Store } from '../../store/port.ts';
import { tenantStore } from '../../store/tenant.ts';

/** The tenant's customer. Throws 404, also for one that has been deleted. */
export async function requireCustomer(store: Store, tenant: Tenant, id: string): Promise<CustomerDoc> {
  const customer = await tenantStore(store, tenant).record('customers', id);
  if (customer === null || customer.deletedAt !== null) throw notFound();
  return customer;
}
