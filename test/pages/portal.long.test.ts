import { Interface, type Wallet } from 'ethers';
import type { Page } from 'playwright-core';
import { solanaWorld } from '../../devnet/solana-world.ts';
import { refundFromNewWallet } from '../../stage/merchant.ts';
import { units } from '../../stage/tokens.ts';
import { until } from '../../stage/until.ts';
import {
  DEVICES,
  describeInChromium,
  focusOf,
  LOOKS,
  NARROW,
  PHONE_390,
  type VisitOptions,
} from '../support/browser.ts';
import { SolanaUser } from '../support/solana.ts';
import {
  agree,
  connect,
  expectInView,
  signUp,
  takeBack,
  useTestWallet,
  waitUntilActive,
} from './support/checkout-page.ts';
import { confirm, showPage, visitDashboard } from './support/dashboard-page.ts';
import { BY_USE, MONTHLY, MORE, onlySubscription, type PageMerchant, PageStage } from './support/page-stage.ts';
import { visitWithWallet } from './support/page-wallet.ts';

const stage = new PageStage({ LOCAL_DEVNETS: 'on' });
const { chromium } = stage;

const SOLANA_KEY = 'usdc-solana';

async function visitPortal(wallet: Wallet, options: VisitOptions = {}) {
  const visit = await visitWithWallet(chromium, wallet, { at: `${stage.url}/portal`, ...options });
  await visit.page.getByRole('button', { name: 'Connect Pocket' }).waitFor();
  return visit;
}

/** On the page of the wallet's only subscription. */
async function manage(page: Page, wallet = 'Pocket'): Promise<void> {
  await page.getByRole('button', { name: `Connect ${wallet}` }).click();
  await page.getByRole('button', { name: 'Manage Coffee Club' }).click();
}

/** The page of one of the receipts that the subscription has. */
async function receiptIn(page: Page, index = 0): Promise<string> {
  const link = page.getByRole('link', { name: /^Receipt of / }).nth(index);
  const answer = await fetch((await link.getAttribute('href')) ?? '', { headers: { accept: 'text/html' } });
  return answer.text();
}

const usesOf =
  ({ api }: PageMerchant, id: string) =>
  (quantity: number, idempotencyKey: string) =>
    api.subscriptions.recordUsage(id, { quantity, idempotencyKey });

async function canceledEvents({ api }: PageMerchant) {
  return (await api.events.list({ event: 'subscription.canceled' })).events;
}

