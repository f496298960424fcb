import fc from 'fast-check';
import { type Division, divide, hundredths, type SplitRow } from '../../../machines/rules/money.ts';

const UINT256_MAX = 2n ** 256n - 1n;

function rows(...percentages: string[]): SplitRow[] {
  return percentages.map((percentage, index) => ({ address: `0x${index}`, percentage }));
}

function partsOf({ platformAmount, forward, splits }: Division): bigint[] {
  return [platformAmount, forward, ...splits.map(({ amount }) => amount)];
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

const amounts = fc.oneof(fc.bigInt({ min: 0n, max: UINT256_MAX }), fc.bigInt({ min: 0n, max: 100_000n }));
const fees = fc.integer({ min: 0, max: 10_000 });

/** One to five rows with at most two decimals, of 100 % or less together. */
const splits = fc
  .array(fc.integer({ min: 0, max: 10_000 }), { minLength: 0, maxLength: 5 })
  .map((parts) => parts.map((part) => Math.floor(part / Math.max(1, parts.length))))
  .map((parts) => rows(...parts.map((part) => (part % 100 === 0 ? `${part / 100}` : (part / 100).toFixed(2)))));

describe('the division of a charge', () => {
  it.each([
    ['1 % of a round amount', 9_900_000n, 100, [], [99_000n, 9_801_000n]],
    ['a fee rounded down to nothing', 1n, 100, [], [0n, 1n]],
    ['a fee rounded down by a hair', 199n, 100, [], [1n, 198n]],
    ['no fee', 500n, 0, [], [0n, 500n]],
    ['nothing but fee', 500n, 10_000, [], [500n, 0n]],
    ['nothing at all', 0n, 100, rows('50'), [0n, 0n, 0n]],
    [
      'splits of the merchant’s amount, not of the whole',
      10_000n,
      1_000,
      rows('50', '25'),
      [1_000n, 2_250n, 4_500n, 2_250n],
    ],
    ['splits whose dust is the merchant’s', 100n, 0, rows('33.33', '33.33', '33.33'), [0n, 1n, 33n, 33n, 33n]],
    ['splits of all but nothing', 3n, 0, rows('99.99'), [0n, 1n, 2n]],
    ['splits of everything', 7n, 0, rows('60', '40'), [0n, 1n, 4n, 2n]],
    ['splits that leave nothing', 10n, 0, rows('60', '40'), [0n, 0n, 6n, 4n]],
  ])('gives the platform, the payout wallet and each split their share: %s', (_, gross, feeBps, split, parts) => {
    expect(partsOf(divide(gross, feeBps, split))).toEqual(parts);
  });

  it('adds up, and no part is negative, for any amount, fee and splits', () => {
    fc.assert(
      fc.property(amounts, fees, splits, (gross, feeBps, split) => {
        const division = divide(gross, feeBps, split);
        expect(sum(partsOf(division))).toBe(gross);
        expect(division.platformAmount + division.merchantAmount).toBe(gross);
        expect(partsOf(division).every((part) => part >= 0n)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('rounds only in favour of the payout wallet, by less than a unit for each share', () => {
    fc.assert(
      fc.property(amounts, fees, splits, (gross, feeBps, split) => {
        const { platformAmount, merchantAmount, splits: shares } = divide(gross, feeBps, split);
        const isRoundedDown = (part: bigint, whole: bigint, parts: bigint) =>
          part * 10_000n <= whole * parts && (part + 1n) * 10_000n > whole * parts;
        expect(isRoundedDown(platformAmount, gross, BigInt(feeBps))).toBe(true);
        for (const [index, { amount }] of shares.entries()) {
          expect(isRoundedDown(amount, merchantAmount, hundredths(split[index]?.percentage ?? ''))).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('keeps the addresses and the order of the splits', () => {
    expect(divide(1_000n, 0, rows('10', '20')).splits).toEqual([
      { address: '0x0', amount: 100n },
      { address: '0x1', amount: 200n },
    ]);
  });

  it.each([
    ['a negative amount', -1n, 0, []],
    ['a negative fee', 1n, -1, []],
    ['a fee above everything', 1n, 10_001, []],
    ['a fee that is no whole number', 1n, 1.5, []],
    ['splits above 100 %', 1n, 0, rows('60', '40.01')],
  ])('refuses %s', (_, gross, feeBps, split) => {
    expect(() => divide(gross, feeBps, split)).toThrow(RangeError);
  });
});

describe('a percentage in hundredths', () => {
  it.each([
    ['0', 0n],
    ['5', 500n],
    ['12.5', 1_250n],
    ['12.05', 1_205n],
    ['0.01', 1n],
    ['100', 10_000n],
    ['100.00', 10_000n],
  ])('of %s is %s', (text, expected) => {
    expect(hundredths(text)).toBe(expected);
  });

  it.each(['', '.5', '5.', '1.234', '-1', '+1', '1e1', ' 1', '1,5', '1000', '٣'])('refuses "%s"', (text) => {
    expect(() => hundredths(text)).toThrow(RangeError);
  });
});
