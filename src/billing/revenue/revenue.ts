import { z } from 'zod';
import { terms } from '../../../machines/subscription/context.ts';
import type { Catalog } from '../../chains/catalog.ts';
import { formatAmount } from '../../model/amounts.ts';
import { type CreatedRange, createdIn } from '../../model/lists.ts';
import type { Tenant } from '../../store/documents.ts';
import type { Tally } from '../../store/port.ts';
import type { TenantWhere } from '../../store/tenant.ts';
import type { BillingDeps } from '../deps.ts';
import { keptTally } from './kept-tally.ts';
import { monthAfter, monthlyUnits } from './monthly.ts';
import { offerNames } from './names.ts';

export interface RevenueQuery {
  readonly created: CreatedRange;
  readonly unit: 'day' | 'month';
  /** null: all offers, and direct charges. */
  readonly offerId: string | null;
}

/** What belongs together in every figure. */
interface RevenueGroup {
  /** null: direct charges. */
  readonly offerId: string | null;
  readonly tokenKey: string;
}

/** What the live subscriptions of a group make now. */
interface RecurringRevenue extends RevenueGroup {
  readonly subscriptions: number;
  /** Token units of a month. */
  readonly monthlyAmount: string;
}

interface Total {
  readonly count: number;
  /** Token units. */
  readonly amount: string;
}

/** What happened to a group in one period. */
interface PeriodRevenue extends RevenueGroup {
  readonly start: Date;
  readonly settled: Total;
  /** The part of `settled` that needed more than one attempt. */
  readonly recovered: Total;
  readonly failed: Total;
  /** The part of `settled` that the merchant has given back. */
  readonly refunded: Total;
  readonly newSubscriptions: number;
  readonly endedSubscriptions: number;
}

export interface Revenue {
  /** The offers of all figures, also deleted ones. */
  readonly offers: readonly { readonly id: string; readonly name: string }[];
  readonly recurring: readonly RecurringRevenue[];
  /** Only periods in which something happened, the oldest first. */
  readonly periods: readonly PeriodRevenue[];
}

export type RevenueDeps = Pick<BillingDeps, 'store' | 'catalog' | 'clock'>;

/**
 * The revenue of a merchant in one environment (docs/rules.md, "Revenue"), added up by the database. Throws 400 if
 * there are more than 10,000 groups.
 */
export async function revenueOf(deps: RevenueDeps, tenant: Tenant, query: RevenueQuery): Promise<Revenue> {
  const [recurring, ...figures] = await Promise.all([
    recurringRevenue(deps, tenant, query),
    payments(deps, tenant, query, { status: 'settled' }),
    payments(deps, tenant, query, { status: 'settled', 'context.attempt': { gt: 1 } }),
    payments(deps, tenant, query, { status: 'failed' }),
    payments(deps, tenant, query, { status: 'settled', 'context.refunded': { gt: '0' } }, 'context.refunded'),
    subscriptions(deps, tenant, query, 'createdAt', createdIn(query.created)),
    subscriptions(deps, tenant, query, 'context.ended.at', { status: 'canceled', ...endedIn(query.created) }),
  ]);
  const periods = periodsOf(deps.catalog, figures);
  const names = await offerNames(
    deps.store,
    tenant,
    [...recurring, ...periods].map(({ offerId }) => offerId),
  );
  return { offers: [...names].map(([id, name]) => ({ id, name })), recurring, periods };
}

