import { addDays } from '../../../machines/rules/period.ts';
import { nextRiskCheck } from '../../../machines/rules/risk.ts';

const BEGAN = '2026-01-31T10:00:00.000Z';

/** The days with a check before a charge that is so many days ahead. */
function daysBefore(length: number): number[] {
  const chargeAt = addDays(BEGAN, length);
  const days: number[] = [];
  for (let now = BEGAN; ; ) {
    const at = nextRiskCheck(BEGAN, chargeAt, now);
    if (at === null) return days;
    days.push((Date.parse(chargeAt) - Date.parse(at)) / 86_400_000);
    now = at;
  }
}

describe('the checks before a charge', () => {
  it.each([
    [1, []],
    [2, [1]],
    [3, [1]],
    [4, [3, 1]],
    [7, [3, 1]],
    [8, [7, 3, 1]],
    [31, [7, 3, 1]],
    [365, [7, 3, 1]],
  ])('of a time of %i days are on days %j before its end', (length, days) => {
    expect(daysBefore(length)).toEqual(days);
  });
});
