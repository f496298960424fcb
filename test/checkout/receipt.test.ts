import { z } from 'zod';
import { setBranding } from '../../src/billing/administration/branding.ts';
import { ReceiptLinks } from '../../src/billing/receipts/links.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import { PLENTY } from '../../stage/scripted-chain.ts';
import { monthly } from '../support/bodies.ts';
import { expectError } from '../support/http.ts';
import { CheckoutOverHttp, type OnSale } from './support/checkout.ts';

const checkout = await CheckoutOverHttp.start();
const { http } = checkout;

beforeEach(() => {
  checkout.chain.state = PLENTY;
  checkout.chain.sent = [];
  checkout.later(60_000);
});

const withReceipt = z.object({ outcome: z.object({ receiptPath: z.string().nullable() }) });

/** Where the receipt of a session stays; null: nowhere yet. */
async function receiptOf(sessionKey: string): Promise<string | null> {
  return withReceipt.parse((await checkout.get(`/sessions/${sessionKey}`)).body).outcome.receiptPath;
}

async function page(path: string | null, language = 'en'): Promise<string> {
  const headers = { Accept: 'text/html', 'Accept-Language': language };
  const { status, body } = await http.send('GET', path ?? '', { headers });
  expect([path, status]).toEqual([path, 200]);
  return String(body);
}

/** The names and texts of the facts on a page, without elements. */
function factsIn(html: string): { readonly [name: string]: string } {
  const pairs = [...html.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g)];
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value.replaceAll(/<[^>]+>/g, '')]));
}

/** A one-time payment of a wallet that is settled. */
async function paid(sale: OnSale) {
  const payer = checkout.newPayer();
  const sessionKey = checkout.newKey();
  await checkout.pay(sale, payer, { sessionKey });
  const [payment] = await checkout.payments(sale);
  const id = payment?._id ?? '';
  expect(await receiptOf(sessionKey)).toBeNull();
  await checkout.chain.charges.settle(id);
  return { id, payer, sessionKey, path: await receiptOf(sessionKey) };
}