async function recurringRevenue(
  deps: RevenueDeps,
  tenant: Tenant,
  { offerId }: RevenueQuery,
): Promise<RecurringRevenue[]> {
  const found = await keptTally(deps, tenant, 'subscription', {
    where: { status: { in: ['active', 'past_due'] }, ...ofOffer(offerId) },
    by: [
      'attributes.offerId',
      'context.terms.tokenKey',
      'context.terms.interval.unit',
      'context.terms.interval.count',
      'context.terms.model.kind',
    ],
    period: null,
    sum: 'context.terms.amount',
  });
  const groups = new Map<string, RevenueGroup & { readonly subscriptions: number; readonly units: bigint }>();
  for (const { by, count, sum } of found) {
    const group = groupOf(by);
    const interval = terms.shape.interval.parse({ unit: by[2], count: by[3] });
    const before = groups.get(keyOf(group)) ?? { ...group, subscriptions: 0, units: 0n };
    const units = before.units + monthlyUnits(sum, interval, by[4]);
    groups.set(keyOf(group), { ...group, subscriptions: before.subscriptions + count, units });
  }
  return [...groups.values()].map(({ units, ...group }) => ({
    ...group,
    monthlyAmount: inTokens(deps.catalog, group.tokenKey, units),
  }));
}

function payments(
  deps: RevenueDeps,
  tenant: Tenant,
  query: RevenueQuery,
  where: TenantWhere,
  sum = 'context.amount',
): Promise<readonly Tally[]> {
  return keptTally(deps, tenant, 'payment', {
    where: { ...where, ...createdIn(query.created), ...ofOffer(query.offerId) },
    by: ['attributes.offerId', 'attributes.tokenKey'],
    period: { of: 'createdAt', unit: query.unit },
    sum,
  });
}

/** Those that had a trial or a paid period; others were never subscriptions to a payer. */
function subscriptions(
  deps: RevenueDeps,
  tenant: Tenant,
  { unit, offerId }: RevenueQuery,
  of: string,
  where: TenantWhere,
): Promise<readonly Tally[]> {
  return keptTally(deps, tenant, 'subscription', {
    where: { ...where, 'context.currentPeriodEnd': { not: null }, ...ofOffer(offerId) },
    by: ['attributes.offerId', 'context.terms.tokenKey'],
    period: { of, unit },
    sum: null,
  });
}

/** The condition on documents of one offer; null: of all, and of none. */
function ofOffer(offerId: string | null): TenantWhere {
  return offerId === null ? {} : { 'attributes.offerId': offerId };
}

/** The machine keeps its moments as text, in one form, so that their order is that of time. */
function endedIn(created: CreatedRange): TenantWhere {
  const bounds = Object.entries(created).map(([bound, date]) => [bound, date.toISOString()]);
  return { 'context.ended.at': bounds.length === 0 ? { not: null } : Object.fromEntries(bounds) };
}

/** Puts the figures, in the order of `revenueOf`, side by side. */
function periodsOf(
  catalog: Catalog,
  [settled, recovered, failed, refunded, begun, ended]: readonly (readonly Tally[])[],
): PeriodRevenue[] {
  const periods = new Map<string, PeriodRevenue>();
  const add = (tallies: readonly Tally[] | undefined, figureOf: (total: Total) => Partial<PeriodRevenue>) => {
    for (const { start, by, count, sum } of tallies ?? []) {
      if (start === null) continue;
      const group = groupOf(by);
      const key = `${start.getTime()} ${keyOf(group)}`;
      const total = (of: number, units: bigint) => ({ count: of, amount: inTokens(catalog, group.tokenKey, units) });
      const none = total(0, 0n);
      const empty = { settled: none, recovered: none, failed: none, refunded: none };
      const fresh = { start, ...group, ...empty, newSubscriptions: 0, endedSubscriptions: 0 };
      periods.set(key, { ...(periods.get(key) ?? fresh), ...figureOf(total(count, sum)) });
    }
  };
  add(settled, (total) => ({ settled: total }));
  add(recovered, (total) => ({ recovered: total }));
  add(refunded, (total) => ({ refunded: total }));
  add(failed, (total) => ({ failed: total }));
  add(begun, ({ count }) => ({ newSubscriptions: count }));
  add(ended, ({ count }) => ({ endedSubscriptions: count }));
  return [...periods.values()].sort(
    (one, other) => one.start.getTime() - other.start.getTime() || keyOf(one).localeCompare(keyOf(other)),
  );
}

const groupValues = z.tuple([z.string().nullable(), z.string()]);

