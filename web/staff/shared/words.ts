import type { Json } from '../../../machines/json.ts';
import type { PriceRow } from '../../../src/staff/wire.ts';

/** `2030-02-01T09:00:00.000Z` → `2030-02-01 09:00:00 UTC`; always UTC, as in the journal. */
export function momentText(moment: string): string {
  return `${moment.slice(0, 19).replace('T', ' ')} UTC`;
}

/** The distance of two moments in words: `in 3 days`, `2 hours ago`. */
export function distanceText(moment: string, from: string): string {
  const ms = Date.parse(moment) - Date.parse(from);
  const size = Math.abs(ms);
  if (size < 1_000) return 'now';
  const [count, unit] = inUnits(size);
  const text = `${count} ${unit}${count === 1 ? '' : 's'}`;
  return ms >= 0 ? `in ${text}` : `${text} ago`;
}

function inUnits(ms: number): [number, string] {
  if (ms < 90_000) return [Math.round(ms / 1_000), 'second'];
  if (ms < 5_400_000) return [Math.round(ms / 60_000), 'minute'];
  if (ms < 129_600_000) return [Math.round(ms / 3_600_000), 'hour'];
  return [Math.round(ms / 86_400_000), 'day'];
}

/** A value of a snapshot in one line. */
export function jsonText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** `9.90 USD every 2 months`; `9.90 USD once`; `0.01 USD a unit used, at most 50.00 USD, every month`. */
export function priceText({ amount, currency, units, metered, billing }: PriceRow): string {
  const { interval, intervalCount } = billing;
  const { thresholdAmount: each, windowCapAmount: most } = metered ?? {};
  const early = each === undefined ? '' : ` each time that ${each} ${currency} are used, at most ${most} in 30 days,`;
  const used = metered && ` a unit used, at most ${metered.capAmount} ${currency},${early}`;
  const price = `${amount} ${currency}${used ?? (units === null ? '' : ' a unit')}`;
  if (interval === null) return `${price} once`;
  return intervalCount === null || intervalCount === 1
    ? `${price} every ${interval}`
    : `${price} every ${intervalCount} ${interval}s`;
}

/** Basis points as a percentage: 150 is `1.50 %`. */
export function percentText(basisPoints: number): string {
  return `${(basisPoints / 100).toFixed(2)} %`;
}

/** `1000+` if it stopped there. */
export function countText({ count, isCapped }: { readonly count: number; readonly isCapped: boolean }): string {
  return isCapped ? `${count}+` : String(count);
}
