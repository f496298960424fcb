import fc from 'fast-check';
import {
  creditNoteOf,
  type InvoiceContent,
  invoiceNumber,
  invoiceOf,
  taxRateFor,
  worthOf,
} from '../../src/model/invoice.ts';
import type { InvoiceDoc, Invoicing } from '../../src/store/collections.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import { settledPayment } from '../support/settled-payment.ts';

const PARTY = { name: 'Ada', address: null, country: 'DE', taxId: null };
const NOW = new Date('2030-02-01T00:00:00.000Z');
const INVOICING: Invoicing = {
  ...{ since: NOW, country: 'DE', taxId: null, currency: 'EUR', isTaxIncluded: true },
  ...{ taxRate: '19', taxRates: { FR: '20', US: '0' } },
};

async function contentOf(attributes: object, amount: string, taxRate = '19'): Promise<InvoiceContent> {
  const store = openMemoryStore();
  const { id } = await settledPayment(store, { amount, attributes: { ...attributes } });
  const [payment] = await store.actors.load('payment', [id]);
  if (payment === undefined) throw new Error('no payment');
  return invoiceOf(payment, {
    ...{ invoicing: { ...INVOICING, taxRate, taxRates: {} }, timeZone: 'UTC', seller: PARTY, customer: PARTY },
    ...{ language: null, offerName: 'Pro', now: NOW },
  });
}

const sumOf = ({ lines }: Pick<InvoiceContent, 'lines'>) =>
  lines.reduce((sum, { net, tax }) => sum + BigInt(net) + BigInt(tax), 0n);

describe('an invoice', () => {
  it('has lines that add up to what was paid: sale, credit, units and use', async () => {
    const credit = { amount: '2500000', paymentId: 'pay_before' };
    const content = await contentOf({ credit, quantity: 3 }, '10000000');
    expect(content.lines).toMatchObject([
      { kind: 'sale', name: 'Pro', quantity: 3, net: '10504202', tax: '1995798' },
      { kind: 'credit', quantity: null, net: '-2100841', tax: '-399159' },
    ]);
    expect(content).toMatchObject({ net: '8403361', tax: '1596639', total: '10000000' });
    const discount = { coupon: 'coup_1', code: 'WELCOME', amount: '2500000' };
    expect((await contentOf({ discount }, '7500000', '0')).lines).toMatchObject([
      { kind: 'sale', net: '10000000' },
      { kind: 'discount', name: 'WELCOME', net: '-2500000' },
    ]);
    const period = { from: NOW.toISOString(), to: NOW.toISOString() };
    for (const [units, quantity] of [
      [7, 7],
      [0, null],
    ] as const)
      expect((await contentOf({ usage: { units, ...period } }, '5')).lines).toMatchObject([{ quantity }]);
    const amounts = fc.bigInt({ min: 0n, max: 10n ** 20n });
    await fc.assert(
      fc.asyncProperty(amounts, amounts, fc.nat({ max: 99 }), async (paid, less, rate) => {
        const own = { amount: String(less), paymentId: 'pay_before' };
        const each = await contentOf(less === 0n ? {} : { credit: own }, String(paid), String(rate));
        expect([sumOf(each), BigInt(each.net) + BigInt(each.tax)]).toEqual([paid, paid]);
      }),
      { numRuns: 50 },
    );
  });

  it('has the tax of the country of the customer, else the usual one', () => {
    expect(['FR', 'US', 'IT', null].map((country) => taxRateFor(INVOICING, country))).toEqual(['20', '0', '19', '19']);
  });

  it('says what it is worth to the nearest hundredth, and numbers in order', () => {
    expect(worthOf(10_000_000n, 6, '0.9258')).toBe('9.26');
    expect(worthOf(5_000n, 6, '1')).toBe('0.01');
    expect(worthOf(4_999n, 6, '1')).toBe('0.00');
    expect(invoiceNumber({ mode: 'live', year: '2030', number: 12_345 })).toBe('2030-12345');
  });
});

describe('credit notes', () => {
  it('give back the net and the tax of the invoice, to the unit, in whatever parts', async () => {
    const parts = fc.array(fc.bigInt({ min: 1n, max: 10n ** 9n }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(parts, async (refunds) => {
        const total = refunds.reduce((sum, each) => sum + each, 0n);
        const invoice: InvoiceDoc = { ...(await contentOf({}, String(total))), _id: 'mrc_a:test:2030:1', number: 1 };
        let [credited, net, tax] = [0n, 0n, 0n];
        for (const [index, amount] of refunds.entries()) {
          const correction = { kind: 'refund', subject: `ref_${index}`, amount, at: NOW, transaction: null } as const;
          const note = creditNoteOf(invoice, correction, credited, { timeZone: 'UTC', now: NOW });
          expect([sumOf(note), note.corrects, note.seller]).toEqual([amount, 'TEST-2030-0001', invoice.seller]);
          [credited, net, tax] = [credited + amount, net + BigInt(note.net), tax + BigInt(note.tax)];
        }
        expect([String(net), String(tax)]).toEqual([invoice.net, invoice.tax]);
      }),
      { numRuns: 50 },
    );
  });
});