describeInChromium('the portal in Chromium', () => {
  it('signs a wallet in, and ends its subscription: at the end of the period, not at all, and now', async () => {
    const sale = await stage.sale([MONTHLY]);
    const { merchant, url } = sale;
    const wallet = await stage.subscriber(url);
    const { page, owner, expectSound } = await visitPortal(wallet, { viewport: NARROW });
    expect(await page.title()).toBe('Sign in with your wallet');
    await expectSound();

    owner.declines = ['personal_sign'];
    await connect(page);
    await page.getByText('You are not signed in.').waitFor();
    owner.declines = [];
    await connect(page);
    await page.getByRole('heading', { name: 'Your subscriptions' }).waitFor();
    await page.getByText('Next charge: 10.00 USD on').waitFor();
    expect([await focusOf(page), await page.title()]).toEqual(['Your subscriptions', 'Your subscriptions']);
    await expectSound();

    await page.getByRole('button', { name: 'Manage Coffee Club' }).click();
    await page.getByRole('heading', { name: 'Coffee Club', exact: true }).waitFor();
    await page.locator('[data-part=receipts]').getByText('10.00 USDC').waitFor();
    expect(await page.locator('[data-part=receipts]').getByText('Paid', { exact: true }).count()).toBe(1);
    expect(await page.locator('[data-part=receipts] dl').allTextContents()).toEqual([
      expect.stringMatching(/^Period.+ \d{4} to .+ \d{4}$/),
    ]);
    expect(await receiptIn(page)).toContain(wallet.address);
    expect(await page.locator('[data-part=allowance-left]').textContent()).toBe('110.00 USDC');
    await page.getByText('The limits that you have signed').click();
    await page.getByText('Most for one charge').waitFor();
    expect(await page.title()).toMatch(/^Active – Coffee Club – /);
    await expectSound();

    await page.getByRole('button', { name: /^End on / }).click();
    await page.getByRole('dialog').getByText('you can take this back').waitFor();
    await expectSound();
    await page.getByRole('button', { name: /^End it on / }).click();
    const state = page.locator('[data-part=state]');
    await state.getByText(/^Ends on /).waitFor();
    const scheduled = await onlySubscription(merchant);
    expect(scheduled).toMatchObject({ status: 'active', cancelAt: scheduled.currentPeriodEnd });
    expect([scheduled.cancelAt, await page.title()]).toEqual([
      expect.any(String),
      expect.stringMatching(/^Ends on .* – Coffee Club – /),
    ]);
    await expectSound();

    await page.reload();
    await page.getByRole('button', { name: 'Keep the subscription' }).click();
    await state.getByText('Active', { exact: true }).waitFor();
    expect(await onlySubscription(merchant)).toMatchObject({ status: 'active', cancelAt: null });
    expect(await canceledEvents(merchant)).toEqual([]);

    await page.getByRole('button', { name: 'End now' }).click();
    await page.getByRole('button', { name: 'End it now' }).click();
    await page.locator('[data-part=state][data-status=canceled]').waitFor();
    expect(await page.locator('[data-part=end]').count()).toBe(0);
    expect(await focusOf(page)).not.toBe('body');
    expect(await onlySubscription(merchant)).toMatchObject({ status: 'canceled' });
    await until(
      'the merchant has the event',
      () => canceledEvents(merchant),
      (events) => events.length === 1,
    );
    await expectSound();
    expect(owner.asked).not.toContain('eth_sendTransaction');

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in with your wallet' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Connect Pocket' }).waitFor();
    expect(await stage.chain.movedFrom(wallet.address)).toEqual([10_000_000n]);

    await stage.chain.approve(wallet, await stage.operatorOf(sale), 0n);
    const { id, ...ended } = await until(
      'the merchant sees that the approval was taken back',
      () => onlySubscription(merchant),
      ({ approvalRevokedAt }) => approvalRevokedAt !== null,
    );
    const { canceledAt, approvalRevokedAt } = await merchant.api.subscriptions.get(id);
    expect(ended).toMatchObject({ canceledBy: 'payer', canceledAt, approvalRevokedAt });
    expect([canceledAt, approvalRevokedAt].sort()).toEqual([canceledAt, approvalRevokedAt]);
    expect(await canceledEvents(merchant)).toHaveLength(1);
  });

  it('changes the quantity that was chosen at the checkout, within what was signed', async () => {
    const seats = { model: 'per_unit', amount: '5.00', maxQuantity: 30, quantityChangedBy: 'customer' };
    const sale = await stage.sale([{ ...MONTHLY, ...seats }]);
    const shop = await stage.payer({ at: `${sale.url}?quantity=2`, viewport: NARROW });
    await shop.page.locator('[data-part=quantity-total]').getByText('10.00 USD every month').waitFor();
    await shop.page.getByRole('button', { name: 'One more' }).click();
    await shop.page.locator('[data-part=quantity-total]').getByText('15.00 USD every month').waitFor();
    await shop.page.getByLabel('Quantity', { exact: true }).fill('31');
    await shop.page.getByLabel('Quantity', { exact: true }).blur();
    expect(await shop.page.getByLabel('Quantity', { exact: true }).inputValue()).toBe('30');
    await shop.page.getByLabel('Quantity', { exact: true }).fill('3');
    await shop.page.getByLabel('Quantity', { exact: true }).press('Enter');
    await shop.page.locator('[data-part=units]').getByText('3 × 5.00 USD; later at most 150.00 USD a charge').waitFor();
    await shop.expectSound();
    await shop.page.setViewportSize({ width: 1280, height: 800 });
    await connect(shop.page);
    await shop.page.locator('[data-part=agreement]').getByText('150.00 USDC', { exact: true }).waitFor();
    await agree(shop.page);
    await waitUntilActive(shop.page);
    expect(await stage.chain.movedFrom(shop.wallet.address)).toEqual([15_000_000n]);

    const { page, expectSound } = await visitPortal(shop.wallet);
    await manage(page);
    await page.getByText('3 × 5.00 USD every month').waitFor();
    const part = page.locator('[data-part=quantity]');
    await part.getByLabel('Quantity', { exact: true }).fill('30');
    await part.getByLabel('Quantity', { exact: true }).blur();
    await part.getByText('150.00 USD in place of 15.00 USD from').waitFor();
    await part.getByRole('button', { name: 'Change the quantity' }).click();
    await page.getByText('30 × 5.00 USD every month').waitFor();
    await part.getByText('Your approval is too small').waitFor({ state: 'hidden' });
    await expectSound();
    const { id } = await onlySubscription(sale.merchant);
    await sale.merchant.api.sandbox.advance({ subscriptionId: id });
    expect(await stage.chain.movedFrom(shop.wallet.address)).toEqual([15_000_000n, 150_000_000n]);
    await page.reload();
    await part.getByText('Your approval is too small').waitFor();
  });

  it('lowers the first charge by a code, shows both prices before, and says it if the code has lapsed', async () => {
    const sale = await stage.sale([MONTHLY]);
    const { coupons } = sale.merchant.api;
    const coupon = await coupons.create({ code: 'WELCOME', percentOff: '25', cycles: 1 });
    const shop = await stage.payer({ at: `${sale.url}?coupon=welcome`, ...PHONE_390 });
    const part = shop.page.locator('[data-part=coupon]');
    await part.getByText('25% off the next charge').waitFor();
    expect(await part.textContent()).toMatch(/WELCOME 10\.00 USDC 7\.50 USDC/);
    const order = shop.page.locator('[data-part=order]');
    const less =
      /^Today 7\.50 USDC, then 10\.00 USDC on .+ \d{4} and every month \(25% off .+ full price 10\.00 USDC\)$/;
    await order.getByText('full price 10.00 USDC').waitFor();
    expect(await order.textContent()).toMatch(less);
    await shop.expectSound();

    await part.getByRole('button', { name: 'Remove the code' }).click();
    await part.getByLabel('Code').fill('SUMMER');
    await part.getByLabel('Code').press('Enter');
    await part.getByText('This code is not valid. You can go on with the full price.').waitFor();
    shop.forgive(/400/);
    await shop.expectSound();
    await part.getByLabel('Code').fill('welcome');
    await part.getByRole('button', { name: 'Apply' }).click();
    await part.getByText('25% off the next charge').waitFor();

    await coupons.update(coupon.id, { active: false });
    await connect(shop.page);
    await part.getByText('This code has expired. You can go on with the full price.').waitFor();
    await order.getByText('Today 10.00 USDC').waitFor();
    shop.forgive(/400/);
    await coupons.update(coupon.id, { active: true });
    await part.getByRole('button', { name: 'Apply' }).click();
    await part.getByText('25% off the next charge').waitFor();
    await shop.page.locator('[data-part=agreement]').getByText('10.00 USDC', { exact: true }).waitFor();
    await agree(shop.page);
    await waitUntilActive(shop.page);
    expect(await stage.chain.movedFrom(shop.wallet.address)).toEqual([7_500_000n]);
    expect(await coupons.get(coupon.id)).toMatchObject({ redemptions: 1 });

    const { page, expectSound } = await visitPortal(shop.wallet);
    await manage(page);
    await page.locator('[data-part=receipts]').getByText('2.50 USDC (WELCOME)').waitFor();
    await expectSound();
  });

  it('changes the plan at once, with a credit that it shows before and after, and takes a later change back', async () => {
    const sale = await stage.sale([MONTHLY], { planChanges: { when: 'now', proration: 'credit' } });
    const { api } = sale.merchant;
    const wallet = await stage.subscriber(sale.url);
    for (const option of [MORE, { ...MONTHLY, label: 'Less', amount: '4.00' }])
      await api.offers.addPrice(sale.offerId, option);
    const { id } = await onlySubscription(sale.merchant);
    await api.sandbox.advance({ subscriptionId: id, days: 10 });
    const { page, expectSound } = await visitPortal(wallet, PHONE_390);
    await manage(page);
    const part = page.locator('[data-part=plan]');
    const more = /^Now 1[34]\.\d+ USDC: 20\.00 USDC less [67]\.\d+ USDC for the time that is paid until/;
    await part.getByText(more).waitFor();
    await part.getByText(/^Nothing now\. From .* on 4\.00 USDC for each period\.$/).waitFor();
    await expectSound();

    await part.getByRole('button', { name: 'Change to More' }).click();
    await page.waitForURL(/\/checkout\/authorize\/[\w-]{43}$/);
    const quote = page.locator('[data-part=quote]');
    await quote.getByText('No charge is more than 20.00 USDC').waitFor();
    await connect(page);
    const today = /Today 1[34]\.\d+ USDC, then 20\.00 USDC/;
    await page.locator('[data-part=order]').filter({ hasText: today }).waitFor();
    await expectSound();
    await agree(page);
    await page.getByText('The new terms are agreed').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Charged' }).waitFor();
    const [second, first] = (await api.payments.list({ subscriptionId: id })).payments;
    const [taken, credit] = [second?.amount, second?.credit?.amount].map((amount) => units(amount ?? ''));
    expect([(taken ?? 0n) + (credit ?? 0n), second?.credit?.paymentId]).toEqual([units('20.00'), first?.id]);
    expect(await stage.chain.movedFrom(wallet.address)).toEqual([units('10.00'), taken]);

    await page.goto(`${stage.url}/portal`);
    await page.getByRole('button', { name: 'Manage Coffee Club' }).click();
    await page.getByText('Credit for unused time').waitFor();
    await page.getByRole('heading', { name: 'Coffee Club, More' }).waitFor();
    await part.getByRole('button', { name: /^Change to Less/ }).click();
    await quote.getByText(/^Nothing now/).waitFor();
    await connect(page);
    await agree(page);
    await page.getByText('The new terms are agreed').waitFor();
    await page.goto(`${stage.url}/portal`);
    await page.getByRole('button', { name: 'Manage Coffee Club' }).click();
    await part.getByText(/^Changes to Less on .*You can take this back until then\.$/).waitFor();
    await part.getByText('4.00 USD every month', { exact: true }).waitFor();
    await expectSound();
    await part.getByRole('button', { name: 'Keep the present plan' }).click();
    await part.getByRole('button', { name: /^Change to Less/ }).waitFor();
    expect(await api.subscriptions.get(id)).toMatchObject({ pendingChange: null });
  });

  it('pauses until a day, says what resuming brings, and where a charge is on another day in UTC, both', async () => {
    const sale = await stage.sale([MONTHLY], { pause: { byCustomer: true } });
    const { api } = sale.merchant;
    const wallet = await stage.subscriber(sale.url);
    const { id, currentPeriodEnd } = await onlySubscription(sale.merchant);
    const isLate = new Date(currentPeriodEnd ?? '').getUTCHours() >= 10;
    const timezoneId = isLate ? 'Pacific/Kiritimati' : 'Pacific/Pago_Pago';
    const { page, expectSound, forgive } = await visitPortal(wallet, { ...PHONE_390, timezoneId });
    await manage(page);
    const both = (words: string) => page.getByText(new RegExp(`${words} .*:.* GMT[+-]1[14] \\(.* in UTC\\)`));
    await both('10\\.00 USD on').waitFor();
    const part = page.locator('[data-part=pause]');
    await part.getByText('What is left of the paid time follows afterwards').waitFor();
    // A year has four digits: the fifth one pushes the first one out, and the year 261 is over.
    await part.getByLabel('Until').pressSequentially('0101120261');
    await part.getByRole('button', { name: 'Pause it' }).click();
    await page.getByRole('alert').getByText('Choose a day from tomorrow on').waitFor();
    forgive(/400 .*\/pause/);
    const until = new Date(Date.parse(currentPeriodEnd ?? '') + 864_000_000).toISOString();
    await part.getByLabel('Until').fill(until.slice(0, 10));
    await expectSound();
    await part.getByRole('button', { name: 'Pause it' }).click();
    await part.getByText('Then it goes on by itself').waitFor();
    await both('If you resume it now, the next charge is on').waitFor();
    await page.locator('[data-part=state]').getByText('Paused until').waitFor();
    await expectSound();
    await api.sandbox.advance({ subscriptionId: id, days: 31 });
    expect(await api.subscriptions.get(id)).toMatchObject({ status: 'active', isPaused: true, cyclesCompleted: 1 });
    await part.getByRole('button', { name: 'Resume it' }).click();
    await part.getByRole('button', { name: 'Pause it' }).waitFor();
    const resumed = await api.subscriptions.get(id);
    expect(resumed).toMatchObject({ isPaused: false, pausedUntil: null });
    expect(Date.parse(resumed.currentPeriodEnd ?? '')).toBeGreaterThan(Date.parse(until));
    await api.sandbox.advance({ subscriptionId: id, to: resumed.currentPeriodEnd });
    expect(await stage.chain.movedFrom(wallet.address)).toEqual([10_000_000n, 10_000_000n]);
  });

  it('shows a charge that came at the threshold, and one that waits for the limit of 30 days', async () => {
    const { merchant, url } = await stage.sale([{ ...BY_USE, thresholdAmount: '5.00', windowCapAmount: '20.00' }]);
    const shop = await stage.payer({ at: url });
    await shop.page.getByText('charged as soon as 5.00 USD is used, at most 20.00 USD in any 30 days').waitFor();
    await connect(shop.page);
    // Nobody knows for how long it lasts.
    await shop.page.getByText('enough for 12 charges. End it at any time.').waitFor();
    await agree(shop.page);
    await shop.page.getByText('is charged as soon as it is enough').waitFor();
    const { id } = await onlySubscription(merchant);
    const use = usesOf(merchant, id);
    await use(600, 'first');
    await merchant.api.sandbox.advance({ subscriptionId: id, days: 1 });
    expect(await stage.chain.movedFrom(shop.wallet.address)).toEqual([5_000_000n]);
    await use(4_000, 'second');
    const { page, expectSound } = await visitPortal(shop.wallet, PHONE_390);
    await manage(page);
    const part = page.locator('[data-part=usage]');
    await part.getByText('A charge of this amount waits until').waitFor();
    expect(await part.textContent()).toContain('Charged as soon as it reaches5.00 USDC');
    await expectSound();
    await merchant.api.sandbox.advance({ subscriptionId: id, days: 36 });
    expect(await stage.chain.movedFrom(shop.wallet.address)).toEqual([5_000_000n, 20_000_000n]);
  });

  it('shows what was used, what it costs and what was paid for it, and charges the last use with the end', async () => {
    const { merchant, url } = await stage.sale([BY_USE]);
    const shop = await stage.payer({ at: url });
    await signUp(shop.page);
    await shop.page.getByRole('heading', { name: 'You have subscribed' }).waitFor();
    const { id } = await onlySubscription(merchant);
    const use = usesOf(merchant, id);
    await use(600, 'first');
    const { page, expectSound } = await visitPortal(shop.wallet, PHONE_390);
    await connect(page);
    await page.getByText('First charge on').waitFor();
    await page.getByText('Next charge: at most 20.00 USDC on').waitFor();
    await page.getByRole('button', { name: 'Manage Coffee Club' }).click();
    const part = page.locator('[data-part=usage]');
    await part.getByText('5.00 USDC of at most 20.00 USDC (25%)').waitFor();
    expect(await part.textContent()).toMatch(/Used600 units since .+ \d{4}Its price5\.00 USDC/);
    await expectSound();
    await merchant.api.sandbox.advance({ subscriptionId: id });
    await use(4_000, 'second');
    await page.reload();
    await part.getByText('20.00 USDC of at most 20.00 USDC (100%)').waitFor();
    await part.getByText('What is above it is charged with the next one.').waitFor();
    expect(await part.textContent()).toContain('Left for the next charge13.00 USDC');
    const receipts = page.locator('[data-part=receipts]');
    expect(await receipts.locator('dl').textContent()).toMatch(/^Period.+Used600 units$/);
    await expectSound();
    expect(await receiptIn(page)).toContain('600 units');

    await page.getByRole('button', { name: 'End now' }).click();
    await page.getByText('What you have used, 20.00 USDC so far, is charged now').waitFor();
    await expectSound();
    await page.getByRole('button', { name: 'End it now' }).click();
    await page.locator('[data-part=state][data-status=canceled]').waitFor();
    const { payments } = await until(
      'the last use is paid',
      () => merchant.api.payments.list(),
      (list) => list.payments.length === 2 && list.payments.every(({ status }) => status === 'settled'),
    );
    expect(await stage.chain.movedFrom(shop.wallet.address)).toEqual([5_000_000n, 20_000_000n]);
    const { page: dashboard } = await visitDashboard(stage, merchant, 'viewer');
    await showPage(dashboard, `test/subscriptions/${id}`);
    await dashboard.locator('td').getByText('600 units', { exact: true }).waitFor();
    await dashboard.getByText('13.00 USDC was used and not charged.').waitFor();
    expect(await part.count()).toBe(0);
    await showPage(dashboard, `test/payments/${payments[0]?.id}`);
    await dashboard.locator('dd').getByText('4,000 units', { exact: true }).waitFor();
  });

  it('corrects what is on later invoices, and leaves the issued ones as they are', async () => {
    const { merchant, url } = await stage.sale([MONTHLY]);
    const { api } = merchant;
    const germany = { country: 'DE', taxId: null, currency: 'EUR', isTaxIncluded: true, taxRate: '19' };
    const invoicing = { ...germany, since: new Date(), taxRates: { FR: '20' } };
    await (await stage.store()).records.change('merchants', merchant.id, {}, { set: { invoicing } });
    const wallet = await stage.subscriber(url);
    const issued = async () => {
      const { payments } = await api.payments.list();
      return Promise.all(payments.map(({ id }) => api.payments.invoice(id).catch(() => null)));
    };
    const invoices = (count: number) =>
      until('invoices are issued', issued, (all) => all.length === count && !all.includes(null));
    const first = await invoices(1);
    expect(first[0]).toMatchObject({ customer: { name: wallet.address, country: null }, taxRate: '19' });
    const { page, expectSound } = await visitPortal(wallet, PHONE_390);
    await manage(page);
    const part = page.locator('[data-part=invoiced]');
    await part.getByText('Name and address on your invoices').click();
    const details = { name: 'Ada SARL', address: '1 rue de la Paix\n75002 Paris', country: 'FR', taxId: 'FR00123' };
    await part.getByLabel('Name').fill(details.name);
    await part.getByLabel('Address').fill(details.address);
    await part.getByLabel('Country').selectOption({ label: 'France' });
    await part.getByLabel('Tax number').fill(details.taxId);
    await part.getByText('An invoice that was issued never changes.').waitFor();
    await part.getByRole('button', { name: 'Save' }).click();
    await part.getByRole('status').getByText('Done').waitFor();
    await expectSound();
    const { id } = await onlySubscription(merchant);
    await api.sandbox.advance({ subscriptionId: id });
    const [second, again] = await invoices(2);
    expect(second).toMatchObject({ customer: details, taxRate: '20' });
    expect(again).toEqual(first[0]);

    const { payments } = await api.payments.list();
    await refundFromNewWallet(api, stage.chain, payments[1]?.id ?? '', '2.50');
    await until(
      'the credit note is issued',
      () => api.payments.invoice(payments[1]?.id ?? ''),
      ({ creditNotes }) => creditNotes.length === 1,
    );
    await page.reload();
    const links = page.getByRole('link', { name: /^Open the invoice/ });
    await links.nth(1).waitFor();
    expect(await links.allTextContents()).toEqual([
      'Open the invoice (PDF)',
      'Open the invoice and its credit note (PDF)',
    ]);
    expect(await receiptIn(page, 1)).toContain('>Open the invoice and its credit note (PDF)<');
  });

  it('leads to a page that authorizes again, and takes the approval back on the chain', async () => {
    const sale = await stage.sale([MONTHLY]);
    const wallet = await stage.subscriber(sale.url);
    const operator = await stage.operatorOf(sale);
    expect(await stage.chain.allowance(wallet.address, operator)).toBe(110_000_000n);
    const { page, expectSound } = await visitPortal(wallet);
    await manage(page);
    await page.getByRole('button', { name: 'Approve more, or pay with another wallet' }).click();
    await page.waitForURL(/\/checkout\/authorize\/[\w-]{43}$/);
    await page.getByRole('heading', { name: 'Coffee Club' }).waitFor();
    await page.goBack();
    await page.getByText('without this service').click();
    await connect(page);
    await takeBack(page);
    await page.getByText('The approval is taken back').waitFor();
    expect(await stage.chain.allowance(wallet.address, operator)).toBe(0n);
    await page.locator('[data-part=allowance-left]').getByText('0.00 USDC', { exact: true }).waitFor();
    await expectSound();

    await page.getByRole('button', { name: 'End the agreement with Pocket' }).click();
    await page.getByText('The agreement has ended').waitFor();
    const revoked = new Interface(['event AgreementRevoked(address indexed, bytes32 indexed, bytes32 indexed)']);
    const topics = revoked.encodeFilterTopics('AgreementRevoked', [wallet.address]);
    expect(await stage.chain.provider.getLogs({ topics, fromBlock: 0 })).toHaveLength(1);
    await expectSound();
  });

  it.each(LOOKS)('has no fault and leads back to the merchant, from a link: %j', async (look) => {
    const { merchant, url: checkoutUrl } = await stage.sale([MONTHLY]);
    await stage.subscriber(checkoutUrl);
    const { customerId } = await onlySubscription(merchant);
    const returnUrl = `${stage.url}/docs`;
    const { url } = await merchant.api.customers.createPortalSession(customerId, { returnUrl });
    const { page, expectSound } = await chromium.visit({ at: url, ...look });
    await page.getByRole('heading', { name: 'Your subscriptions' }).waitFor();
    await page.getByText('Next charge: 10.00 USD on').waitFor();
    expect(page.url()).toBe(`${stage.url}/portal`);
    await expectSound();
    await page.getByRole('button', { name: 'Manage Coffee Club' }).click();
    await page.locator('[data-part=receipts]').getByText('10.00 USDC').waitFor();
    await page.getByText('The limits that you have signed').click();
    await page.getByText('without this service').click();
    await expectSound();
    await page.goBack();
    await page.getByRole('heading', { name: 'Your subscriptions' }).waitFor();
    await page.getByRole('link', { name: /^Back to / }).click();
    await page.waitForURL(returnUrl);
  });

  it('asks before a link ends the session of a wallet', async () => {
    const { merchant, url: checkoutUrl } = await stage.sale([MONTHLY]);
    const wallet = await stage.subscriber(checkoutUrl);
    const { customerId } = await onlySubscription(merchant);
    const { url } = await merchant.api.customers.createPortalSession(customerId);
    const { page, expectSound } = await visitPortal(wallet);
    await connect(page);
    await page.getByText('Signed in as').waitFor();
    await page.goto('about:blank');
    await page.goto(url);
    await page.getByRole('heading', { name: 'Sign out and open this link?' }).waitFor();
    await expectSound();
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    await page.getByText('Signed in as').waitFor();
    await page.goto('about:blank');
    await page.goto(url);
    await page.getByRole('button', { name: 'Open the link' }).click();
    await page.getByText(/^At /).waitFor();
  });

  it.each(DEVICES)('answers each tap at the lower edge of the window, on a %s', async (_name, view) => {
    const wallet = await stage.subscriber((await stage.sale([MONTHLY])).url);
    const { page, owner, forgive, expectSound } = await visitPortal(wallet, view);
    const tap = (name: string | RegExp) => page.getByRole('button', { name }).click();
    const answers = async (text: string) => {
      const alert = page.getByRole('alert');
      await alert.getByText(text).waitFor();
      await expectInView(page, alert);
    };
    const withoutAnswer = async (requests: string, act: () => Promise<void>) => {
      await page.route(requests, (route) => route.abort());
      await act();
      await answers('Check the connection');
      forgive(/ERR_FAILED/);
      await expectSound();
    };
    owner.declines = ['personal_sign'];
    await connect(page);
    await answers('You are not signed in.');
    await expectInView(page, page.getByRole('button', { name: 'Connect Pocket' }));

    // As many as fill more than the window.
    await page.route('**/api/subscriptions', async (route) => {
      const response = await route.fetch();
      const { subscriptions } = await response.json();
      const many = Array.from({ length: 9 }, (_, at) => ({ ...subscriptions[0], id: `${subscriptions[0].id}${at}` }));
      await route.fulfill({ response, json: { subscriptions: [...subscriptions, ...many], next: 'sub_x' } });
    });
    owner.declines = [];
    await connect(page);
    await withoutAnswer('**/api/subscriptions?*', () => tap('Older subscriptions'));
    await expectInView(page, page.getByRole('button', { name: 'Older subscriptions' }));

    await page.getByRole('button', { name: 'Manage Coffee Club' }).first().click();
    await withoutAnswer('**/authorization', () => tap(/^Approve more/));
    await tap('End now');
    await withoutAnswer('**/cancel', () => tap('End it now'));
    await page.getByText('without this service').click();
    await connect(page);
    owner.declines = ['eth_sendTransaction'];
    await takeBack(page);
    await answers('Declined in your wallet');
    await expectInView(page, page.getByRole('button', { name: 'Take it back with Pocket' }));
  });

  it('says that a link does not work any more', async () => {
    const { page, expectSound, forgive } = await chromium.visit({
      at: `${stage.url}/portal#session=${'a'.repeat(43)}`,
    });
    await page.getByText('This link does not work any more').waitFor();
    forgive(/400 .*\/session\/link/);
    await expectSound();
  });

  it('signs a Solana wallet in, which sees nothing of others', async () => {
    const { page, expectSound } = await stage.solanaPayer('payer-1', { at: `${stage.url}/portal` });
    await connect(page, 'Sunny');
    await page.getByText('There are no subscriptions here.').waitFor();
    await expectSound();
  });

  it('takes the approval of a Solana wallet back on the chain, and shows what a wallet of the shop refunds', async () => {
    const { merchant, url } = await stage.sale([{ ...MONTHLY, acceptedTokens: [SOLANA_KEY] }], {}, SOLANA_KEY);
    const { page, expectSound } = await stage.solanaPayer('payer-2', { at: url });
    await connect(page, 'Sunny');
    await agree(page);
    await waitUntilActive(page);
    const user = new SolanaUser(solanaWorld((await stage.solana()).rpcUrl, ''));
    const payer = user.wallet('payer-2').publicKey;
    expect(await user.token(payer)).toMatchObject({ delegatedAmount: 110_000_000n });

    await page.goto(`${stage.url}/portal`);
    await manage(page, 'Sunny');
    await page.getByText('without this service').click();
    await page.getByText('Revoke of the token program').waitFor();
    await connect(page, 'Sunny');
    await takeBack(page, 'Sunny');
    await page.getByText('The approval is taken back').waitFor();
    expect(await user.token(payer)).toMatchObject({ delegate: null, delegatedAmount: 0n });
    await page.locator('[data-part=allowance-left]').getByText('0.00 USDC', { exact: true }).waitFor();
    // No contract keeps the agreement there.
    expect(await page.getByRole('button', { name: /^End the agreement/ }).count()).toBe(0);
    await expectSound();

    const { amount = 0n } = (await user.token(payer)) ?? {};
    const [payment] = (await merchant.api.payments.list()).payments;
    const { page: shop } = await visitDashboard(stage, merchant, 'member');
    await showPage(shop, `test/payments/${payment?.id}`);
    await shop.getByRole('button', { name: 'Refund', exact: true }).click();
    await shop.getByRole('textbox', { name: 'Amount' }).fill('4');
    await confirm(shop, 'Continue to your wallet');
    await useTestWallet(shop, 'test-solana-payer-3');
    await shop.getByRole('button', { name: 'Send 4.00 USDC' }).click();
    await shop.getByText('The payer has the money').waitFor();
    expect(await user.token(payer)).toMatchObject({ amount: amount + 4_000_000n });
    await page.reload();
    await page.getByText('Refunded: 4.00 USDC on').waitFor();
  });
});
