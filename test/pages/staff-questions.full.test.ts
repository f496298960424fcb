import { until } from '../../stage/until.ts';
import { describeInChromium } from '../support/browser.ts';
import { openReceiver, type Receiver } from '../webhooks/receiver.ts';
import { MONTHLY, type NewCustomer, newSubscription, type PageMerchant, PageStage } from './support/page-stage.ts';
import { confirm, enterToken, search } from './support/staff-console.ts';

const EMAIL = 'mia@example.com';

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

  /** The console, after a search. */
  async function searched(sought: string) {
    const visit = await stage.chromium.visit({ at: `${stage.url}/staff` });
    await enterToken(visit.page, stage.staff().token);
    await visit.page.getByRole('heading', { name: 'Recent trouble' }).waitFor();
    await search(visit.page, sought);
    return visit;
  }

  /** The answer to a question after two clicks at most: a search, and `opened` among several results. */
  async function answerTo(question: string, sought: string, opened?: string): Promise<string> {
    const { page, expectSound } = await searched(sought);
    if (opened !== undefined) await page.getByRole('link', { name: opened }).first().click();
    const answer = page.locator(`[data-answer="${question}"]`);
    await answer.waitFor();
    // What it names is short; its title has all of it.
    const text = await answer.evaluate((shown) => {
      for (const code of shown.querySelectorAll('code')) code.textContent = code.title;
      return shown.textContent;
    });
    await expectSound();
    return String(text);
  }

  it('where is my money? (the transaction in the wallet)', async () => {
    const hash = (await paymentsOf(paid)).find(({ status }) => status === 'settled')?.pullTxHash ?? '';
    expect(await answerTo('where-is-the-money', hash)).toContain(
      `to ${stage.chain.addressOf('merchant')} in ${hash}, and this is final`,
    );
  });

  it('why was I charged twice? (an email address)', async () => {
    const text = await answerTo('charged-twice', EMAIL, 'Coffee monthly');
    expect(text).toMatch(/^2 charges have settled, each for its own period: cycle 2 for .*: 10\.00 USDC; cycle 1 for /);
  });

  it('when is the next charge? (the id of the subscription)', async () => {
    const { currentPeriodEnd } = await merchant.api.subscriptions.get(paid);
    const text = await answerTo('next-charge', paid);
    expect(text).toContain(`On ${currentPeriodEnd?.slice(0, 10)}`);
    expect(text).toContain('10.00 USDC');
  });

  it('why was it canceled? (the wallet)', async () => {
    const text = await answerTo('why-canceled', stage.chain.addressOf('payer-1'), 'Coffee monthly');
    expect(text).toMatch(/somebody requested it\. Sent by api\.$/);
  });

  it('why did the payment fail? (the id of the invoice)', async () => {
    const [payment] = await paymentsOf(broke);
    expect(await answerTo('why-failed', payment?.id.replace('pay_', 'inv_') ?? '')).toMatch(
      /^The wallet has too little of the token \(insufficient_balance\)\. The next attempt is on /,
    );
  });

  it('it is not paid: what happens next? (the wallet)', async () => {
    const text = await answerTo('why-failing', stage.chain.addressOf('empty').toLowerCase(), 'Coffee monthly');
    expect(text).toMatch(/Attempt 1 of cycle 1 failed: .* The next attempt is on /);
  });

  it('did our server get the webhook? (the id of the event)', async () => {
    const list = () => merchant.api.events.list({ event: 'payment.succeeded' });
    const { events: reported } = await until('two charges have been told', list, (each) => each.events.length > 1);
    const id = reported[0]?.id ?? '';
    const arrived = () => receiver.received.map(({ envelope }) => envelope.id);
    await until('the event has arrived', arrived, (ids) => ids.includes(id));
    expect(await answerTo('was-it-delivered', id)).toMatch(/^Yes; attempt 1 on .* ended with 200\./);
  });

  it('what was this charge for? (the invoice id of a webhook)', async () => {
    const [payment] = await paymentsOf(paid);
    expect(await answerTo('what-for', payment?.id.replace('pay_', 'sub-pay-') ?? '')).toMatch(
      new RegExp(`^Cycle 2 of ${paid}, for `),
    );
  });

  it('please send that webhook again (the id of the event): once, with a reason', async () => {
    const { events: reported } = await merchant.api.events.list({ event: 'subscription.canceled' });
    const id = reported[0]?.id ?? '';
    const { page, expectSound } = await searched(id);
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
