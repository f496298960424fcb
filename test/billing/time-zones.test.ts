import fc from 'fast-check';
import { dateIn, isTimeZone, monthIn } from '../../src/model/time-zones.ts';

describe('time zones', () => {
  it('a month begins with its first moment where the clocks change in that night', () => {
    // Clocks went from 23:59 to 01:00, and from 00:59 back to 00:00.
    expect(monthIn('America/Asuncion', '2017-10').gte).toBe('2017-10-01T04:00:00.000Z');
    expect(monthIn('America/Havana', '2015-11').gte).toBe('2015-11-01T04:00:00.000Z');
  });

  it('the months of a year follow each other, and each moment is in the month of its date', () => {
    const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
    fc.assert(
      fc.property(zones, fc.integer({ min: 1990, max: 2040 }), fc.integer({ min: 1, max: 11 }), (zone, year, month) => {
        const [name, next] = [month, month + 1].map((each) => `${year}-${String(each).padStart(2, '0')}`);
        const { gte, lt } = monthIn(zone, name ?? '');
        expect(monthIn(zone, next ?? '').gte).toBe(lt);
        const last = new Date(Date.parse(lt) - 1);
        expect([dateIn(zone, gte).slice(0, 7), dateIn(zone, last).slice(0, 7)]).toEqual([name, name]);
      }),
      { numRuns: 50 },
    );
  });

  it('are names of the database, and no offsets', () => {
    const names = ['Europe/Berlin', 'UTC', 'America/Argentina/Ushuaia', '+02:00', 'Mars/Base', '', 'Z', '../etc'];
    expect(names.filter(isTimeZone)).toEqual(names.slice(0, 3));
  });
});
