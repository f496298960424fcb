import { addDays } from '../../../machines/rules/period.ts';
import { LIVE_STATUSES } from '../../model/subscription.ts';
import { daysFrom } from '../../model/time-zones.ts';
import type { Tenant } from '../../store/documents.ts';
import type { TenantWhere } from '../../store/tenant.ts';
import { keptTally } from './kept-tally.ts';
import { type RevenueDeps, revenueOf } from './revenue.ts';
import { refundsOfMonth, sumSettlements } from './settlements.ts';

/** Charges wait for what the merchant can do. */
const WAITS = { in: ['no_payout_wallet', 'sold_out', 'undeliverable'] };

export type Weekly = Awaited<ReturnType<typeof weeklyOf>>;

/**
 * The week before this Monday, the one before that, and how it is now; the charges that fall due in the present week,
 * with what they cost without discounts and use. The database adds up: of payments only those with a refund are read.
 */
export async function weeklyOf(deps: RevenueDeps, tenant: Tenant, timeZone: string, monday: string) {
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
  const renewals = due.map(({ by: [key, model], count, sum }) => ({
    ...{ tokenKey: String(key), count, units: model === 'metered' ? 0n : sum },
  }));
  return { last, before, paused, waiting: deferred + blocked, renewals };
}

async function figuresOf(deps: RevenueDeps, tenant: Tenant, range: ReturnType<typeof daysFrom>) {
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
