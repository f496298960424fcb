import type { Catalog } from '../../chains/catalog.ts';
import { formatAmount } from '../../model/amounts.ts';
import { COUNTED_MAX } from '../../model/lists.ts';
import type { Tenant } from '../../store/documents.ts';
import type { Store } from '../../store/port.ts';
import { type TenantWhere, tenantStore } from '../../store/tenant.ts';

/** What a filter of a list finds. */
export interface Totals {
  readonly count: number;
  /** More match than were counted. */
  readonly hasMore: boolean;
}

/** The payments of one token that have ended in this way. */
export interface Sum {
  readonly tokenKey: string;
  readonly status: 'settled' | 'failed';
  readonly count: number;
  /** Token units. */
  readonly amount: string;
}

/** Counts by `count`, which stops at its argument. */
export async function countedTotals(count: (atMost: number) => Promise<number>): Promise<Totals> {
  const counted = await count(COUNTED_MAX + 1);
  return { count: Math.min(counted, COUNTED_MAX), hasMore: counted > COUNTED_MAX };
}

const SUMMED = ['settled', 'failed'] as const;

/** The most groups: two for each token of the catalog. */
const GROUPS_MAX = 1_000;

/** The sums of settled and of failed payments among those that match, by token. Call it only for few payments. */
export async function sumsOf(
  { store, catalog }: { readonly store: Store; readonly catalog: Catalog },
  tenant: Tenant,
  where: TenantWhere,
): Promise<Sum[]> {
  const statuses = SUMMED.filter((status) => where['status'] === undefined || where['status'] === status);
  const sums = statuses.map(async (status) => {
    const found = await tenantStore(store, tenant).tallyActors('payment', {
      where: { ...where, status },
      by: ['attributes.tokenKey'],
      period: null,
      sum: 'context.amount',
      limit: GROUPS_MAX,
    });
    return found.map(({ by, count, sum }) => {
      const tokenKey = String(by[0]);
      return { tokenKey, status, count, amount: formatAmount(sum, catalog.tokenByKey(tokenKey)?.decimals ?? 0) };
    });
  });
  return (await Promise.all(sums)).flat();
}