function groupOf(by: Tally['by']): RevenueGroup {
  const [offerId, tokenKey] = groupValues.parse(by.slice(0, 2));
  return { offerId, tokenKey };
}

function keyOf({ offerId, tokenKey }: RevenueGroup): string {
  return `${offerId ?? ''} ${tokenKey}`;
}

/** Base units of a token as token units. Throws if it is not in the catalog. */
export function inTokens(catalog: Catalog, tokenKey: string, units: bigint): string {
  const token = catalog.tokenByKey(tokenKey);
  if (token === undefined) throw new Error(`revenue is in the unknown token ${tokenKey}`);
  return formatAmount(units, token.decimals);
}

/** The month of the answer, and those before it. */
const COHORTS = 12;

/** Some subscriptions of a cohort, and what they make in a month, in token units. */
interface CohortPart {
  readonly subscriptions: number;
  readonly monthlyAmount: string;
}

/** The subscriptions in one token that began in one month. */
interface Cohort {
  readonly start: Date;
  readonly tokenKey: string;
  readonly started: CohortPart;
  /** Those that had not ended by the end of each month from `start` on; last the present month, as of now. */
  readonly active: readonly CohortPart[];
}

/**
 * The subscriptions that began in each of the last twelve months, and how many were left at the end of each month since
 * (docs/rules.md, "Revenue"). The database reads each subscription once.
 */
export async function cohortsOf(
  deps: RevenueDeps,
  tenant: Tenant,
  { now, offerId }: { readonly now: Date; readonly offerId: string | null },
): Promise<Cohort[]> {
  const starts = Array.from({ length: COHORTS }, (_, back) => monthAfter(now, back - COHORTS + 1));
  const cohorts = starts.map(async (start, at) => {
    const tallies = await keptTally(deps, tenant, 'subscription', {
      where: {
        createdAt: { gte: start, lt: monthAfter(start, 1) },
        'context.currentPeriodEnd': { not: null },
        ...ofOffer(offerId),
      },
      by: [
        'context.terms.tokenKey',
        'context.terms.interval.unit',
        'context.terms.interval.count',
        'context.terms.model.kind',
      ],
      period: { of: 'context.ended.at', unit: 'month' },
      sum: 'context.terms.amount',
    });
    return cohortsIn(deps, start, COHORTS - at, tallies);
  });
  return (await Promise.all(cohorts)).flat();
}

/** Subscriptions with the same token, the same interval and the same month in which they ended. */
interface Ended {
  readonly tokenKey: string;
  readonly count: number;
  readonly units: bigint;
  /** The start of the month; null: it goes on. */
  readonly end: Date | null;
}

function cohortsIn({ catalog }: RevenueDeps, start: Date, months: number, tallies: readonly Tally[]): Cohort[] {
  const all = tallies.map(endedOf);
  const tokens = [...new Set(all.map(({ tokenKey }) => tokenKey))].sort();
  return tokens.map((tokenKey) => {
    const own = all.filter((each) => each.tokenKey === tokenKey);
    const partOf = (some: readonly Ended[]): CohortPart => ({
      subscriptions: some.reduce((sum, { count }) => sum + count, 0),
      monthlyAmount: inTokens(
        catalog,
        tokenKey,
        some.reduce((sum, { units }) => sum + units, 0n),
      ),
    });
    const active = Array.from({ length: months }, (_, after) => {
      const next = monthAfter(start, after + 1);
      return partOf(own.filter(({ end }) => end === null || end >= next));
    });
    return { start, tokenKey, started: partOf(own), active };
  });
}

const by = z.tuple([z.string(), z.unknown(), z.unknown(), z.unknown()]);

function endedOf(tally: Tally): Ended {
  const [tokenKey, unit, count, model] = by.parse(tally.by);
  const interval = terms.shape.interval.parse({ unit, count });
  return { tokenKey, count: tally.count, units: monthlyUnits(tally.sum, interval, model), end: tally.start };
}
