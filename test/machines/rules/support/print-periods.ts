import { type Interval, indexAt, periodAt } from '../../../../machines/rules/period.ts';

/*
 * Prints the periods of the rules as JSON, while this process is set to one time zone after the other: zone → periods.
 * Started by a test; the zones are its arguments.
 */

/** Nights of clock changes, ends of months and years, and times that have another date elsewhere. */
const ANCHORS = [
  '2028-01-31T00:00:00.000Z',
  '2028-02-29T23:59:59.999Z',
  '2028-03-12T06:59:59.999Z',
  '2028-03-12T07:00:00.000Z',
  '2028-03-26T01:00:00.000Z',
  '2028-04-01T14:00:00.000Z',
  '2028-09-24T11:45:00.000Z',
  '2028-10-29T00:59:59.999Z',
  '2028-11-05T05:30:00.000Z',
  '2028-12-31T12:00:00.001Z',
];

const INTERVALS: readonly Interval[] = [
  { unit: 'day', count: 1 },
  { unit: 'week', count: 2 },
  { unit: 'month', count: 1 },
  { unit: 'month', count: 5 },
  { unit: 'year', count: 1 },
];

const PERIODS = 30;

function said(): unknown[] {
  return ANCHORS.flatMap((anchor) =>
    INTERVALS.flatMap((interval) =>
      Array.from({ length: PERIODS }, (_, index) => {
        const period = periodAt(anchor, interval, index);
        const last = new Date(Date.parse(period.end) - 1).toISOString();
        return [period, [period.start, last, period.end].map((moment) => indexAt(anchor, interval, moment) - index)];
      }),
    ),
  );
}

const zones = process.argv.slice(2).map((zone) => {
  process.env['TZ'] = zone;
  // The process's local time, as proof that the zone is set.
  const localNoon = new Date('2028-07-01T12:00:00.000Z').getHours();
  return { zone, localNoon, periods: said() };
});
process.stdout.write(JSON.stringify(zones));
