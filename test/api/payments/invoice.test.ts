import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { paymentInvoiceSchema } from '../../../src/api/views/invoice.ts';
import { setBranding } from '../../../src/billing/administration/branding.ts';
import { setInvoicing } from '../../../src/billing/administration/invoicing.ts';
import { staticRates } from '../../../src/billing/offers/rates.ts';
import { refundWatchId } from '../../../src/model/refund.ts';
import { PLENTY } from '../../../stage/scripted-chain.ts';
import { ALICE } from '../../support/bodies.ts';
import { expectError, idOf } from '../../support/http.ts';
import { MerchantOverHttp } from '../../support/merchant-over-http.ts';

const merchant = await MerchantOverHttp.open();
const { chain, billing, http } = merchant;
const ORDER = { by: 'member:Ada', reason: 'a test' };
const GERMAN = {
  ...{ country: 'DE', taxId: 'DE123', currency: 'EUR', isTaxIncluded: true },
  ...{ taxRate: '19', taxRates: { FR: '20' } },
};
const SELLER = { legalName: 'Acme GmbH', legalAddress: 'Main Street 1\n10115 Berlin' };

let made = 0;

beforeAll(async () => {
  await setBranding(http.deps, merchant.id, SELLER, ORDER);
  await setInvoicing(http.deps, merchant.id, GERMAN, ORDER);
});

beforeEach(() => {
  chain.state = PLENTY;
  [chain.refunded, chain.dropped] = [[], []];
  merchant.later(60_000);
});

async function invoiced(change: object = {}): Promise<string> {
  const id = await merchant.paid(change);
  await chain.charges.tell(id, 'finalized');
  return id;
}

const invoiceOf = async (id: string) =>
  paymentInvoiceSchema.parse((await merchant.get(`/payments/${id}/invoice`)).body);

async function hasNone(id: string, why: RegExp, of = merchant): Promise<void> {
  expectError(await of.get(`/payments/${id}/invoice`), 404, expect.stringMatching(why));
}

/** Sends this much of a payment back in block 5, which is not finalized yet. */
async function sentBack(paymentId: string, amount: string): Promise<void> {
  made += 1;
  await merchant.post(`/payments/${paymentId}/refunds`, { amount, idempotencyKey: `back-${made}` });
  chain.finalized = 0;
  await merchant.sentBack(paymentId, { amount: BigInt(Math.round(Number(amount) * 1_000_000)) });
}

/** As `sentBack`, and the block is finalized. */
async function refunded(paymentId: string, amount: string): Promise<void> {
  await sentBack(paymentId, amount);
  chain.finalized = 9;
  await merchant.checkRefunds(paymentId);
}

