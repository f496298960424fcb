import { LIVE_STATUSES } from '../../model/subscription.ts';
import type { ActorDoc, Tenant } from '../../store/documents.ts';
import type { Store } from '../../store/port.ts';
import { type TenantQuery, type TenantWhere, tenantStore } from '../../store/tenant.ts';

/** How many are read and notified at once. */
const PAGE = 250;

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

/** All documents of `find` that match `where`, by id. */
export async function* pagesOf<T extends { readonly _id: string }>(
  find: (query: TenantQuery) => Promise<T[]>,
  where: TenantWhere,
): AsyncGenerator<T[]> {
  for (let last = ''; ; ) {
    const page = await find({
      where: { ...where, _id: { gt: last } },
      sort: [['_id', 1]],
      limit: PAGE,
    });
    if (page.length > 0) yield page;
    const end = page.at(-1);
    if (end === undefined || page.length < PAGE) return;
    last = end._id;
  }
}
