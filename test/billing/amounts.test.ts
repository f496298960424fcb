import fc from 'fast-check';
import {
  fitting,
  formatAmount,
  isLess,
  largestUnits,
  parseAmount,
  parseDecimal,
  times,
  unitsWorth,
} from '../../src/model/amounts.ts';

const usdc = { decimals: 6, family: 'evm' } as const;
const bnbUsdc = { decimals: 18, family: 'evm' } as const;
const solUsdc = { decimals: 6, family: 'solana' } as const;

describe('parseAmount', () => {
  it.each([
    ['0', 0n],
    ['0.000001', 1n],
    ['9.9', 9_900_000n],
    ['9.90', 9_900_000n],
    ['9.900000000000000000', 9_900_000n],
    ['007', 7_000_000n],
    ['123456789012345678901234567890', 123456789012345678901234567890n * 10n ** 6n],
  ])('reads %s as base units of 6 decimals', (text, units) => {
    expect(parseAmount(text, usdc, 'amount')).toBe(units);
  });

  it.each([
    '',
    ' 1',
    '1 ',
    '1.',
    '.5',
    '-1',
    '+1',
    '1e6',
    '1,000',
    '0x10',
    '１',
    'NaN',
    '1.0000000000000000000',
    '1'.repeat(31),
  ])('refuses %j, and names the field', (text) => {
    expect(() => parseAmount(text, bnbUsdc, 'pricing[0].amount')).toThrow(/^pricing\[0\]\.amount must be a decimal/);
  });

  it('refuses more decimals than the token has', () => {
    expect(() => parseAmount('1.0000001', usdc, 'amount')).toThrow('amount must have at most 6 decimal places');
    expect(parseAmount('1.0000001', bnbUsdc, 'amount')).toBe(1_000_000_100_000_000_000n);
  });

  it('accepts the largest integer of the chain, and refuses more', () => {
    expect(parseAmount('18446744073709.551615', solUsdc, 'amount')).toBe(2n ** 64n - 1n);
    expect(() => parseAmount('18446744073709.551616', solUsdc, 'amount')).toThrow('amount is more than');
    expect(parseAmount('18446744073709.551616', usdc, 'amount')).toBe(2n ** 64n);
  });

  it('has the bounds of both families', () => {
    expect(fitting(2n ** 256n - 1n, 'evm', 'a')).toBe(largestUnits('evm'));
    expect(() => fitting(2n ** 256n, 'evm', 'a')).toThrow('a is more than');
    expect(() => fitting(2n ** 64n, 'solana', 'a')).toThrow('a is more than');
  });
});

describe('formatAmount', () => {
  it.each([
    [9_900_000n, 6, '9.90'],
    [1n, 6, '0.000001'],
    [0n, 6, '0.00'],
    [12_000_000n, 6, '12.00'],
    [1_234_567n, 6, '1.234567'],
    [1n, 18, '0.000000000000000001'],
    [5n, 0, '5.00'],
    [55n, 1, '5.50'],
  ])('writes %s of %s decimals as %s', (units, decimals, text) => {
    expect(formatAmount(units, decimals)).toBe(text);
  });

  it('is parsed back to the same number of base units, whatever the token', () => {
    const decimals = fc.integer({ min: 0, max: 18 });
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 29n }), decimals, (units, places) => {
        const text = formatAmount(units, places);
        expect(parseAmount(text, { decimals: places, family: 'evm' }, 'amount')).toBe(units);
        expect(text).toMatch(/^(0|[1-9]\d*)\.(\d\d|\d+[1-9])$/);
      }),
    );
  });
});

describe('arithmetic of prices', () => {
  it.each([
    ['10', '1.0834', '1', 6, 10_834_000n],
    ['0.01', '0.333333333333333333', '1', 6, 3334n],
    ['1', '1', '3', 6, 333_334n],
    ['1', '1', '3', 0, 1n],
    ['3', '1', '3', 0, 1n],
    ['0.000001', '0.5', '1', 6, 1n],
    ['0', '1.5', '1', 6, 0n],
    ['100', '1', '2500.50', 18, 39_992_001_599_680_064n],
  ])(
    '%s at %s dollars, in a token of %s dollars with %s decimals, is %s base units',
    (amount, rate, per, decimals, units) => {
      const value = times(parseDecimal(amount, 'amount'), parseDecimal(rate, 'rate'));
      expect(unitsWorth(value, parseDecimal(per, 'per'), decimals)).toBe(units);
    },
  );

  it('rounds up by less than one base unit, never down', () => {
    const decimal = fc.record({
      digits: fc.bigInt({ min: 1n, max: 10n ** 18n }),
      scale: fc.integer({ min: 0, max: 18 }),
    });
    fc.assert(
      fc.property(decimal, decimal, fc.integer({ min: 0, max: 18 }), (value, per, decimals) => {
        const units = unitsWorth(value, per, decimals);
        const worth = (n: bigint) => times({ digits: n, scale: decimals }, per);
        expect(isLess(worth(units), value)).toBe(false);
        expect(isLess(worth(units - 1n), value)).toBe(true);
      }),
    );
  });

  it('compares across scales', () => {
    expect(isLess(parseDecimal('0.99', 'a'), parseDecimal('1', 'b'))).toBe(true);
    expect(isLess(parseDecimal('1.000', 'a'), parseDecimal('1', 'b'))).toBe(false);
  });
});
