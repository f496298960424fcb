import { until } from '../../stage/until.ts';
import { describeInChromium } from '../support/browser.ts';
import { openReceiver, type Receiver } from '../webhooks/receiver.ts';
import { MONTHLY, type NewCustomer, newSubscription, type PageMerchant, PageStage } from './support/page-stage.ts';
import { confirm, enterToken, search } from './support/staff-console.ts';

const EMAIL = 'mia@example.com';
const CLICKS_MAX = 3;

/** Eight questions of callers, each with the caller's facts, to a real process with its chain and its webhooks. */
const stage = new PageStage();

describeInChromium('what callers ask', () => {
  let receiver: Receiver;
  let merchant: PageMerchant;
  let paid: string;
  let broke: string;

  beforeAll(async () => {
    receiver = await openReceiver();
    const sale = await stage.sale([MONTHLY], { name: 'Coffee monthly' });
    merchant = sale.merchant;
    const { sandbox, subscriptions, webhooks } = merchant.api;
    await webhooks.setEndpoint({ url: receiver.url });
    const subscribe = async (wallet: string, customer: NewCustomer = {}) => {
      const wallets = [{ chainFamily: 'evm' as const, address: stage.chain.addressOf(wallet) }];
      return (await newSubscription(sale, { wallets, ...customer })).id;
    };
    paid = await subscribe('approved', { email: EMAIL });
    await sandbox.advance({ subscriptionId: paid, status: 'active' });
    await sandbox.advance({ subscriptionId: paid });
    broke = await subscribe('empty');
    await sandbox.charge({ subscriptionId: broke });
    await subscriptions.cancel(await subscribe('payer-1'));
  }, 120_000);

  afterAll(() => receiver?.close());

  async function paymentsOf(subscriptionId: string) {
    return (await merchant.api.payments.list({ subscriptionId })).payments;
  }

  /** The console, signed in, with a count of clicks from there on. */
  async function openConsole() {
    const visit = await stage.chromium.visit({ at: `${stage.url}/staff` });
    const { page } = visit;
    let clicks = 0;
    await enterToken(page, stage.staff().token);
    await page.getByRole('heading', { name: 'Recent trouble' }).waitFor();
    return {
      ...visit,
      search: async (q: string) => {
        await search(page, q);
        clicks += 1;
      },
      open: async (name: string) => {
        await page.getByRole('link', { name }).first().click();
        clicks += 1;
      },
      answer: async (name: string) => {
        const text = await page.locator(`[data-answer="${name}"]`).textContent();
        expect(clicks).toBeLessThanOrEqual(CLICKS_MAX);
        return String(text);
      },
    };
  }

  it('where is my money? (the transaction in the wallet)', async () => {
    const hash = (await paymentsOf(paid)).find(({ status }) => status === 'settled')?.pullTxHash ?? '';
    const { expectSound, search, answer } = await openConsole();
    await search(hash);
    const text = await answer('where-is-the-money');
    await expectSound();
    expect(text).toContain(`to ${stage.chain.addressOf('merchant')} in ${hash}, and this is final`);
  });

  it('why was I charged twice? (an email address)', async () => {
    const { expectSound, search, open, answer } = await openConsole();
    await search(EMAIL);
    await open('Coffee monthly');
    const text = await answer('charged-twice');
    await expectSound();
    expect(text).toMatch(/^2 charges have settled, each for its own period: cycle 2 for .*: 10\.00 USDC; cycle 1 for /);
  });

  it('when is the next charge? (the id of the subscription)', async () => {
    const { search, answer } = await openConsole();
    await search(paid);
    const { currentPeriodEnd } = await merchant.api.subscriptions.get(paid);
    const text = await answer('next-charge');
    expect(text).toContain(`On ${currentPeriodEnd?.slice(0, 10)}`);
    expect(text).toContain('10.00 USDC');
  });

  it('why was it canceled? (the wallet)', async () => {
    const { search, open, answer } = await openConsole();
    await search(stage.chain.addressOf('payer-1'));
    await open('Coffee monthly');
    expect(await answer('why-canceled')).toMatch(/somebody requested it\. Sent by api\.$/);
  });

  it('why did the payment fail? (the id of the invoice)', async () => {
    const [payment] = await paymentsOf(broke);
    const { search, answer } = await openConsole();
    await search(payment?.id.replace('pay_', 'inv_') ?? '');
    expect(await answer('why-failed')).toMatch(
      /^The wallet has too little of the token \(insufficient_balance\)\. The next attempt is on /,
    );
  });

  it('it is not paid: what happens next? (the wallet)', async () => {
    const { search, open, answer } = await openConsole();
    await search(stage.chain.addressOf('empty').toLowerCase());
    await open('Coffee monthly');
    expect(await answer('why-failing')).toMatch(/Attempt 1 of cycle 1 failed: .* The next attempt is on /);
  });

  it('did our server get the webhook? (the id of the event)', async () => {
    const list = () => merchant.api.events.list({ event: 'payment.succeeded' });
    const { events: reported } = await until('two charges have been told', list, (each) => each.events.length > 1);
    const { search, answer } = await openConsole();
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
    const { search, answer } = await openConsole();
    await search(payment?.id.replace('pay_', 'sub-pay-') ?? '');
    expect(await answer('what-for')).toMatch(new RegExp(`^Cycle 2 of ${paid}, for `));
  });

  it('please send that webhook again (the id of the event): once, with a reason', async () => {
    const { events: reported } = await merchant.api.events.list({ event: 'subscription.canceled' });
    const id = reported[0]?.id ?? '';
    const { search, page, expectSound } = await openConsole();
    await search(id);
    await page.getByRole('button', { name: 'Deliver once more' }).click();
    await confirm(page, 'Deliver once more', 'their server was down');
    const count = () => receiver.received.filter(({ envelope }) => envelope.id === id).length;
    await until('it has arrived twice', count, (times) => times === 2);
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByText('2 attempts').waitFor();
    await expectSound();
    const { url, token } = stage.staff();
    const path = `${url}/staff/api/merchants/${merchant.id}/journal`;
    const journal = await fetch(path, { headers: { Authorization: `Bearer ${token}` } });
    expect(await journal.json()).toMatchObject({
      entries: [{ action: 'delivery.redelivered', by: 'staff', reason: 'their server was down' }],
    });
  });
});
