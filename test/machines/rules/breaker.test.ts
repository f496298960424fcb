import { noted, wouldTrip } from '../../../machines/rules/breaker.ts';

const START = Date.parse('2026-01-31T10:00:00.000Z');

function later(minutes: number): string {
  return new Date(START + minutes * 60_000).toISOString();
}

function everyMinutes(minutes: number, attempts: number): string[] {
  return Array.from({ length: attempts }, (_, index) => later(index * minutes)).reduce<string[]>(noted, []);
}

describe('the breaker', () => {
  it.each([
    ['the tenth attempt within an hour', everyMinutes(1, 9), later(9), false],
    ['the eleventh attempt within an hour', everyMinutes(1, 10), later(10), true],
    [
      'the eleventh, a millisecond before the hour is over',
      everyMinutes(1, 10),
      new Date(START + 3_599_999).toISOString(),
      true,
    ],
    ['the eleventh, an hour after the first', everyMinutes(1, 10), later(60), false],
    ['attempts days apart', everyMinutes(1_440, 40), later(40 * 1_440), false],
  ])('decides on %s', (_what, begun, now, trips) => {
    expect(wouldTrip(begun, now)).toBe(trips);
  });

  it('keeps no more than it needs', () => {
    expect(everyMinutes(1, 50)).toEqual(Array.from({ length: 10 }, (_, index) => later(40 + index)));
  });
});
