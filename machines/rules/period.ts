import { unknownCase } from '../unknown-case.ts';

/** The length of one billing period. `count` is 1 to 365. */
export interface Interval {
  readonly unit: 'day' | 'week' | 'month' | 'year';
  readonly count: number;
}

/** Half open: the start belongs to the period, the end to the next one. ISO 8601, UTC, milliseconds. */
export interface Period {
  readonly start: string;
  readonly end: string;
}

const DAY_MS = 86_400_000;

/**
 * Period `index` (0, 1, …) counted from the anchor, never from the period before; ends are clamped to the month's last
 * day (31 Jan → 28 Feb → 31 Mar). docs/rules.md, "Subscriptions".
 */
export function periodAt(anchor: string, interval: Interval, index: number): Period {
  return { start: boundary(anchor, interval, index), end: boundary(anchor, interval, index + 1) };
}

/** The index of the period that contains `moment`; 0 for a moment before the anchor. */
export function indexAt(anchor: string, interval: Interval, moment: string): number {
  const target = Date.parse(moment);
  let index = Math.max(0, estimate(anchor, interval, target) - 1);
  while (Date.parse(boundary(anchor, interval, index + 1)) <= target) index += 1;
  return index;
}

/** So many milliseconds after the moment. */
export function later(moment: string, ms: number): string {
  return new Date(Date.parse(moment) + ms).toISOString();
}

/** `moment` plus whole days of 24 hours (UTC has no other days). */
export function addDays(moment: string, days: number): string {
  return later(moment, days * DAY_MS);
}

function boundary(anchor: string, interval: Interval, index: number): string {
  const steps = interval.count * index;
  switch (interval.unit) {
    case 'day':
      return addDays(anchor, steps);
    case 'week':
      return addDays(anchor, steps * 7);
    case 'month':
      return addMonths(anchor, steps);
    case 'year':
      return addMonths(anchor, steps * 12);
    default:
      return unknownCase(interval.unit, 'interval');
  }
}

function addMonths(anchor: string, months: number): string {
  const from = new Date(anchor);
  const to = new Date(from);
  to.setUTCDate(1);
  to.setUTCMonth(from.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(to.getUTCFullYear(), to.getUTCMonth() + 1, 0)).getUTCDate();
  to.setUTCDate(Math.min(from.getUTCDate(), lastDay));
  return to.toISOString();
}

/** Never too high, because it takes every month at its longest. The caller's search finds the exact index. */
function estimate(anchor: string, interval: Interval, target: number): number {
  const days = { day: 1, week: 7, month: 31, year: 366 }[interval.unit] * interval.count;
  return Math.floor((target - Date.parse(anchor)) / (days * DAY_MS));
}
