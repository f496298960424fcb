import { z } from 'zod';
import { terms } from '../../../machines/subscription/context.ts';
import type { Tenant } from '../../store/documents.ts';
import type { Tally } from '../../store/port.ts';
import { keptTally } from './kept-tally.ts';
import { monthlyUnits } from './monthly.ts';
import { monthAfter } from './months.ts';
import { inTokens, ofOffer, type RevenueDeps } from './revenue.ts';

/** The month of the answer, and those before it. */
const COHORTS = 12;

/** Some subscriptions of a cohort, and what they make in a month, in token units. */
interface CohortPart {
  readonly subscriptions: number;
  readonly monthlyAmount: string;
}

/** The subscriptions in one token that began in one month. */
export interface Cohort {
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
