import { lessDiscount } from '../rules/discount.ts';
import { later } from '../rules/period.ts';
import { amountOf, type Metered, windowCapOf } from '../rules/price-model.ts';
import { allowedWithin, withTaken } from '../rules/thirty-days.ts';
import { chargeFor, levelOf, tiersAfter, USAGE_LEVELS, type UsageCharge } from '../rules/usage.ts';
import type { SubscriptionContext } from './context.ts';
import type { SubscriptionEvent, SubscriptionEventOf } from './events.ts';
import { atRest, latest, nextTerms, termsOfNext } from './next-charge.ts';

type Context = SubscriptionContext;

/** The least time between two charges for a threshold. The breaker stops charges that come faster. */
const APART_MS = 10 * 60_000;

/** The clocks of a chain and of the service may differ by so much, seconds. */
const CLOCKS_S = 3_600;

/** What a metered subscription has used since its last cycle, and what that costs. */
export interface PeriodUsage extends UsageCharge {
  /** With the prices of the units that no charge has had. */
  readonly model: Metered;
  readonly units: number;
  readonly since: string;
  /** What no charge has had: it was above the cap of one, or less than the least amount. */
  readonly before: bigint;
}

/** With `used` units in all; absent: none since the last cycle. null: the price is not metered. */
export function usageOf({ terms, usage }: Context, used = 0): PeriodUsage | null {
  if (terms.model?.kind !== 'metered' || usage === undefined) return null;
  const model = { ...terms.model, tiers: tiersAfter(terms.model.tiers, usage.inPeriod ?? 0) };
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
  const { thresholdDueAt: _, waitsUntil: __, inPeriod = 0, ...before } = context.usage;
  const counted = isBeforePeriodEnd(context, now) ? { inPeriod: inPeriod + units } : {};
  const usage = { ...before, ...counted, since: now, billed, carried: carried.toString(), told: 0 } as const;
  const next = { ...context, terms: { ...context.terms, amount: amount.toString() }, usage };
  // What the cap has left for the next charge may be enough for it.
  return passesThreshold(next, billed) ? { ...next, usage: { ...usage, thresholdDueAt: later(now, APART_MS) } } : next;
}

/** Whether the use reaches the threshold of the price, which it had not done before. */
export function passesThreshold(context: Context, used: number | undefined): boolean {
  const period = usageOf(context, used);
  const threshold = period?.model.thresholdAmount;
  if (threshold === undefined || period === null || context.usage?.thresholdDueAt !== undefined) return false;
  return period.amount >= BigInt(threshold) && chargeOf(context, period) > 0n;
}

/** Whether the cycle that opens at `now` is charged for its threshold, in the middle of a period. */
export function isBeforePeriodEnd({ usage, currentPeriodEnd }: Context, now: string): boolean {
  return usage?.thresholdDueAt !== undefined && currentPeriodEnd !== null && now < currentPeriodEnd;
}

/** From when on the limit of 30 days allows the charge of the use; null: now, or there is nothing to charge. */
export function waitsUntil(context: Context, now: string, used: number | undefined): string | null {
  const period = usageOf(context, used);
  if (period === null || context.open !== null) return null;
  return allowedAt(context, chargeOf(context, period), now);
}

/** The limit of 30 days does not allow the charge that is due: it waits. */
export function awaitWindow(context: Context, now: string, used: number | undefined): Context {
  const until = waitsUntil(context, now, used);
  if (until === null || context.usage === undefined) return context;
  return atRest({ ...context, usage: { ...context.usage, waitsUntil: until } }, now);
}

/** null: now. */
function allowedAt({ terms, usage }: Context, amount: bigint, now: string): string | null {
  const limit = windowCapOf(terms);
  if (limit === null || amount === 0n) return null;
  // The chain's clock decides, which may be behind.
  const at = secondsOf(now) - CLOCKS_S;
  const from = allowedWithin(usage?.taken ?? [], { now: at, amount, limit });
  return from === at ? null : new Date((from + CLOCKS_S) * 1_000).toISOString();
}

/** The open charge is paid: the limit of 30 days counts it, whoever pays, and also one that a reorg removes later. */
export function countTaken(context: Context, now: string): Pick<Context, 'usage'> {
  const { usage, terms } = context;
  if (usage === undefined || windowCapOf(terms) === null) return {};
  const amount = BigInt(termsOfNext(context).amount);
  return { usage: { ...usage, taken: withTaken(usage.taken ?? [], secondsOf(now) + CLOCKS_S, amount) } };
}

/** The discount changes: the next record shows whether the use still reaches the threshold. */
export function withoutThreshold({ usage }: Context): Pick<Context, 'usage'> {
  if (usage?.thresholdDueAt === undefined) return {};
  const { thresholdDueAt: _, ...others } = usage;
  return { usage: others };
}

function secondsOf(moment: string): number {
  return Math.floor(Date.parse(moment) / 1_000);
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
export function delayCharge(context: Context, event: SubscriptionEvent): Partial<Context> {
  const { open } = context;
  if (open === null) return {};
  const from = event.type === 'cancel.requested' ? (event.notBefore ?? null) : null;
  const notBefore = latest(from, allowedAt(context, BigInt(termsOfNext(context).amount), event.now));
  return notBefore === null ? {} : { open: { ...open, notBefore } };
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

/** The levels of the cap that `used` units reach, and that the merchant does not know of in this period. */
export function newLevels(context: Context, used: number | undefined): (typeof USAGE_LEVELS)[number][] {
  const period = usageOf(context, used);
  if (period === null) return [];
  const level = levelOf(period.model, period.units, period.before);
  return USAGE_LEVELS.filter((each) => each <= level && each > (context.usage?.told ?? 0));
}

/** Notes the percentages of the cap that the merchant knows of. Use that reaches the threshold makes a charge due. */
export function noteUsage(context: Context, { used, now }: SubscriptionEventOf<'usage.seen'>): Context {
  const { usage, open, deferred } = context;
  if (usage === undefined) return context;
  const told = newLevels(context, used).at(-1) ?? usage.told;
  if (!passesThreshold(context, used)) return { ...context, usage: { ...usage, told } };
  const thresholdDueAt = latest(now, later(usage.since, APART_MS)) ?? now;
  const passed = { ...context, usage: { ...usage, told, thresholdDueAt } };
  return open === null && deferred === null ? atRest(passed, now) : passed;
}
