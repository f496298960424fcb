import { addDays } from '../../../machines/rules/period.ts';
import { LIVE_STATUSES } from '../../model/subscription.ts';
import { daysFrom } from '../../model/time-zones.ts';
import type { Tenant } from '../../store/documents.ts';
import type { TenantWhere } from '../../store/tenant.ts';
import { keptTally } from './kept-tally.ts';
import { inTokens, type RevenueDeps, revenueOf } from './revenue.ts';
import { refundsOfMonth, type SettlementSum, sumSettlements } from './settlements.ts';

/** What happened in one week. */
interface WeekFigures {
  /** By token. */
  readonly sums: readonly SettlementSum[];
  readonly created: number;
  readonly ended: number;
  readonly failed: number;
}

/** The last week, the one before, and how it is now. */
export interface Weekly {
  readonly last: WeekFigures;
  readonly before: WeekFigures;
  readonly paused: number;
  /** Charges that wait for what the merchant can do. */
  readonly waiting: number;
  /** The charges that fall due in the present week, by token; `amount`: what they cost without discounts and use. */
  readonly renewals: readonly { readonly tokenKey: string; readonly count: number; readonly amount: string }[];
}

const WAITS = { in: ['no_payout_wallet', 'sold_out', 'undeliverable'] };

/** The week before this Monday. The database adds up: of payments only those with a refund are read. */
export async function weeklyOf(deps: RevenueDeps, tenant: Tenant, timeZone: string, monday: string): Promise<Weekly> {
  const week = (weeks: number) => daysFrom(timeZone, addDays(monday, 7 * weeks), 7);
  const tally = (where: TenantWhere) =>
    keptTally(deps, tenant, 'subscription', {
      ...{ where, by: ['context.terms.tokenKey', 'context.terms.model.kind'] },
      ...{ period: null, sum: 'context.terms.amount' },
    });
  const count = async (where: TenantWhere) => (await tally(where)).reduce((sum, each) => sum + each.count, 0);
  const status = { in: LIVE_STATUSES };
  const [last, before, paused, deferred, blocked, due] = await Promise.all([
    figuresOf(deps, tenant, week(-1)),
    figuresOf(deps, tenant, week(-2)),
    count({ status, 'context.pause.since': { not: null } }),
    count({ status, 'context.deferred.why': WAITS }),
    count({ status, 'context.open.blockedFor': WAITS }),
    tally({ status: 'active', 'context.cancelAt': null, 'context.currentPeriodEnd': week(0) }),
  ]);
  const renewals = due.map(({ by: [key, model], count, sum }) => {
    const tokenKey = String(key);
    return { tokenKey, count, amount: inTokens(deps.catalog, tokenKey, model === 'metered' ? 0n : sum) };
  });
  return { last, before, paused, waiting: deferred + blocked, renewals };
}

async function figuresOf(deps: RevenueDeps, tenant: Tenant, range: ReturnType<typeof daysFrom>): Promise<WeekFigures> {
  const created = { gte: new Date(range.gte), lt: new Date(range.lt) };
  const refunds = await refundsOfMonth(deps, tenant, range);
  const sums = await sumSettlements(deps, tenant, range, refunds);
  const { periods } = await revenueOf(deps, tenant, { created, unit: 'month', offerId: null });
  const count = (of: (period: (typeof periods)[number]) => number) => periods.reduce((sum, each) => sum + of(each), 0);
  return {
    sums,
    created: count(({ newSubscriptions }) => newSubscriptions),
    ended: count(({ endedSubscriptions }) => endedSubscriptions),
    failed: count(({ failed }) => failed.count),
  };
}
