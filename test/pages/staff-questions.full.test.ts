import { z } from 'zod';
import { askStaff } from '../../scripts/lib/staff.ts';
import { until } from '../../stage/until.ts';
import { describeInChromium } from '../support/browser.ts';
import { openReceiver, type Receiver } from '../webhooks/receiver.ts';
import { MONTHLY, type NewCustomer, newSubscription, type PageMerchant, PageStage } from './support/page-stage.ts';
import { confirm, enterToken, search } from './support/staff-console.ts';

const EMAIL = 'mia@example.com';

/** Questions of callers, with the caller's facts, to a real process with its chain and its webhooks. */
const stage = new PageStage();

describeInChromium('what callers ask', () => {
  let receiver: Receiver;
  let merchant: PageMerchant;

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
    const paid = await subscribe('approved', { email: EMAIL });
    await sandbox.advance({ subscriptionId: paid, status: 'active' });
    await sandbox.advance({ subscriptionId: paid });
    await subscriptions.cancel(await subscribe('payer-1'));
  }, 120_000);

  afterAll(() => receiver?.close());

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

  it('why was I charged twice? (an email address)', async () => {
    const text = await answerTo('charged-twice', EMAIL, 'Coffee monthly');
    expect(text).toMatch(/^2 charges have settled, each for its own period: cycle 2 for .*: 10\.00 USDC; cycle 1 for /);
  });

  it('did our server get the webhook? (the id of the event)', async () => {
    const list = () => merchant.api.events.list({ event: 'payment.succeeded' });
    const { events: reported } = await until('two charges have been told', list, (each) => each.events.length > 1);
    const id = reported[0]?.id ?? '';
    const arrived = () => receiver.received.map(({ envelope }) => envelope.id);
    await until('the event has arrived', arrived, (ids) => ids.includes(id));
    expect(await answerTo('was-it-delivered', id)).toMatch(/^Yes; attempt 1 on .* ended with 200\./);
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
    const journal = await askStaff(stage.staff(), 'GET', `/merchants/${merchant.id}/journal`, z.unknown());
    expect(journal).toMatchObject({
      entries: [{ action: 'delivery.redelivered', by: 'staff', reason: 'their server was down' }],
    });
  });
});
