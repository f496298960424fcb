import { limitExceeded } from '../../errors/fault.ts';
import type { Budget, MerchantDoc } from '../../store/collections.ts';
import type { Mode } from '../../store/documents.ts';
import { afterSkew, dayOf } from '../../store/windows.ts';
import type { BillingDeps } from '../deps.ts';

/**
 * What a merchant may let the service spend gas, watches and events on, a day (UTC) and mode, before its `limitFactor`
 * (docs/rules.md, "Limits"). `too` is what a caller reads above it.
 */
const BUDGETS: { readonly [B in Budget]: { readonly most: number; readonly too: string } } = {
  signUpsPerDay: { most: 300, too: 'too many sign-ups from this network today. Try again tomorrow' },
  newWalletsPerDay: {
    most: 2_000,
    too: 'too many payments today from or to wallets that you have never used. Try again tomorrow, or ask the service for more',
  },
  announcementsPerDay: {
    most: 20,
    too: 'too many announcements of payout wallets today. Nothing has changed. Try again tomorrow, or ask the service for more',
  },
};

export type BudgetHolder = Pick<MerchantDoc, '_id' | 'limitFactor' | Budget>;
type BudgetDeps = Pick<BillingDeps, 'clock'> & { readonly store: Pick<BillingDeps['store'], 'counters'> };

interface Spending {
  readonly mode: Mode;
  readonly budget: Budget;
  /** How much of it; absent: one. */
  readonly count?: number;
  /** Whose share of it, such as a network's; absent: the merchant has one for all. */
  readonly of?: string;
  /** How many such shares this one has; absent: 1. */
  readonly times?: number;
}

interface DayLimit {
  readonly subject: string;
  readonly perDay: number;
  readonly too: string;
}

/** The merchant's budgets of a day: what staff have set, or the defaults. */
export function budgetsOf(merchant: Omit<BudgetHolder, '_id'>): { readonly [B in Budget]: number } {
  const most = (budget: Budget) => merchant[budget] ?? BUDGETS[budget].most * merchant.limitFactor;
  return {
    signUpsPerDay: most('signUpsPerDay'),
    newWalletsPerDay: most('newWalletsPerDay'),
    announcementsPerDay: most('announcementsPerDay'),
  };
}

/** Takes this from the merchant's budget of today. Throws 429 with the scope `day` if it is not left. */
export function spend(deps: BudgetDeps, merchant: BudgetHolder, spending: Spending): Promise<void> {
  return spendOfDay(deps, limitOf(merchant, spending), spending.count);
}

/** As `spend`, for what nobody waits for: false if it is not left. */
export function isWithinBudget(deps: BudgetDeps, merchant: BudgetHolder, spending: Spending): Promise<boolean> {
  return take(deps, limitOf(merchant, spending), spending.count ?? 1);
}

/** As `spend`, of a limit that is no merchant's. */
export async function spendOfDay(deps: BudgetDeps, limit: DayLimit, count = 1): Promise<void> {
  if (await take(deps, limit, count)) return;
  const now = deps.clock();
  throw limitExceeded({ ...dayOf(now), limit: limit.perDay, isDay: true }, now, limit.too);
}

function limitOf(merchant: BudgetHolder, { mode, budget, of, times = 1 }: Spending): DayLimit {
  const subject = ['budget', budget, merchant._id, mode, ...(of === undefined ? [] : [of])].join('/');
  return { subject, perDay: budgetsOf(merchant)[budget] * times, too: BUDGETS[budget].too };
}

async function take({ store, clock }: BudgetDeps, { subject, perDay }: DayLimit, count: number): Promise<boolean> {
  const day = dayOf(clock());
  const add = (n: number) => store.counters.add(`${subject}/${day.name}`, n, afterSkew(day));
  if ((await add(count)) <= perDay) return true;
  // A refused request spends nothing, so that a greater budget helps at once.
  await add(-count);
  return false;
}
