import { lessDiscount } from '../rules/discount.ts';
import { amountOf, type Metered } from '../rules/price-model.ts';
import { chargeFor, levelOf, USAGE_LEVELS, type UsageCharge } from '../rules/usage.ts';
import type { SubscriptionContext } from './context.ts';
import type { SubscriptionEvent } from './events.ts';
import { nextTerms } from './next-charge.ts';

type Context = SubscriptionContext;

/** What a metered subscription has used since its last cycle, and what that costs. */
export interface PeriodUsage extends UsageCharge {
  readonly model: Metered;
  readonly units: number;
  readonly since: string;
  /** What no charge has had: it was above the cap of one, or less than the least amount. */
  readonly before: bigint;
}

/** With `used` units in all; absent: none since the last cycle. null: the price is not metered. */
export function usageOf({ terms: { model }, usage }: Context, used = 0): PeriodUsage | null {
  if (model?.kind !== 'metered' || usage === undefined) return null;
  const units = Math.max(0, used - usage.billed);
  const before = BigInt(usage.carried);
  return { model, units, since: usage.since, before, ...chargeFor(model, units, before) };
}

/** The next cycle charges the use since the last one. Its period begins with that, and further use is of the next. */
export function billUsage(context: Context, now: string, used: number | undefined): Context {
  const period = usageOf(context, used);
  if (period === null || context.usage === undefined) return context;
  const { amount, carried, units } = period;
  const billed = context.usage.billed + units;
  const usage = { ...context.usage, since: now, billed, carried: carried.toString(), told: 0 } as const;
  return { ...context, terms: { ...context.terms, amount: amount.toString() }, usage };
}

/** True if the cycle that is due has nothing to charge: the period passes without a payment. */
export function isFree(context: Context, used: number | undefined): boolean {
  const terms = nextTerms(context);
  const amount = usageOf({ ...context, terms }, used)?.amount.toString() ?? terms.amount;
  return context.open === null && lessDiscount(context.discount, { ...terms, amount }) === 0n;
}

/** True if something has been used since the last cycle, or is left of it: the end of the subscription charges that. */
export function isUsageDue(context: Context, used: number | undefined): boolean {
  const period = usageOf(context, used);
  return context.open === null && period !== null && chargeOf(context, period) > 0n;
}

/** What the period's use costs, less the discount. */
function chargeOf({ discount, terms }: Context, { amount }: PeriodUsage): bigint {
  return lessDiscount(discount, { ...terms, amount: amount.toString() });
}

/** The charge of the last use waits until the mandate allows it. */
export function delayCharge({ open }: Context, event: SubscriptionEvent): Partial<Context> {
  if (open === null || event.type !== 'cancel.requested' || event.notBefore === undefined) return {};
  return { open: { ...open, notBefore: event.notBefore } };
}

/** What no charge would have if the subscription ended now; after its end: what none has. Base units. */
export function unchargedAtEnd(context: Context, used: number | undefined): bigint {
  const period = usageOf(context, used);
  if (period === null) return 0n;
  const isCharged = context.ended === null && isUsageDue(context, used);
  return period.carried + (isCharged ? 0n : chargeOf(context, period));
}

/** After a cycle: the next charge is at most the cap; after the last one nothing follows, so the end is due. */
export function awaitUsage(context: Context, periodStart: string): Context {
  const { usage, terms } = context;
  if (usage === undefined || terms.model === undefined) return context;
  const next = { ...context, terms: { ...terms, amount: amountOf(terms.model).toString() } };
  return isLastBilled(context) ? { ...next, currentPeriodEnd: periodStart } : next;
}

/** True if a metered subscription has had all its cycles: further use could not be charged. */
export function isLastBilled({ usage, terms: { maxCycles }, cyclesCompleted }: Context): boolean {
  return usage !== undefined && maxCycles !== null && cyclesCompleted >= maxCycles;
}

/** The levels of the cap that `used` units reach and of which the merchant was not told in this period. */
export function newLevels(context: Context, used: number | undefined): (typeof USAGE_LEVELS)[number][] {
  const period = usageOf(context, used);
  if (period === null) return [];
  const level = levelOf(period.model, period.units, period.before);
  return USAGE_LEVELS.filter((each) => each <= level && each > (context.usage?.told ?? 0));
}

/** The merchant is told of these levels. */
export function noteUsage(context: Context, used: number): Context {
  const told = newLevels(context, used).at(-1);
  if (told === undefined || context.usage === undefined) return context;
  return { ...context, usage: { ...context.usage, told } };
}