describe('a receipt', () => {
  it('has number, seller, item, amount, date, token, network, payer and transaction, for whoever has the link', async () => {
    const sale = await checkout.oneTime();
    const change = { legalName: 'Acme <GmbH>', legalAddress: 'Main Street 1\n10115 Berlin' };
    await setBranding(http.deps, sale.merchant.id, change, { by: 'member:Ada', reason: 'a test' });
    const { id, payer, path } = await paid(sale);
    expect(path).toMatch(new RegExp(`^/receipts/${id}/[\\w-]{22}$`));
    const html = await page(path);
    expect(html).toContain('<strong><bdi>Acme &lt;GmbH&gt;</bdi></strong>');
    expect(html).toContain('Main Street 1\n10115 Berlin');
    expect(html).toContain('Test mode: no real money moves.');
    expect(factsIn(html)).toEqual({
      Number: id,
      For: 'Course, Acme',
      Amount: '25.00 USDC',
      Date: expect.stringMatching(/^January 15, 2030 at \d\d:\d\d AM UTC$/),
      'Paid with': 'USDC on Local EVM',
      'From the wallet': payer.address,
      Transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
    expect(factsIn(await page(path, 'de'))).toMatchObject({ Betrag: '25,00 USDC', 'Vom Wallet': payer.address });
  });

  it('is out of search engines and caches, and loads nothing from elsewhere', async () => {
    const { path } = await paid(await checkout.oneTime());
    const { headers } = await http.send('GET', path ?? '');
    expect(['x-robots-tag', 'cache-control', 'referrer-policy'].map((name) => headers.get(name))).toEqual([
      'noindex',
      'no-store',
      'no-referrer',
    ]);
    expect(headers.get('content-security-policy')).toContain("connect-src 'self';");
  });

  it('names the transfers of who paid from an exchange', async () => {
    const sale = await checkout.oneTime();
    const { sessionKey, address } = await checkout.transfer(sale);
    for (const amount of [10_000_000n, 15_000_000n]) await checkout.arrives(address, amount);
    const [payment] = await checkout.payments(sale);
    await checkout.chain.charges.settle(payment?._id ?? '');
    const facts = factsIn(await page(await receiptOf(sessionKey)));
    expect(facts).toMatchObject({ Number: payment?._id, Amount: '25.00 USDC', For: 'Course, Acme' });
    expect(facts['Your transfer']).toBe('0xsent00xsent1');
    expect(facts).not.toHaveProperty('From the wallet');
  });

  it('of a trial says what was agreed, and when the first charge follows; the payment has one of its own', async () => {
    const seats = { model: 'per_unit', minQuantity: 2, maxQuantity: 9 };
    const pricing = [monthly({ trialDays: 14, maxCycles: 12, ...seats })];
    const sale = await checkout.offer({ name: 'Tea', pricing });
    const sessionKey = checkout.newKey();
    await checkout.subscribe(sale, checkout.newPayer(), { sessionKey });
    const path = await receiptOf(sessionKey);
    const [subscription] = await checkout.subscriptions(sale);
    const id = subscription?._id ?? '';
    expect(path).toContain(`/receipts/${id}/`);
    expect(factsIn(await page(path))).toEqual({
      Number: id,
      For: 'Tea, Acme',
      Date: 'January 15, 2030',
      Price: '2 × 9.90 USD every month, ends after 12 payments',
      'Paid with': 'USDC on Local EVM',
      'Free until': 'January 29, 2030',
      Paid: 'Nothing yet',
      'First charge': '2 × 9.90 USD on January 29, 2030',
    });
    checkout.later(15 * 86_400_000);
    await checkout.payFirstCycle(id);
    expect(factsIn(await page(path))).toMatchObject({ Paid: '1 charge so far' });
    const [payment] = await checkout.payments(sale);
    const own = await receiptOf(sessionKey);
    expect(own).toContain(`/receipts/${payment?._id}/`);
    const paidFor = { Quantity: '2', Amount: '19.80 USDC', Period: expect.stringMatching(/ to /) };
    expect(factsIn(await page(own))).toMatchObject(paidFor);
  });

  it('keeps its date, and says what was given back, when the merchant refunds a part later', async () => {
    const sale = await checkout.oneTime();
    const { id, payer, sessionKey, path } = await paid(sale);
    const session = async () => JSON.stringify((await checkout.get(`/sessions/${sessionKey}`)).body);
    const [before, paidAt] = [factsIn(await page(path)), /"paidAt":"[^"]+"/.exec(await session())?.[0]];
    checkout.later(3_600_000);
    await sale.merchant.post(`/payments/${id}/refunds`, { amount: '10', idempotencyKey: 'one' });
    const transfer = { receiver: payer.address, amount: 10_000_000n, transaction: '0xreturned' };
    await sale.merchant.sentBack(id, transfer);
    expect(factsIn(await page(path))).toEqual({
      ...before,
      Refunded: expect.stringMatching(/^10\.00 USDC on .+ UTC0xreturned$/),
    });
    expect(await session()).toContain(paidAt);
  });

  it('stays when the merchant is suspended', async () => {
    const sale = await checkout.oneTime();
    const { path } = await paid(sale);
    await http.store.records.change('merchants', sale.merchant.id, {}, { set: { status: 'suspended' } });
    expect(await page(path)).toContain('Course, Acme');
  });

  it('gives nothing to a wrong or guessed link, nor before the payment is settled', async () => {
    const mine = await paid(await checkout.oneTime());
    const other = await paid(await checkout.oneTime());
    const [secret = ''] = mine.path?.split('/').slice(-1) ?? [];
    const sale = await checkout.oneTime();
    await checkout.pay(sale, checkout.newPayer());
    const [open] = await checkout.payments(sale);
    const wrong = [
      `/receipts/${other.id}/${secret}`,
      `/receipts/${mine.id}/${secret.slice(0, -4)}AAAA`,
      `/receipts/${mine.id}/${secret}A`,
      `/receipts/${mine.id}/`,
      `/receipts/${mine.id}`,
      `/receipts/${mine.id}/%zz`,
      await http.deps.receipts.pathOf(open?._id ?? ''),
      await http.deps.receipts.pathOf(sale.merchant.id),
    ];
    for (const path of wrong) {
      const { status, body } = await http.send('GET', path, { headers: { Accept: 'text/html' } });
      expect([path, status]).toEqual([path, 404]);
      expect(String(body)).not.toMatch(/Course|Acme|USDC/);
      expectError(await http.send('GET', path), 404, 'Not found');
    }
  });
});

describe('the links of receipts', () => {
  it('are the same in each process and after a restart, and differ between installations', async () => {
    const { records } = openMemoryStore({ now: () => new Date() });
    const processes = [new ReceiptLinks(records), new ReceiptLinks(records)];
    const [one, two] = await Promise.all(processes.map((links) => links.pathOf('pay_1')));
    expect(two).toBe(one);
    expect(await new ReceiptLinks(records).pathOf('pay_1')).toBe(one);
    const { records: elsewhere } = openMemoryStore({ now: () => new Date() });
    expect(await new ReceiptLinks(elsewhere).pathOf('pay_1')).not.toBe(one);
  });
});
