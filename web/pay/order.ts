import type { MeteredPrice } from '../../machines/rules/metered-terms.ts';
import { addDays, periodAt } from '../../machines/rules/period.ts';
import type { Discount, Interval } from '../../src/checkout/wire.ts';
import { locale, say } from '../i18n/say.ts';
import { money } from '../ui/decimal.ts';
import { times } from '../ui/sum.ts';
import { discountText } from './discount.ts';
import { chargeDateOf, rhythm } from './words.ts';

/** What a payer is about to pay. Amounts are decimal strings. */
export interface Order {
  /** Of one unit, where the price is per unit; the most of a charge, where it is metered. */
  readonly price: { readonly amount: string; readonly currency: string };
  /** One charge, in the chosen token. */
  readonly charge: { readonly amount: string; readonly ticker: string };
  /** null: paid once. */
  readonly every: { readonly interval: Interval; readonly count: number } | null;
  /** null: each charge is the full price. */
  readonly discount: Discount | null;
  /** The first charge, if a credit makes it less; absent: `charge`, less the discount. */
  readonly now?: string;
  /** The moment of the first charge; null: now. */
  readonly firstAt: string | null;
  /** null: until it is ended. */
  readonly maxCycles: number | null;
  /** Of a price per unit; null: the price is fixed. */
  readonly units: { readonly quantity: number; readonly max: number } | null;
  /** The most of each charge, in the chosen token; null: the price is not metered. */
  readonly most: { readonly amount: string; readonly ticker: string } | null;
  /** A metered price is charged as soon as so much is used; absent: only after each period. */
  readonly threshold?: { readonly amount: string; readonly currency: string };
}

export interface OrderSummary {
  readonly today: string;
  /** null: nothing follows. */
  readonly later: string | null;
  /** The merchant's price, if it is in another currency than the token; else null. */
  readonly price: string | null;
  /** What a coupon takes off the full price, and for how long; null: nothing. */
  readonly discount: string | null;
  /** The units, and the most that they may cost; of a metered price, that nothing is charged now; else null. */
  readonly units: string | null;
}

/** `now`: ISO 8601. */
export function summaryOf(order: Order, now: string): OrderSummary {
  const { charge, firstAt, most, discount } = order;
  const due = money(order.now ?? discount?.charge ?? charge.amount, charge.ticker);
  const isLater = firstAt !== null && firstAt > now;
  const nextAt = nextChargeAt(order, isLater ? firstAt : null, now);
  const full = money((most ?? charge).amount, charge.ticker);
  const isOnce = order.every === null;
  return {
    today: isLater ? money('0.00', charge.ticker) : due,
    later: nextAt === null ? null : thenOf(order, nextAt, isLater),
    price: priceIn(order),
    discount: discount && say('discount.of_full', { discount: discountText(discount, charge.ticker, isOnce), full }),
    units: most !== null && isLater ? say('order.nothing_now') : unitsIn(order),
  };
}

function nextChargeAt(order: Order, firstAt: string | null, now: string): string | null {
  const { discount } = order;
  if (discount !== null && isFree(discount)) return afterFree(order, discount, firstAt ?? now);
  return firstAt ?? secondAt(order, now);
}

function secondAt({ every, maxCycles }: Order, now: string): string | null {
  if (every === null || maxCycles === 1) return null;
  return periodAt(now, { unit: every.interval, count: every.count }, 0).end;
}

/** True if the discount leaves nothing of a charge. */
function isFree(discount: Discount): boolean {
  return Number(discount.charge) === 0;
}

/** The first charge after the free periods; null: all are. */
function afterFree({ every, maxCycles }: Order, { cyclesLeft }: Discount, from: string): string | null {
  if (every === null || cyclesLeft === null || cyclesLeft >= (maxCycles ?? Number.POSITIVE_INFINITY)) return null;
  // Each is a trial of its own, which begins where the one before it ended.
  const interval = { unit: every.interval, count: every.count };
  return Array.from({ length: cyclesLeft }).reduce<string>((at) => periodAt(at, interval, 0).end, from);
}

/** The second charge, or the first one if that is later. */
function nextAmount({ charge, discount }: Order, isLater: boolean): string {
  const has = discount !== null && !isFree(discount) && (isLater || discount.cyclesLeft !== 1);
  return has ? discount.charge : charge.amount;
}

function thenOf(order: Order, nextAt: string, isLater: boolean): string {
  const { charge, every, maxCycles, most, threshold } = order;
  const next = { amount: money(nextAmount(order, isLater), charge.ticker), date: chargeDateOf(nextAt) };
  if (most !== null && every !== null) {
    const used = {
      most: money(most.amount, most.ticker),
      date: next.date,
      rhythm: rhythm(every.interval, every.count),
    };
    if (threshold === undefined) return say('order.then_used', used);
    return say('order.then_early', { ...used, each: money(threshold.amount, threshold.currency) });
  }
  if (every === null || maxCycles === 1 || (maxCycles === 2 && !isLater)) return say('order.then', next);
  const repeated = { ...next, rhythm: rhythm(every.interval, every.count) };
  return maxCycles === null
    ? say('order.then_repeated', repeated)
    : say('order.then_repeated_until', { ...repeated, charges: maxCycles });
}

/** Of a price that is charged as soon as so much is used. */
export function thresholdIn(metered: MeteredPrice | null): Pick<Order, 'threshold'> {
  const amount = metered?.thresholdAmount;
  return metered === null || amount === undefined ? {} : { threshold: { amount, currency: metered.currency } };
}

/** When the first charge of a new subscription comes: after its trial, or after its first period by use; null: now. */
export function firstChargeAt(trialDays: number | null, metered: Order['every'], now: string): string | null {
  if (metered !== null) return periodAt(now, { unit: metered.interval, count: metered.count }, 0).end;
  return trialDays === null || trialDays === 0 ? null : addDays(now, trialDays);
}

/**
 * The service takes USD and the tokens of a dollar as equal, so the amounts differ only if there is a rate. An offer
 * keeps the rate of the day on which its price was made.
 */
function priceIn({ price, units, most, charge: { ticker, ...next } }: Order): string | null {
  const total = times(price.amount, units?.quantity ?? 1);
  const [ofPrice, ofCharge] = [Number(total), Number((most ?? next).amount)];
  if (ofPrice === ofCharge || ofPrice === 0) return null;
  const rate = new Intl.NumberFormat(locale(), { maximumSignificantDigits: 5 }).format(ofCharge / ofPrice);
  const { currency } = price;
  return say('order.price_at_rate', { price: money(total, currency), rate, ticker, currency });
}

/** "3 × 5.00 USD; a later quantity costs at most 50.00 USD (10 units)". */
function unitsIn({ price: { amount, currency }, units }: Order): string | null {
  if (units === null) return null;
  const { quantity, max } = units;
  const most = money(times(amount, max), currency);
  return say('order.units', { quantity, price: money(amount, currency), most, max });
}

/** How long so many charges last: "2 years", "18 months". */
export function durationOf(cycles: number, { interval, count }: NonNullable<Order['every']>): string {
  const units = cycles * count;
  const isYears = interval === 'month' && units % 12 === 0;
  const unit = isYears ? 'year' : interval;
  return new Intl.NumberFormat(locale(), { style: 'unit', unit, unitDisplay: 'long' }).format(
    isYears ? units / 12 : units,
  );
}
