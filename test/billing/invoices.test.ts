import { Invoices } from '../../src/billing/invoices/invoices.ts';
import { STATIC_RATES, staticRates } from '../../src/billing/offers/rates.ts';
import type { ChargeDoc, Invoicing } from '../../src/store/collections.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { LedgerStore } from '../../src/store/port.ts';
import { overriding } from '../../stage/overriding.ts';
import { scriptedCatalog } from '../../stage/scripted-chain.ts';
import { merchantOf } from '../store/support/documents.ts';
import { startTestDevnet } from '../support/devnet.ts';
import { settledPayment } from '../support/settled-payment.ts';

const INVOICING: Invoicing = {
  ...{ since: new Date('2029-01-01T00:00:00.000Z'), country: 'DE', taxId: null, currency: 'EUR' },
  ...{ isTaxIncluded: true, taxRate: '19', taxRates: {} },
};
const devnet = await startTestDevnet();
let now = new Date('2030-12-31T23:30:00.000Z');
let made = 0;

/** An issuer in a process of its own. */
function issuer(store: LedgerStore, records: Partial<LedgerStore['records']> = {}): Invoices {
  const settings = { read: async () => {}, invoicing: () => INVOICING };
  const rates = staticRates(STATIC_RATES);
  const reached = { actors: store.actors, records: overriding(store.records, records) };
  return new Invoices({ store: reached, catalog: scriptedCatalog(), clock: () => now, rates, settings });
}

async function shop(store: LedgerStore, fields: object = {}): Promise<string> {
  made += 1;
  const _id = `mrc_invoices_${made}`;
  await store.records.insert('merchants', [merchantOf(_id, { invoicing: INVOICING, ...fields })]);
  return _id;
}

/** The charges of so many settled payments. */
async function paid(store: LedgerStore, merchantId: string, count: number): Promise<ChargeDoc[]> {
  const charges: ChargeDoc[] = [];
  while (charges.length < count) charges.push((await settledPayment(store, { merchantId })).charge);
  return charges;
}

const issuedBy = (store: LedgerStore, merchantId: string) =>
  store.records.find('invoices', { where: { merchantId, mode: 'test' }, sort: [['number', 1]], limit: 1_000 });

describe.each([
  ['in memory', async () => openMemoryStore()],
  ['on MongoDB', () => devnet.openStore('invoices')],
] as const)('the numbers of invoices %s', (_form, open) => {
  let store: LedgerStore;
  beforeAll(async () => {
    store = await open();
  });

  it('have no gap and no double, whoever issues at once, and each payment has one invoice', async () => {
    const merchantId = await shop(store);
    const charges = await paid(store, merchantId, 24);
    const issuers = Array.from({ length: 4 }, () => issuer(store));
    await Promise.all(issuers.map((each, index) => each.issue(index % 2 === 0 ? charges : charges.toReversed())));
    const issued = await issuedBy(store, merchantId);
    expect(issued.map(({ number }) => number)).toEqual(charges.map((_, index) => index + 1));
    expect(new Set(issued.map(({ paymentId }) => paymentId)).size).toBe(charges.length);
  });

  it('have no gap where another process took the next number first', async () => {
    const merchantId = await shop(store);
    const charges = await paid(store, merchantId, 2);
    let isOvertaken = false;
    const slow = issuer(store, {
      insert: async (into, docs) => {
        if (!isOvertaken) await issuer(store).issue(charges.slice(0, 1));
        isOvertaken = true;
        return store.records.insert(into, docs);
      },
    });
    await slow.issue(charges.slice(1));
    const issued = await issuedBy(store, merchantId);
    const expected = charges.map(({ paymentId }, index) => ({ number: index + 1, paymentId }));
    expect(issued).toMatchObject(expected);
  });

  it('have no gap where a process dies before or after its insert, and the next one goes on', async () => {
    const merchantId = await shop(store);
    const charges = await paid(store, merchantId, 6);
    let writes = 0;
    const dying = issuer(store, {
      insert: async (into, docs) => {
        writes += 1;
        if (writes === 2) throw new Error('it died before the write');
        const verdicts = await store.records.insert(into, docs);
        if (writes === 4) throw new Error('it died before the answer');
        return verdicts;
      },
    });
    for (const charge of charges) await dying.issue([charge]).catch(() => undefined);
    expect((await issuedBy(store, merchantId)).map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
    await issuer(store).issue(charges);
    const issued = await issuedBy(store, merchantId);
    expect(issued.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(new Set(issued.map(({ paymentId }) => paymentId)).size).toBe(6);
  });

  it('begin anew with the year of the merchant, which is not that of UTC', async () => {
    const berlin = await shop(store, { timeZone: 'Europe/Berlin' });
    const utc = await shop(store);
    for (const merchantId of [berlin, utc]) {
      now = new Date('2030-12-31T22:30:00.000Z');
      await issuer(store).issue(await paid(store, merchantId, 1));
      now = new Date('2030-12-31T23:30:00.000Z');
      await issuer(store).issue(await paid(store, merchantId, 1));
    }
    const series = async (merchantId: string) => (await issuedBy(store, merchantId)).map(({ _id }) => _id).sort();
    expect(await series(berlin)).toEqual([`${berlin}:test:2030:1`, `${berlin}:test:2031:1`]);
    expect(await series(utc)).toEqual([`${utc}:test:2030:1`, `${utc}:test:2030:2`]);
  });
});

describe('an issuer', () => {
  it('issues nothing for a payment that has failed', async () => {
    const store = openMemoryStore();
    const merchantId = await shop(store);
    const failed = await settledPayment(store, { merchantId, status: 'failed' });
    await issuer(store).issue([failed.charge]);
    expect(await issuedBy(store, merchantId)).toEqual([]);
  });
});
