import fc from 'fast-check';
import { allowedWithin, BUCKET_S, type Taken, takenIn, withTaken } from '../../../machines/rules/thirty-days.ts';

const MONTH_S = 30 * 86_400;
const START = 5_000 * BUCKET_S;

const charges = fc.array(fc.record({ wait: fc.integer({ min: 0, max: MONTH_S }), amount: fc.bigInt(1n, 50n) }));

/** Charges each of these as soon as its time has come and the limit allows it. */
function chargeAll(wanted: readonly { readonly wait: number; readonly amount: bigint }[], limit: bigint) {
  let [now, all]: [number, Taken[]] = [START, []];
  const made: { readonly at: number; readonly amount: bigint }[] = [];
  for (const { wait, amount } of wanted) {
    now = allowedWithin(all, { now: now + wait, amount, limit });
    all = withTaken(all, now, amount);
    made.push({ at: now, amount });
  }
  return { made, all };
}

describe('charges with a limit of 30 days', () => {
  it('are never above it in any 30 days, however they come', () => {
    fc.assert(
      fc.property(charges, fc.bigInt(50n, 120n), (wanted, limit) => {
        const { made, all } = chargeAll(wanted, limit);
        for (const { at: end } of made) {
          const within = made.filter(({ at }) => at <= end && at > end - MONTH_S);
          expect(within.reduce((sum, { amount }) => sum + amount, 0n) <= limit).toBe(true);
        }
        expect(all.length).toBeLessThanOrEqual(9);
      }),
    );
  });

  it('wait for the moment at which enough is forgotten, and no longer', () => {
    fc.assert(
      fc.property(charges, fc.integer({ min: 0, max: MONTH_S }), fc.bigInt(1n, 100n), (wanted, wait, amount) => {
        const { made, all } = chargeAll(wanted, 100n);
        const now = (made.at(-1)?.at ?? START) + wait;
        const from = allowedWithin(all, { now, amount, limit: 100n });
        expect(takenIn(all, from) + amount <= 100n).toBe(true);
        if (from > now) expect(takenIn(all, from - 1) + amount > 100n).toBe(true);
        expect(from - now).toBeLessThanOrEqual(MONTH_S + BUCKET_S);
      }),
    );
  });

  it.each([
    [60n, 'at once', 1],
    [61n, 'when the first bucket is 30 days ago', 9],
    [100n, 'when nothing counts any more', 10],
    [101n, 'no sooner, although they are above the limit', 10],
  ])('of %d are allowed %s', (amount, _what, buckets) => {
    const all = withTaken(withTaken([], START, 30n), START + BUCKET_S, 10n);
    const from = allowedWithin(all, { now: START + BUCKET_S, amount, limit: 100n });
    expect(from).toBe(START + buckets * BUCKET_S);
  });
});
