import fc from 'fast-check';
import { nearest, netOf, TAX_RATE, taxedParts } from '../../../machines/rules/tax.ts';

const rates = fc
  .tuple(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 9_999 }))
  .map(([whole, part]) => (whole === 100 ? '100' : `${whole}.${String(part).padStart(4, '0')}`));

describe('a tax', () => {
  it.each([
    ['10000000', '19', 8_403_361n],
    ['10000000', '0', 10_000_000n],
    ['10000000', '100', 5_000_000n],
    ['10887500', '8.875', 10_000_000n],
    ['1', '19', 1n],
    ['3', '100', 2n],
    ['0', '19', 0n],
  ])('in %s at %s % leaves %s', (paid, rate, net) => {
    expect(netOf(BigInt(paid), rate)).toBe(net);
  });

  it.each([
    ['19', true],
    ['8.8750', true],
    ['100.0', true],
    ['100.1', false],
    ['8.87501', false],
    ['-1', false],
    ['', false],
    ['1e1', false],
  ])('takes the rate %p: %s', (rate, isTaken) => {
    expect(TAX_RATE.test(rate)).toBe(isTaken);
  });

  it('and the rest are exactly what was paid, of each part and in all, and no part is more than a unit off', () => {
    const amounts = fc.array(fc.bigInt({ min: 0n, max: 10n ** 24n }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(amounts, rates, (parts, rate) => {
        const taxed = taxedParts(parts, (paid) => netOf(paid, rate));
        const sum = parts.reduce((all, part) => all + part, 0n);
        expect(taxed.map(({ net, tax }) => net + tax)).toEqual(parts);
        expect(taxed.reduce((all, { net }) => all + net, 0n)).toBe(netOf(sum, rate));
        for (const [index, { net }] of taxed.entries()) {
          const off = net - netOf(parts[index] ?? 0n, rate);
          expect(off >= -1n && off <= 1n).toBe(true);
        }
      }),
    );
  });

  it('of refunds adds up to that of the invoice once all is given back, in whatever parts', () => {
    const parts = fc.array(fc.bigInt({ min: 1n, max: 10n ** 12n }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(parts, rates, (refunds, rate) => {
        const total = refunds.reduce((all, part) => all + part, 0n);
        const net = netOf(total, rate);
        let credited = 0n;
        let given = 0n;
        for (const refund of refunds) {
          const [note = { net: 0n, tax: 0n }] = taxedParts([refund], (paid) => nearest(paid * net, total), credited);
          expect(note.net >= 0n && note.tax >= 0n).toBe(true);
          given += note.net;
          credited += refund;
        }
        expect(given).toBe(net);
      }),
    );
  });
});