describe('GET /payments/{paymentId}/invoice', () => {
  it('is a 404 that says why, until the block of the charge is finalized', async () => {
    const paymentId = await merchant.paid();
    await hasNone(paymentId, /block of the charge is finalized/);
    await chain.charges.tell(paymentId, 'finalized');
    expect((await merchant.get(`/payments/${paymentId}/invoice`)).status).toBe(200);
    expectError(await merchant.get('/payments/pay_00000000000000000000000000/invoice'), 404, 'Not found');
  });

  it('has seller, customer, lines, tax, value with its source, and transaction, and never changes', async () => {
    const name = 'Ada Example';
    const wallets = [{ chainFamily: 'evm', address: ALICE }];
    const customerId = idOf(await merchant.post('/customers', { name, country: 'FR', taxId: 'FR9', wallets }));
    const id = await invoiced({ customerId, amount: '12.00' });
    expect((await merchant.patch(`/customers/${customerId}`, { country: 'France' })).status).toBe(400);
    const first = await invoiceOf(id);
    expect(first).toMatchObject({
      number: expect.stringMatching(/^TEST-2030-\d{4}$/),
      seller: { name: 'Acme GmbH', address: SELLER.legalAddress, country: 'DE', taxId: 'DE123' },
      customer: { name, address: null, country: 'FR', taxId: 'FR9' },
      lines: [{ kind: 'sale', net: '10.00', tax: '2.00' }],
      ...{ taxRate: '20', net: '10.00', tax: '2.00', total: '12.00', creditNotes: [] },
      value: {
        currency: 'EUR',
        rate: '0.925925925926',
        source: 'fixed table, not a market',
        total: '11.11',
        tax: '1.85',
      },
      transaction: expect.stringMatching(/^0x/),
    });
    await merchant.patch(`/customers/${customerId}`, { name: 'Other', country: 'DE', address: 'Elsewhere 1' });
    await setBranding(http.deps, merchant.id, { legalName: 'Acme SE' }, ORDER);
    await setInvoicing(http.deps, merchant.id, { ...GERMAN, taxRate: '7' }, ORDER);
    await chain.charges.tell(id, 'finalized');
    expect(await invoiceOf(id)).toEqual(first);
    await setBranding(http.deps, merchant.id, SELLER, ORDER);
    await setInvoicing(http.deps, merchant.id, GERMAN, ORDER);
  });

  it('keeps the rate of the moment at which the charge was final, and says so where nobody gave one', async () => {
    const id = await merchant.paid();
    const { rates } = http;
    http.rates = staticRates({ USDC: '1', EUR: '2' });
    await chain.charges.tell(id, 'finalized');
    expect((await invoiceOf(id)).value?.rate).toBe('0.925925925926');
    http.rates = staticRates({});
    const without = await invoiced();
    http.rates = rates;
    expect((await invoiceOf(without)).value).toBeNull();
  });

  it('has the units of a cycle and its period', async () => {
    const seats = { model: 'per_unit', minQuantity: 3, maxQuantity: 9 };
    const subscription = await merchant.subscribe({ name: 'Mia' }, seats);
    const paymentId = await merchant.beginCharge(subscription);
    await chain.charges.settle(paymentId);
    await chain.charges.tell(paymentId, 'finalized');
    expect(await invoiceOf(paymentId)).toMatchObject({
      lines: [{ kind: 'sale', name: 'Coffee monthly', quantity: 3 }],
      ...{ total: '29.70', period: { from: expect.any(String), to: expect.any(String) }, customer: { name: 'Mia' } },
    });
  });

  it('is a PDF for who prefers that, and at its path with .pdf', async () => {
    const id = await invoiced();
    const { number } = await invoiceOf(id);
    const [byHeader, byPath] = await Promise.all([
      http.send('GET', `/v1/payments/${id}/invoice`, { key: merchant.key, headers: { Accept: 'application/pdf' } }),
      http.send('GET', `/v1/payments/${id}/invoice.pdf?lang=ja`, { key: merchant.key }),
    ]);
    for (const { status, headers, body } of [byHeader, byPath]) {
      expect([status, headers.get('content-type')]).toEqual([200, 'application/pdf']);
      expect(headers.get('content-disposition')).toBe(`inline; filename="${number}.pdf"`);
      expect(String(body)).toMatch(/^%PDF-/);
    }
  });

  it('has the credit note soon after the block is finalized, for which the chain is asked ever more rarely', async () => {
    const paymentId = await invoiced();
    await sentBack(paymentId, '1.00');
    const pauses: number[] = [];
    for (const ms of [0, 20_000, 200_000]) {
      merchant.later(ms);
      await billing.deps.watcher.check([refundWatchId(paymentId)]);
      const [watch] = await http.store.records.get('watches', [refundWatchId(paymentId)]);
      pauses.push(Number(watch?.lookAt) - http.now.getTime());
    }
    expect(pauses).toEqual([2_000, 20_000, 60_000]);
  });

  it('has a credit note for each refund, once, which add up to the invoice when all is given back', async () => {
    const id = await invoiced({ amount: '10.00' });
    await refunded(id, '3.33');
    await refunded(id, '6.67');
    const { creditNotes, net, tax, number } = await invoiceOf(id);
    expect(creditNotes).toMatchObject([
      { corrects: number, total: '3.33', lines: [{ kind: 'refund', net: '2.798319', tax: '0.531681' }] },
      { corrects: number, total: '6.67' },
    ]);
    const sum = (of: 'net' | 'tax') => creditNotes.reduce((all, note) => all + Math.round(Number(note[of]) * 1e6), 0);
    expect([sum('net'), sum('tax')]).toEqual([Number(net) * 1e6, Number(tax) * 1e6].map(Math.round));
    const { body } = await http.send('GET', '/v1/settlements', { key: merchant.key, headers: { Accept: 'text/csv' } });
    const rows = z.array(z.record(z.string(), z.string())).parse(parse(String(body), { columns: true }));
    expect(rows.find((row) => row['id'] === id)).toMatchObject({
      ...{ invoice: number, tax: '1.596639', gas: '0.00', currency: 'EUR', rate: '0.925925925926', value: '9.26' },
      ...{ excludingTax: '8.403361', taxRate: '19', country: '' },
    });
    const given = rows.filter((row) => row['paymentId'] === id);
    const fields = ['creditNote', 'excludingTax', 'value', 'taxRate', 'currency'];
    expect(given.map((row) => fields.map((field) => row[field]))).toEqual(
      creditNotes.map((note) => [note.number, note.net, note.value?.total, '19', 'EUR']),
    );
    const taxes = rows.filter((row) => row['record'] === 'payment').map((row) => Math.round(Number(row['tax']) * 1e6));
    const [stated] = rows.filter((row) => row['record'] === 'sum');
    expect(Math.round(Number(stated?.['tax']) * 1e6)).toBe(taxes.reduce((all, each) => all + each, 0));
    expect(stated?.['refundedTax']).toBe('1.596639');
  });

  it('is credited as a whole if the chain removes the charge after all, less what was credited', async () => {
    const id = await invoiced({ amount: '10.00' });
    await refunded(id, '4');
    for (let again = 0; again < 2; again += 1) await chain.charges.tell(id, 'reorged');
    const { creditNotes, total } = await invoiceOf(id);
    expect(creditNotes.map(({ lines, total: sum }) => [lines[0]?.kind, sum])).toEqual([
      ['refund', '4.00'],
      ['reversal', '6.00'],
    ]);
    expect(total).toBe('10.00');
  });

  it('is for payments that settle after the settings are saved, in the series of its mode', async () => {
    const other = await MerchantOverHttp.signUp(http, chain, 'Later');
    await other.setPayoutWallet();
    const id = await other.paid();
    await hasNone(id, /settings of invoices/, other);
    await expect(setInvoicing(http.deps, other.id, GERMAN, ORDER)).rejects.toMatchObject({ status: 409 });
    await setBranding(http.deps, other.id, SELLER, ORDER);
    merchant.later(1_000);
    await setInvoicing(http.deps, other.id, GERMAN, ORDER);
    await chain.charges.tell(id, 'finalized');
    await hasNone(id, /before the settings of invoices were saved/, other);
  });

  it('is at the receipt for whoever has its address, once it is issued', async () => {
    const id = await merchant.paid();
    const path = await http.deps.receipts.pathOf(id);
    const page = async (at: string) => http.send('GET', at, { headers: { Accept: 'text/html' } });
    const [secret] = path.split('/').slice(-1);
    expect(String((await page(path)).body)).toContain('on the page of the receipt as soon as the payment is final');
    expect((await page(`${path}/invoice.pdf`)).headers.get('location')).toBe(`../${secret}`);
    await chain.charges.tell(id, 'finalized');
    expect(String((await page(path)).body)).toContain(`href="${secret}/invoice.pdf?lang=en"`);
    expect((await page(`${path}/invoice.pdf`)).headers.get('content-type')).toBe('application/pdf');
    expect((await page(`${path}A/invoice.pdf`)).status).toBe(404);
  });
});
