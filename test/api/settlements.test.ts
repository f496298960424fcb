import { parse } from 'csv-parse/sync';
import { spyOn } from 'jest-mock';
import { settlementsOf } from '../../src/billing/revenue/settlements.ts';
import { monthIn } from '../../src/model/time-zones.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { LedgerStore } from '../../src/store/port.ts';
import { batchOf, commitOf } from '../store/support/documents.ts';
import { offerBody } from '../support/bodies.ts';
import { startTestDevnet } from '../support/devnet.ts';
import { ExplainedStore } from '../support/explained-store.ts';
import { expectError, type HttpHarness, idOf, startHttp } from '../support/http.ts';
import { settledPayment } from '../support/settled-payment.ts';

const devnet = await startTestDevnet();
const raw = await devnet.openClient();
const explained = new ExplainedStore(await devnet.openStore('settlements'));
const FORMS: readonly [string, LedgerStore][] = [
  ['in memory', openMemoryStore()],
  ['on MongoDB', explained.store],
];

/** Names that a spreadsheet would run, and names that break careless CSV. */
const NAMES = ['=HYPERLINK("http://x")', '+1', '-1', '@sum', 'Zoë, "Zo"\r\nand 田中', '\tTab'];

function fail(): never {
  throw new Error('the payment is missing');
}

function rowsOf(text: unknown): Record<string, string>[] {
  return parse(String(text), { columns: true });
}

