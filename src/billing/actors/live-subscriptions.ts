import { LIVE_STATUSES } from '../../model/subscription.ts';
import type { ActorDoc, Tenant } from '../../store/documents.ts';
import { pagesOf } from '../../store/pages.ts';
import type { Store } from '../../store/port.ts';
import { type TenantWhere, tenantStore } from '../../store/tenant.ts';

/** A live subscription of the tenant that matches `where`, or null. */
export async function findLive(store: Store, tenant: Tenant, where: TenantWhere): Promise<ActorDoc | null> {
  const query = { where: { ...where, status: { in: LIVE_STATUSES } }, limit: 1 };
  const [found] = await tenantStore(store, tenant).findActors('subscription', query);
  return found ?? null;
}

/**
 * Every live subscription of the tenant that matches `where`, in pages. May miss one that is created meanwhile, which
 * corrects itself after its creation (`latecomers.ts`).
 */
export function livePages(store: Store, tenant: Tenant, where: TenantWhere): AsyncGenerator<ActorDoc[]> {
  const mine = tenantStore(store, tenant);
  return pagesOf((query) => mine.findActors('subscription', query), { ...where, status: { in: LIVE_STATUSES } });
}
