import { unknownCase } from '../../../machines/unknown-case.ts';
import type { Plan } from '../../../stage/merchant.ts';

export const DAY_MS = 86_400_000;

/** The plans of the model; together they have every limit of the reference. */
const PLANS = {
  daily: { price: '10.00', every: 'day' },
  monthly: { price: '10.00', every: 'month', maxFailedCycles: 2 },
  'two weeks': { price: '10.00', every: 'week', maxCycles: 2 },
  'trial of three days': { price: '10.00', every: 'month', trialDays: 3 },
  'one failure': { price: '10.00', every: 'day', maxFailedCycles: 1 },
  'one month': { price: '10.00', every: 'month', maxCycles: 1, trialDays: 2 },
} satisfies { [name: string]: Plan };

export type PlanName = keyof typeof PLANS;

export const PLAN_NAMES: readonly PlanName[] = [
  'daily',
  'monthly',
  'two weeks',
  'trial of three days',
  'one failure',
  'one month',
];

export function planOf(name: PlanName): Plan {
  return PLANS[name];
}

/** The price of every plan, in whole tokens. */
export const PRICE = 10;

/** The start of period `index` of a plan, counted from the anchor; months have their own lengths. */
export function boundary(every: Plan['every'], anchor: number, index: number): number {
  switch (every) {
    case 'day':
      return anchor + index * DAY_MS;
    case 'week':
      return anchor + index * 7 * DAY_MS;
    case 'month':
      return monthsLater(anchor, index);
    case 'year':
      return monthsLater(anchor, 12 * index);
    case null:
      throw new Error('a plan of the model is charged more than once');
    default:
      return unknownCase(every, 'interval');
  }
}

/** The same day of the month, or its last; the same time of day. */
function monthsLater(anchor: number, months: number): number {
  const from = new Date(anchor);
  const lastDay = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months + 1, 0));
  const date = Math.min(from.getUTCDate(), lastDay.getUTCDate());
  return Date.UTC(lastDay.getUTCFullYear(), lastDay.getUTCMonth(), date) + (anchor % DAY_MS);
}
