import { doubled } from '../../../machines/rules/backoff.ts';

// The pauses themselves are stated by the tests of the machines: of a delivery, a payment and a deferred charge.
describe('doubled', () => {
  it.each([30, 40, 41, 1_000, Number.MAX_SAFE_INTEGER])('never exceeds the limit, after %i times', (times) => {
    expect(doubled(500, times, 60_000)).toBe(60_000);
  });
});
