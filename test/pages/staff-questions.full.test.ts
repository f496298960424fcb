import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { DevnetFacts } from '../../scripts/lib/devnet-facts.ts';
import { devnetFacts, walletNamed } from '../../scripts/lib/devnet-facts.ts';
import { staffToken } from '../../scripts/lib/running-service.ts';
import type { MerchantClient } from '../../stage/merchant-client.ts';
import type { ServiceProcess } from '../../stage/processes.ts';
import { removeFolder } from '../../stage/remove-folder.ts';
import { TOKEN_KEY } from '../../stage/sale.ts';
import { until } from '../../stage/until.ts';
import { Chromium, describeInChromium } from '../support/browser.ts';
import { createTestMerchant } from '../support/merchant.ts';
import { startServiceProcess } from '../support/service.ts';
import { openReceiver, type Receiver } from '../webhooks/receiver.ts';

const EMAIL = 'mia@example.com';
const CLICKS_MAX = 3;

const withId = z.object({ id: z.string() });
const payments = z.object({
  payments: z.array(z.looseObject({ id: z.string(), status: z.string(), pullTxHash: z.string().nullable() })),
});
const events = z.object({ events: z.array(z.looseObject({ id: z.string(), event: z.string() })) });

/** Eight questions of callers, each with the caller's facts, to a real process with its chain and its webhooks. */
describeInChromium('what callers ask', () => {
  const chromium = new Chromium();
  let dataDir: string;
  let service: ServiceProcess;
  let receiver: Receiver;
  let merchant: MerchantClient;
  let facts: DevnetFacts;
  let paid: string;
  let broke: string;
  let over: string;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'tideline-questions-'));
    receiver = await openReceiver();
    service = await startServiceProcess({ dataDir, env: { WEBHOOK_ALLOW_LOOPBACK: '1' } });
    facts = await devnetFacts(service);
    merchant = await createTestMerchant(() => service, dataDir);
    await merchant.call('PATCH', '/webhooks/endpoint', { url: receiver.url });
    await merchant.call('POST', '/wallets', {
      tokenKey: TOKEN_KEY,
      receiverWallet: walletNamed(facts, 'merchant').address,
    });
    const priceId = await offer();
    paid = await subscribe(priceId, 'approved', { email: EMAIL });
    await merchant.call('POST', '/sandbox/advance', { subscriptionId: paid, status: 'active' });
    await merchant.call('POST', '/sandbox/advance', { subscriptionId: paid });
    broke = await subscribe(priceId, 'empty');
    await merchant.call('POST', '/sandbox/charge', { subscriptionId: broke });
    over = await subscribe(priceId, 'payer-1');
    await merchant.call('POST', `/subscriptions/${over}/cancel`, {});
  }, 120_000);

  afterAll(async () => {
    await service?.stop();
    await receiver?.close();
    // Its processes are ending, and may still write.
    await removeFolder(dataDir);
  }, 120_000);

  async function offer(): Promise<string> {
    const pricing = [
      { amount: '10.00', acceptedTokens: [TOKEN_KEY], billing: { type: 'recurring', interval: 'month' } },
    ];
    const made = await merchant.call('POST', '/offers', { name: 'Coffee monthly', pricing });
    return z.object({ pricing: z.tuple([withId]) }).parse(made).pricing[0].id;
  }

  async function subscribe(priceId: string, wallet: string, customer: object = {}): Promise<string> {
    const wallets = [{ chainFamily: 'evm', address: walletNamed(facts, wallet).address }];
    const { id: customerId } = withId.parse(await merchant.call('POST', '/customers', { wallets, ...customer }));
    return withId.parse(await merchant.call('POST', '/subscriptions', { priceId, customerId })).id;
  }

  async function paymentsOf(subscriptionId: string) {
    return payments.parse(await merchant.call('GET', `/payments?subscriptionId=${subscriptionId}`)).payments;
  }

  /** The console, signed in, with a count of clicks from there on. */
  async function desk() {
    const visit = await chromium.visit();
    const { page } = visit;
    let clicks = 0;
    await page.goto(`${service.url}/staff`);
    await page.getByLabel('Staff token').fill(staffToken({ DATA_DIR: dataDir }).token);
    await page.getByRole('button', { name: 'Open the console' }).click();
    await page.getByRole('heading', { name: 'Recent trouble' }).waitFor();
    return {
      visit,
      page,
      search: async (q: string) => {
        await page.getByRole('searchbox').fill(q);
        await page.getByRole('button', { name: 'Search' }).click();
        clicks += 1;
      },
      open: async (name: string) => {
        await page.getByRole('link', { name }).first().click();
        clicks += 1;
      },
      answer: async (name: string) => {
        const said = await page.locator(`[data-answer="${name}"]`).textContent();
        expect(clicks).toBeLessThanOrEqual(CLICKS_MAX);
        return String(said);
      },
    };
  }

  it('where is my money? (the transaction in the wallet)', async () => {
    const hash = (await paymentsOf(paid)).find(({ status }) => status === 'settled')?.pullTxHash ?? '';
    const { visit, search, answer } = await desk();
    await search(hash);
    const said = await answer('where-is-the-money');
    await visit.expectSound();
    expect(said).toContain(`to ${walletNamed(facts, 'merchant').address} in ${hash}, and this is final`);
  });

  it('why was I charged twice? (an email address)', async () => {
    const { visit, search, open, answer } = await desk();
    await search(EMAIL);
    await open('Coffee monthly');
    const said = await answer('charged-twice');
    await visit.expectSound();
    expect(said).toMatch(/^2 charges have settled, each for its own period: cycle 2 for .*: 10\.00 USDC; cycle 1 for /);
  });

  it('when is the next charge? (the id of the subscription)', async () => {
    const { search, answer } = await desk();
    await search(paid);
    const { currentPeriodEnd } = z
      .object({ currentPeriodEnd: z.string() })
      .parse(await merchant.call('GET', `/subscriptions/${paid}`));
    const said = await answer('next-charge');
    expect(said).toContain(`On ${currentPeriodEnd.slice(0, 10)}`);
    expect(said).toContain('10.00 USDC');
  });

  it('why was it canceled? (the wallet)', async () => {
    const { search, open, answer } = await desk();
    await search(walletNamed(facts, 'payer-1').address);
    await open('Coffee monthly');
    expect(await answer('why-canceled')).toMatch(/somebody requested it\. Sent by api\.$/);
  });

  it('why did the payment fail? (the id of the invoice)', async () => {
    const [payment] = await paymentsOf(broke);
    const { search, answer } = await desk();
    await search(payment?.id.replace('pay_', 'inv_') ?? '');
    expect(await answer('why-failed')).toMatch(
      /^The wallet has too little of the token \(insufficient_balance\)\. The next attempt is on /,
    );
  });

  it('it is not paid: what happens next? (the wallet)', async () => {
    const { search, open, answer } = await desk();
    await search(walletNamed(facts, 'empty').address.toLowerCase());
    await open('Coffee monthly');
    expect(await answer('why-failing')).toMatch(/Attempt 1 of cycle 1 failed: .* The next attempt is on /);
  });

  it('did our server get the webhook? (the id of the event)', async () => {
    const list = async () => events.parse(await merchant.call('GET', '/events?event=payment.succeeded'));
    const { events: reported } = await until('two charges have been told', list, (each) => each.events.length > 1);
    const { search, answer } = await desk();
    await until(
      'the event has arrived',
      () => receiver.received.map(({ envelope }) => envelope.id),
      (ids) => ids.includes(reported[0]?.id ?? ''),
    );
    await search(reported[0]?.id ?? '');
    expect(await answer('was-it-delivered')).toMatch(/^Yes; attempt 1 on .* ended with 200\./);
  });

  it('what was this charge for? (the invoice id of a webhook)', async () => {
    const [payment] = await paymentsOf(paid);
    const { search, answer } = await desk();
    await search(payment?.id.replace('pay_', 'sub-pay-') ?? '');
    expect(await answer('what-for')).toMatch(new RegExp(`^Cycle 2 of ${paid}, for `));
  });

  it('please send that webhook again (the id of the event): once, with a reason', async () => {
    const { events: reported } = events.parse(await merchant.call('GET', '/events?event=subscription.canceled'));
    const id = reported[0]?.id ?? '';
    const { search, page, visit } = await desk();
    await search(id);
    await page.getByRole('button', { name: 'Deliver once more' }).click();
    await page.getByLabel('Reason').fill('their server was down');
    await page.getByRole('dialog').getByRole('button', { name: 'Deliver once more' }).click();
    const count = () => receiver.received.filter(({ envelope }) => envelope.id === id).length;
    await until('it has arrived twice', count, (times) => times === 2);
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByText('2 attempts').waitFor();
    await visit.expectSound();
    const { token } = staffToken({ DATA_DIR: dataDir });
    const path = `${service.url}/staff/api/merchants/${merchant.id}/journal`;
    const journal = await fetch(path, { headers: { Authorization: `Bearer ${token}` } });
    expect(await journal.json()).toMatchObject({
      entries: [{ action: 'delivery.redelivered', by: 'staff', reason: 'their server was down' }],
    });
  });
});
