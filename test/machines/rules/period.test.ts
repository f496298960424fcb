import fc from 'fast-check';
import { addDays, type Interval, indexAt, periodAt } from '../../../machines/rules/period.ts';

const DAY_MS = 86_400_000;
const UNITS = ['day', 'week', 'month', 'year'] as const;

/** Every start day of a month, in a leap year and in the year before it. */
const START_DAYS = [2023, 2024].flatMap((year) =>
  Array.from({ length: 31 }, (_, day) => new Date(Date.UTC(year, 0, day + 1, 23, 59, 59, 999)).toISOString()),
);

function every(unit: Interval['unit'], count = 1): Interval {
  return { unit, count };
}

/** Starts of the first periods and the end of the last one, as dates. */
function boundaries(anchor: string, interval: Interval, periods: number): string[] {
  const starts = Array.from({ length: periods + 1 }, (_, index) => periodAt(anchor, interval, index).start);
  return starts.map((start) => start.slice(0, 10));
}

describe('the boundaries of periods', () => {
  it.each([
    ['28th', '2026-01-28', ['2026-01-28', '2026-02-28', '2026-03-28', '2026-04-28', '2026-05-28']],
    ['29th', '2026-01-29', ['2026-01-29', '2026-02-28', '2026-03-29', '2026-04-29', '2026-05-29']],
    ['30th', '2026-01-30', ['2026-01-30', '2026-02-28', '2026-03-30', '2026-04-30', '2026-05-30']],
    ['31st', '2026-01-31', ['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31']],
    ['29th before a leap day', '2024-01-29', ['2024-01-29', '2024-02-29', '2024-03-29', '2024-04-29', '2024-05-29']],
    ['31st before a leap day', '2024-01-31', ['2024-01-31', '2024-02-29', '2024-03-31', '2024-04-30', '2024-05-31']],
    ['31st over a new year', '2026-10-31', ['2026-10-31', '2026-11-30', '2026-12-31', '2027-01-31', '2027-02-28']],
    ['28 February of a common year', '2026-02-28', ['2026-02-28', '2026-03-28', '2026-04-28']],
    ['29 February', '2024-02-29', ['2024-02-29', '2024-03-29', '2024-04-29']],
  ])('of months from the %s are clamped to the last day, and return', (_, from, expected) => {
    expect(boundaries(`${from}T12:00:00.000Z`, every('month'), expected.length - 1)).toEqual(expected);
  });

  it.each([
    [
      'one year from 29 February',
      every('year'),
      ['2024-02-29', '2025-02-28', '2026-02-28', '2027-02-28', '2028-02-29'],
    ],
    ['four years from 29 February', every('year', 4), ['2024-02-29', '2028-02-29', '2032-02-29']],
    ['a century of leap days, of which 2100 is none', every('year', 76), ['2024-02-29', '2100-02-28', '2176-02-29']],
    ['three months', every('month', 3), ['2024-02-29', '2024-05-29', '2024-08-29']],
    ['twelve months', every('month', 12), ['2024-02-29', '2025-02-28', '2026-02-28', '2027-02-28', '2028-02-29']],
  ])('are counted from the anchor for %s', (_, interval, expected) => {
    expect(boundaries('2024-02-29T08:30:00.123Z', interval, expected.length - 1)).toEqual(expected);
  });

  it.each(UNITS)('are contiguous, anchored and clamped over 1,200 cycles of a %s from every start day', (unit) => {
    const wrong: string[] = [];
    for (const anchor of START_DAYS) {
      let end = anchor;
      for (let index = 0; index < 1_200; index += 1) {
        const period = periodAt(anchor, every(unit), index);
        const says = `${anchor} ${unit} ${index}: ${period.start} to ${period.end}`;
        if (period.start !== end) wrong.push(`${says} does not follow on ${end}`);
        if (period.start >= period.end) wrong.push(`${says} is empty`);
        if (period.start !== expectedStart(anchor, unit, index)) wrong.push(`${says} is not anchored`);
        end = period.end;
      }
    }
    expect(wrong).toEqual([]);
  });

  it('are contiguous and anchored for any interval count and time', () => {
    const cases = fc.record({
      anchor: fc.date({ min: new Date('2020-01-01'), max: new Date('2060-01-01'), noInvalidDate: true }),
      unit: fc.constantFrom(...UNITS),
      count: fc.integer({ min: 1, max: 365 }),
      index: fc.nat({ max: 20 }),
    });
    fc.assert(
      fc.property(cases, ({ anchor, unit, count, index }) => {
        const from = anchor.toISOString();
        const period = periodAt(from, every(unit, count), index);
        expect(period.start).toBe(expectedStart(from, unit, index * count));
        expect(period.end).toBe(periodAt(from, every(unit, count), index + 1).start);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the period that contains a moment', () => {
  it.each(UNITS)('is found at its start, inside, and not at its end, for 1,200 cycles of a %s', (unit) => {
    const wrong: string[] = [];
    for (const anchor of START_DAYS.filter((_, index) => index % 5 === 0 || index % 31 > 26)) {
      for (let index = 0; index < 1_200; index += index < 40 ? 1 : 37) {
        const { start, end } = periodAt(anchor, every(unit), index);
        const lastMoment = new Date(Date.parse(end) - 1).toISOString();
        const found = [start, lastMoment, end].map((moment) => indexAt(anchor, every(unit), moment));
        if (found.join() !== [index, index, index + 1].join()) wrong.push(`${anchor} ${unit} ${index}: ${found}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('is found for any interval count and moment', () => {
    const cases = fc.record({
      anchor: fc.date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true }),
      unit: fc.constantFrom(...UNITS),
      count: fc.integer({ min: 1, max: 365 }),
      days: fc.nat({ max: 40_000 }),
      ms: fc.nat({ max: DAY_MS }),
    });
    fc.assert(
      fc.property(cases, ({ anchor, unit, count, days, ms }) => {
        const from = anchor.toISOString();
        const moment = new Date(anchor.getTime() + days * DAY_MS + ms).toISOString();
        const { start, end } = periodAt(from, every(unit, count), indexAt(from, every(unit, count), moment));
        expect(start <= moment && moment < end).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('is the first one for a time before the anchor', () => {
    expect(indexAt('2026-01-31T00:00:00.000Z', every('month'), '2025-06-01T00:00:00.000Z')).toBe(0);
  });
});

describe('addDays', () => {
  it('adds days of 24 hours, in both directions', () => {
    expect(addDays('2024-02-28T01:02:03.004Z', 2)).toBe('2024-03-01T01:02:03.004Z');
    expect(addDays('2024-03-01T01:02:03.004Z', -1)).toBe('2024-02-29T01:02:03.004Z');
  });
});

/** Computed differently from the rule: from the calendar's own fields. `steps` in units. */
function expectedStart(anchor: string, unit: Interval['unit'], steps: number): string {
  const from = new Date(anchor);
  if (unit === 'day' || unit === 'week') {
    return new Date(from.getTime() + steps * (unit === 'day' ? 1 : 7) * DAY_MS).toISOString();
  }
  const months = from.getUTCMonth() + steps * (unit === 'month' ? 1 : 12);
  const year = from.getUTCFullYear() + Math.floor(months / 12);
  const month = months % 12;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  const day = Math.min(from.getUTCDate(), lengths[month] ?? 0);
  const two = (n: number): string => String(n).padStart(2, '0');
  return `${String(year).padStart(4, '0')}-${two(month + 1)}-${two(day)}${anchor.slice(10)}`;
}