describe.each(FORMS)('GET /settlements %s', (form, store) => {
  let http: HttpHarness;
  let key: string;
  let merchantId: string;
  beforeAll(async () => {
    http = await startHttp({ store });
  });
  beforeEach(async () => {
    ({
      testKey: key,
      merchant: { _id: merchantId },
    } = await http.merchant());
    explained.forget();
  });

  const settle = async (settledAt: string, attributes = {}, amount = '10000000') =>
    (await settledPayment(store, { merchantId, settledAt: new Date(settledAt), attributes, amount })).id;
  const make = async (path: string, body: object) => idOf(await http.call('POST', path, { key, body }));
  const list = async (query: string) => Object((await http.call('GET', `/settlements${query}`, { key })).body);
  const csv = async (query: string) =>
    (await http.send('GET', `/v1/settlements${query}`, { key, headers: { Accept: 'text/csv' } })).body;

  it('has the payments that settled in the month (UTC), the oldest first, with their names and sums', async () => {
    const offerId = await make('/offers', offerBody({ name: 'Coffee Club' }));
    const customerId = await make('/customers', { email: 'mia@example.com' });
    await http.call('DELETE', `/offers/${offerId}`, { key });
    await settle('2029-12-31T23:59:59.999Z');
    const last = await settle('2030-01-31T23:59:59.999Z', { customerId, offerId });
    const first = await settle('2030-01-01T00:00:00.000Z', { platformAmount: '1', merchantAmount: '9999999' });
    await settle('2030-02-01T00:00:00.000Z');
    await settledPayment(store, { merchantId, status: 'failed' });
    await settledPayment(store, { merchantId: 'mrc_other' });

    const month = await list('?month=2030-01');
    expect(month.settlements).toMatchObject([
      { id: first, gross: '10.00', fee: '0.000001', net: '9.999999', customerName: null, offerName: null },
      {
        ...{ id: last, settledAt: '2030-01-31T23:59:59.999Z', gross: '10.00', fee: '0.10', net: '9.90' },
        ...{ customerId, customerName: 'mia@example.com', offerId, offerName: 'Coffee Club' },
        ...{ token: 'USDC', network: 'Local EVM' },
      },
    ]);
    expect(month.sums).toEqual([
      {
        ...{ payments: 2, gross: '20.00', fee: '0.100001', net: '19.899999', refunds: 0, refunded: '0.00' },
        ...{ token: 'USDC', network: 'Local EVM', tokenKey: 'usdc-local-evm' },
      },
    ]);
    expect(month.month).toBe('2030-01');
    expect(await list('')).toEqual(month);
    const pages = [await list('?limit=1'), await list(`?limit=1&startingAfter=${first}`)];
    expect(pages.map(({ settlements, hasMore }) => [settlements[0].id, hasMore])).toEqual([
      [first, true],
      [last, false],
    ]);
    expect((await list('?month=2030-03')).sums).toEqual([]);
    expect(month.refunds).toEqual([]);
    if (form !== 'on MongoDB') return;
    const sorted = await explained.scans(raw.db('settlements'));
    // The refunds of a month are few, and read by payment.
    expect(sorted.filter((query) => !query.includes('refunds.settledAt') || query.includes('COLLSCAN'))).toEqual([]);
  });

  it('has the refunds that settled in the month (UTC), whatever the month of their payment', async () => {
    const waits = { status: 'requested', transfer: null, settledAt: null } as const;
    const refunds = [
      { id: 'ref_4', settledAt: '2030-01-31T23:59:59.999Z', amount: '1' },
      { id: 'ref_1', settledAt: '2029-12-31T23:59:59.999Z' },
      { id: 'ref_2', ...waits },
      { id: 'ref_5', settledAt: '2030-02-01T00:00:00.000Z' },
    ];
    const customerId = await make('/customers', { email: 'mia@example.com' });
    const before = new Date('2029-12-01T00:00:00.000Z');
    const paid = { merchantId, settledAt: before, attributes: { customerId } };
    const { id: paymentId } = await settledPayment(store, { ...paid, refunds });
    // It fails by a reorganization after it was refunded.
    const first = { id: 'ref_3', settledAt: '2030-01-01T00:00:00.000Z' };
    await settledPayment(store, { merchantId, status: 'failed', refunds: [first] });
    await settledPayment(store, { merchantId: 'mrc_other', refunds: [first] });
    const month = await list('?month=2030-01');
    expect(month.settlements).toEqual([]);
    expect(month.refunds).toMatchObject([
      { id: 'ref_3', refunded: '4.00', settledAt: first.settledAt, customerName: null, transaction: '0xback' },
      { id: 'ref_4', paymentId, refunded: '0.000001', customerName: 'mia@example.com', network: 'Local EVM' },
    ]);
    expect(month.sums).toMatchObject([{ payments: 0, gross: '0.00', net: '0.00', refunds: 2, refunded: '4.000001' }]);
    expect(rowsOf(await csv('?month=2030-01'))).toMatchObject([
      { record: 'refund', id: 'ref_3', gross: '', refunded: '4.00' },
      { record: 'refund', id: 'ref_4', paymentId, gross: '', refunded: '0.000001' },
      { record: 'sum', gross: '0.00', refunded: '4.000001' },
    ]);
  });

  it('has a payment that has changed since at the moment when it settled', async () => {
    const moved = await settle('2030-01-10T00:00:00.000Z');
    const other = await settle('2030-01-11T00:00:00.000Z');
    const [before = fail()] = await store.actors.load('payment', [moved]);
    const { context, value, status, machineVersion } = before;
    const block = { number: 51, hash: '0xb10c' };
    const set = { context: { ...context, block }, value, status, machineVersion };
    const updatedAt = new Date('2030-02-12T00:00:00.000Z');
    await store.actors.commit('payment', batchOf([commitOf(before, {}, { ...set, updatedAt })]));
    const first = await list('?limit=1');
    const second = await list(`?limit=1&startingAfter=${moved}`);
    expect([first, second].map(({ settlements }) => settlements[0]?.id)).toEqual([moved, other]);
  });

  it('runs from midnight to midnight in the time zone of the merchant', async () => {
    expect((await http.call('GET', '/account', { key })).body).toMatchObject({ timeZone: 'UTC' });
    const set = (timeZone: string) => http.call('PATCH', '/account', { key, body: { timeZone } });
    expectError(await set('Mars/Base'), 400, 'timeZone must be a name of the IANA database such as Europe/Berlin');
    expectError(await set('+09:00'), 400, 'timeZone must be a name of the IANA database such as Europe/Berlin');
    expect((await set('Asia/Tokyo')).body).toMatchObject({ timeZone: 'Asia/Tokyo' });
    await settle('2029-12-31T14:59:59.999Z');
    const first = await settle('2029-12-31T15:00:00.000Z');
    const last = await settle('2030-01-31T14:59:59.999Z');
    await settle('2030-01-31T15:00:00.000Z');
    const month = await list('?month=2030-01');
    expect(month.settlements.map(({ id }: { id: string }) => id)).toEqual([first, last]);
    expect(month).toMatchObject({ timeZone: 'Asia/Tokyo', sums: [{ payments: 2 }] });
    expect(rowsOf(await csv('?month=2030-01')).map(({ id }) => id)).toEqual([first, last, '']);
  });

  it.each(['2030', '2030-13', '2030-1', '30-01', '0000-10', '9999-12'])('refuses the month %s', async (month) => {
    expect((await http.call('GET', `/settlements?month=${month}`, { key })).status).toBe(400);
  });

  if (form === 'on MongoDB') return;

  it('is one CSV of the whole month, whose names run nothing and whose sums are those of its rows', async () => {
    const ids: string[] = [];
    for (const [index, name] of NAMES.entries()) {
      const customerId = await make('/customers', { name });
      ids.push(await settle(`2030-01-1${index}T00:00:00.000Z`, { customerId }, `1234567890123456789012345${index}`));
    }
    for (let more = 0; more < 250; more += 1) await settle('2030-01-20T00:00:00.000Z');
    const text = String(await csv('?month=2030-01&limit=1'));
    expect(text.split('\r\n')[0]).toBe(
      'record,id,settledAt,customerId,customerName,offerId,offerName,gross,fee,net,token,network,tokenKey,transaction,invoice,tax,gas,currency,rate,rateSource,value,paymentId,refunded,creditNote,refundedTax,excludingTax,taxRate,country',
    );
    const rows = rowsOf(text);
    const payments = rows.filter(({ record }) => record === 'payment');
    expect(payments.slice(0, NAMES.length).map(({ id, customerName }) => [id, customerName])).toEqual(
      NAMES.map((name, index) => [ids[index], /^[=+\-@\t]/.test(name) ? `'${name}` : name]),
    );
    expect(payments.length).toBe(256);
    const { sums } = await list('?month=2030-01');
    const stated = rows.filter(({ record }) => record === 'sum');
    expect(stated.map(({ gross, fee, net, token, network }) => ({ gross, fee, net, token, network }))).toEqual(
      sums.map(({ gross, fee, net, token, network }: Record<string, string>) => ({ gross, fee, net, token, network })),
    );
    const units = (amount = '') => BigInt(amount.replace(/\.(\d*)$/, (_, digits) => digits.padEnd(6, '0')));
    const added = payments.reduce((sum, { gross }) => sum + units(gross), 0n);
    expect(stated.map(({ gross }) => units(gross))).toEqual([added]);
    expect(rowsOf(await csv('?month=2030-03'))).toEqual([]);
  });

  it('reads a part when the reader has taken the one before, and breaks off if the next cannot be read', async () => {
    for (let more = 0; more < 450; more += 1) await settle('2030-01-20T00:00:00.000Z');
    const find = spyOn(store.actors, 'find');
    const sizes: number[] = [];
    for await (const part of settlementsOf(http.deps, { merchantId, mode: 'test' }, monthIn('UTC', '2030-01'))) {
      sizes.push(part.length);
      expect(find.mock.calls.length).toBe(sizes.length);
    }
    expect(sizes).toEqual([200, 200, 50]);
    find.mockRestore();

    const broken = spyOn(store.actors, 'load').mockRejectedValueOnce(new Error('the database is gone'));
    await expect(csv('?month=2030-01')).rejects.toThrow();
    broken.mockRestore();
    expect(rowsOf(await csv('?month=2030-01')).length).toBe(451);
  });
});
