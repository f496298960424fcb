import fc from 'fast-check';
import { nextDunningAttempt, verdictOn } from '../../../machines/rules/dunning.ts';
import { addDays } from '../../../machines/rules/period.ts';

const FIRST = '2026-03-10T09:00:00.000Z';

function afterHours(hours: number): string {
  return addDays(FIRST, hours / 24);
}

describe('the result of a failed attempt', () => {
  it.each([
    ['the first, on day 0', 0, 1],
    ['one that was asked for on day 0', 10, 1],
    ['the one of day 1', 24, 3],
    ['one asked for on day 2', 48, 3],
    ['the one of day 3', 72, 5],
    ['the one of day 3, opened late', 100, 5],
    ['the one of day 5', 120, 7],
    ['one asked for a moment before day 7', 167.999, 7],
    ['the one of day 7', 168, null],
    ['one opened after day 7, as after downtime', 400, null],
  ])('is another attempt, or the end of the grace, after %s', (_, hours, day) => {
    const verdict = verdictOn({ openedAt: afterHours(hours), failingSince: FIRST, failures: 1, maxFailedCycles: null });
    const next = day === null ? { kind: 'grace_expired' } : { kind: 'retry', at: addDays(FIRST, day) };
    expect(verdict).toEqual(next);
  });

  it.each([
    [1, 1, 'max_failed_cycles_reached'],
    [2, 3, 'retry'],
    [3, 3, 'max_failed_cycles_reached'],
    [4, 3, 'max_failed_cycles_reached'],
    [99, null, 'retry'],
  ])('with %i failures in a row of at most %j is %s', (failures, maxFailedCycles, kind) => {
    expect(verdictOn({ openedAt: FIRST, failingSince: FIRST, failures, maxFailedCycles }).kind).toBe(kind);
  });

  it('names the failed cycles if the same attempt reaches both limits', () => {
    const verdict = verdictOn({ openedAt: afterHours(168), failingSince: FIRST, failures: 5, maxFailedCycles: 5 });
    expect(verdict.kind).toBe('max_failed_cycles_reached');
  });

  it('is never an attempt at or before the failed one, nor one after day 7', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 12 * 24 * 60 }), (minutes) => {
        const openedAt = afterHours(minutes / 60);
        const next = nextDunningAttempt(FIRST, openedAt);
        if (next === null) return openedAt >= addDays(FIRST, 7);
        return next > openedAt && next <= addDays(FIRST, 7);
      }),
    );
  });
});
