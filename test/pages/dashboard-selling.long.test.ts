import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { askStaff, setLimitFactor } from '../../scripts/lib/staff.ts';
import { refundFromNewWallet } from '../../stage/merchant.ts';
import type { MerchantClient } from '../../stage/merchant-client.ts';
import { TOKEN_KEY } from '../../stage/tokens.ts';
import { until } from '../../stage/until.ts';
import {
  ALL_LEVELS,
  describeInChromium,
  focusOf,
  NARROW,
  PHONE_390,
  type Visit,
  type VisitOptions,
  WIDE,
} from '../support/browser.ts';
import {
  chooseTransfer,
  connect,
  openTransfer,
  saveRefundAddress,
  subscribe,
  useTestWallet,
  waitUntilReceived,
} from './support/checkout-page.ts';
import { confirm, copied, openDashboard, showPage, visitDashboard } from './support/dashboard-page.ts';
import { MONTHLY, MORE, ONCE, type PageMerchant, PageStage, type Sale } from './support/page-stage.ts';
import { visitWithWallet } from './support/page-wallet.ts';

const stage = new PageStage();

async function offersOf({ api }: PageMerchant) {
  return (await api.offers.list()).offers;
}

async function customersOf({ api }: PageMerchant) {
  return (await api.customers.list()).customers;
}

async function subscriptionsOf({ api }: PageMerchant) {
  return (await api.subscriptions.list()).subscriptions;
}

async function paymentsOf({ api }: PageMerchant) {
  return (await api.payments.list()).payments;
}

/** The text that the page saves as a file by this button. */
async function saved(page: Page, button: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).click(),
  ]);
  return readFile(await download.path(), 'utf8');
}

/** The CSV of the API as a file that Excel reads as UTF-8: with a byte order mark. */
async function csvOfApi({ testKey }: MerchantClient, path: string): Promise<string> {
  const headers = { 'X-API-Key': testKey, Accept: 'text/csv' };
  return `\uFEFF${await (await fetch(`${stage.url}/v1${path}`, { headers })).text()}`;
}

/** Also the levels of axe that are not serious, in both schemes and widths. */
async function expectSoundEverywhere(visit: Visit): Promise<void> {
  const { page } = visit;
  for (const viewport of [NARROW, WIDE]) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await visit.expectSound(ALL_LEVELS);
    }
  }
}

/** A member is about to add a price to an offer. */
async function visitPriceForm() {
  const { merchant, offerId } = await stage.sale([MONTHLY]);
  const { id: customerId } = await merchant.api.customers.create({ name: 'Bo' });
  const visit = await visitDashboard(stage, merchant, 'member');
  await showPage(visit.page, `test/offers/${offerId}`);
  await visit.page.getByRole('button', { name: 'Add a price' }).click();
  return { merchant, offerId, customerId, visit, page: visit.page };
}

describeInChromium('the shop pages of the dashboard in Chromium', () => {
  it('makes an offer, changes it, and deletes it', async () => {
    const merchant = await stage.merchant();
    const visit = await visitDashboard(stage, merchant, 'member');
    const { page } = visit;
    await page.getByRole('link', { name: 'Offers' }).click();
    await page.getByText('There are no offers yet. Create one').waitFor();
    await page.getByRole('link', { name: 'Create an offer' }).click();
    await page.getByRole('heading', { name: 'Create an offer' }).waitFor();
    expect([await focusOf(page), await page.title()]).toEqual([
      'Create an offer',
      'Create an offer – Tideline dashboard',
    ]);
    await page.getByLabel('Name').fill('Tea Club');
    await page.getByLabel('Description').fill('Leaves, every two weeks.');
    await page.getByLabel('Amount').fill('0.10');
    await page.getByLabel('Every').fill('2');
    await page.getByLabel('Interval').selectOption('week');
    await page.getByLabel('Trial days').fill('7');
    await page.getByLabel('Most payments').fill('26');
    await page.getByRole('group', { name: 'Base', exact: true }).getByLabel('USDC').check();
    const local = page.getByRole('group', { name: 'Local EVM' }).getByRole('checkbox');
    const names = ['USDC', 'USDT', 'USDC (18 decimals)', 'USDT (18 decimals)'];
    for (const name of names) expect(await local.and(page.getByLabel(name, { exact: true })).count()).toBe(1);
    await expectSoundEverywhere(visit);
    await page.getByRole('button', { name: 'Create the offer' }).click();
    await page.getByRole('alert').getByText('at least 1.00 USD').waitFor();
    visit.forgive(/400/);
    await page.getByLabel('Amount').fill('12.50');
    await page.getByRole('button', { name: 'Create the offer' }).click();
    await page.getByRole('heading', { name: 'Tea Club' }).waitFor();
    const [offer] = await offersOf(merchant);
    expect(offer).toMatchObject({
      name: 'Tea Club',
      description: 'Leaves, every two weeks.',
      pricing: [
        {
          amount: '12.50',
          currency: 'USD',
          billing: { type: 'recurring', interval: 'week', intervalCount: 2 },
          acceptedTokens: [{ tokenKey: TOKEN_KEY }],
          trialDays: 7,
          maxCycles: 26,
        },
      ],
    });
    expect(new URL(page.url()).hash).toBe(`#/test/offers/${offer?.id}`);
    await page.getByText('A payout wallet is missing').waitFor();
    expect(await copied(page, 'checkout link')).toBe(offer?.checkoutUrl);
    expect(await copied(page, 'embed snippet')).toBe(
      `<div data-tideline-offer="${offer?.id}" data-tideline-label="Subscribe"></div>\n` +
        `<script src="${stage.url}/embed.js" async></script>`,
    );
    await page.getByRole('img', { name: 'QR code of the checkout link' }).waitFor();

    await page.getByRole('button', { name: 'Retire 12.50 USD every 2 weeks' }).click();
    await page.getByRole('button', { name: 'Retire the price' }).click();
    await page.getByText('Offer has no other active pricing option').waitFor();
    visit.forgive(/409/);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Add a price' }).click();
    await page.getByLabel('Amount').fill('99');
    await page.getByLabel('Billing').selectOption('one_time');
    await page.getByRole('group', { name: 'Base', exact: true }).getByLabel('USDC').check();
    await visit.expectSound(ALL_LEVELS);
    await confirm(page, 'Add the price');
    await page.getByText('99 USD', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Retire 12.50 USD every 2 weeks' }).click();
    await confirm(page, 'Retire the price');
    await page.getByText('Retired', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Name').fill('Tea Shop');
    await page.getByLabel('State').selectOption('false');
    await confirm(page, 'Save');
    await page.getByRole('heading', { name: 'Tea Shop' }).waitFor();
    expect(await offersOf(merchant)).toMatchObject([
      {
        name: 'Tea Shop',
        active: false,
        pricing: [{ active: false }, { active: true, amount: '99', billing: { type: 'one_time' } }],
      },
    ]);

    await page.getByRole('link', { name: 'Offers', exact: true }).first().click();
    await page.getByLabel('State').selectOption('true');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByText('Nothing fits.').waitFor();
    expect(new URL(page.url()).hash).toBe('#/test/offers?active=true');
    await page.getByLabel('State').selectOption('false');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('link', { name: 'Tea Shop' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await confirm(page, 'Delete for good');
    await page.getByText('There are no offers yet.').waitFor();
    expect(await offersOf(merchant)).toEqual([]);
    await visit.expectSound(ALL_LEVELS);
  });

  it('makes a customer, a subscription with its link, and a link to the portal', async () => {
    const { merchant, offerId } = await stage.sale([MONTHLY]);
    const visit = await visitDashboard(stage, merchant, 'member');
    const { page } = visit;
    await showPage(page, 'test/customers/new');
    await page.getByLabel('Name').fill('Mia');
    await page.getByLabel('E-mail').fill('mia@example.com');
    await page.getByLabel('Your id').fill('user-1');
    await expectSoundEverywhere(visit);
    await page.getByRole('button', { name: 'Create the customer' }).click();
    await page.getByRole('heading', { name: 'Mia' }).waitFor();
    const wallet = await stage.chain.newWallet(0n);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('EVM wallet').fill(wallet.address);
    await page.getByLabel('E-mail').fill('');
    await confirm(page, 'Save');
    await page.getByText(wallet.address).waitFor();
    const [customer] = await customersOf(merchant);
    expect(customer).toMatchObject({
      name: 'Mia',
      email: null,
      merchantReferenceId: 'user-1',
      wallets: [{ chainFamily: 'evm', address: wallet.address }],
    });
    await page.getByRole('button', { name: 'Portal link' }).click();
    await page.getByRole('heading', { name: 'Portal link' }).waitFor();
    expect(await copied(page, 'portal link')).toMatch(/\/portal#session=[\w-]{43}$/);

    await page.getByRole('link', { name: 'Create a subscription' }).click();
    await page.getByLabel('Offer').selectOption(offerId);
    await expectSoundEverywhere(visit);
    await page.getByRole('button', { name: 'Create the subscription' }).click();
    await page.getByRole('heading', { name: 'The subscription is created' }).waitFor();
    const link = await copied(page, 'authorization link');
    await visit.expectSound(ALL_LEVELS);
    await page.getByRole('link', { name: 'Open the subscription' }).click();
    await page.getByText('Once the payer has authorized it').waitFor();
    expect(await subscriptionsOf(merchant)).toMatchObject([{ customerId: customer?.id, offerId, status: 'pending' }]);
    await page.getByText('Test tools').click();
    await page.getByRole('button', { name: 'Charge now' }).click();
    await confirm(page, 'Charge now');
    await page.getByText('No charge was made: the payer has not authorized it yet.').waitFor();
    await visit.expectSound(ALL_LEVELS);

    await showPage(page, 'test/customers?merchantReferenceId=user-1');
    await page.getByRole('link', { name: 'Mia' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await confirm(page, 'Delete for good');
    await page.getByText('There are no customers yet.').waitFor();
    expect(await customersOf(merchant)).toEqual([]);
    expect(await subscriptionsOf(merchant)).toMatchObject([{ status: 'canceled' }]);
    await page.goto(link);
    await page.getByRole('heading', { level: 1 }).waitFor();
  });

  it('sells by the unit, and changes the quantity of a subscription', async () => {
    const { merchant, offerId, customerId, visit, page } = await visitPriceForm();
    await page.getByLabel('Amount').fill('5');
    await page.getByLabel('Each charge is').selectOption('per_unit');
    await page.getByLabel('Most units').fill('10');
    await page.getByLabel('Who sets the quantity').selectOption('customer');
    await page.getByRole('group', { name: 'Base', exact: true }).getByLabel('USDC').check();
    await visit.expectSound(ALL_LEVELS);
    await confirm(page, 'Add the price');
    await page.getByText('5 USD per unit every month, 1 to 10 units').waitFor();
    const [offer] = await offersOf(merchant);
    expect(offer?.pricing[1]).toMatchObject({
      ...{ model: 'per_unit', minQuantity: 1, maxQuantity: 10, quantityChangedBy: 'customer' },
    });

    await showPage(page, `test/customers/${customerId}`);
    await page.getByRole('link', { name: 'Create a subscription' }).click();
    await page.getByLabel('Offer').selectOption(offerId);
    await page.getByLabel('Price').selectOption(offer?.pricing[1]?.id ?? '');
    await page.getByLabel('Quantity').fill('4');
    await page.getByRole('button', { name: 'Create the subscription' }).click();
    await page.getByRole('heading', { name: 'The subscription is created' }).waitFor();
    const [made] = await subscriptionsOf(merchant);
    expect(made).toMatchObject({ quantity: 4 });
    const authorizationUrl = await copied(page, 'authorization link');
    await page.getByRole('link', { name: 'Open the subscription' }).click();
    await page.getByText('4 × 5 USD every month').waitFor();
    await page.getByRole('button', { name: 'Change the quantity' }).click();
    await page.getByLabel('Quantity', { exact: true }).fill('11');
    await page.getByRole('button', { name: 'Change it' }).click();
    await page.getByText('from 1 to 10 for this price').waitFor();
    visit.forgive(/400/);
    await page.getByLabel('Quantity', { exact: true }).fill('6');
    await page.setViewportSize(NARROW);
    await visit.expectSound(ALL_LEVELS);
    await confirm(page, 'Change it');
    await page.getByText('6 × 5 USD every month').waitFor();
    expect(await subscriptionsOf(merchant)).toMatchObject([{ quantity: 6 }]);
    await page.goto(authorizationUrl);
    await page.getByText('6 × 5 USD every month').waitFor();
    await page.getByText('later at most 50 USD a charge, 10 × 5 USD').waitFor();
  });

  it('makes a coupon, sets it on a subscription, and shows who has redeemed it', async () => {
    const sale = await stage.sale([MONTHLY]);
    const { merchant } = sale;
    const { id: customerId } = await merchant.api.customers.create({ name: 'Mia' });
    const made = await merchant.api.subscriptions.create({ priceId: sale.priceIds[0] ?? '', customerId });
    const visit = await visitDashboard(stage, merchant, 'member');
    const { page } = visit;
    await showPage(page, 'test/coupons');
    await page.getByRole('link', { name: 'Create a coupon' }).click();
    // The list has a field of this name too.
    await page.getByRole('heading', { name: 'Create a coupon' }).waitFor();
    await page.getByLabel('Code').fill('spring');
    await page.getByLabel('Percent').fill('25');
    await page.getByLabel('Charges').fill('3');
    await visit.expectSound(ALL_LEVELS);
    await page.getByRole('button', { name: 'Create the coupon' }).click();
    await page.getByRole('heading', { name: 'SPRING' }).waitFor();
    await page.getByText('Nobody has redeemed it yet.').waitFor();

    await showPage(page, `test/subscriptions/${made.id}`);
    await page.getByRole('button', { name: 'Set a discount' }).click();
    await confirm(page, 'Set it');
    await page.getByText('25% off the next 3 charges (SPRING)').waitFor();
    await showPage(page, 'test/coupons');
    await page.setViewportSize(NARROW);
    await visit.expectSound(ALL_LEVELS);
    await page.getByRole('link', { name: 'SPRING' }).click();
    await page.getByRole('link', { name: 'Mia' }).waitFor();
    await visit.expectSound(ALL_LEVELS);
    const payer = await stage.payer({ at: String(made.authorizationUrl) });
    await payer.page.locator('p[data-part=discount]').getByText('25% off the next 3 charges').waitFor();
    await payer.page.locator('[data-part=order]').getByText('Today 7.50 USDC').waitFor();
    await showPage(page, `test/subscriptions/${made.id}`);
    await page.getByRole('button', { name: 'Take the discount off' }).click();
    await confirm(page, 'Take it off');
    await page.getByRole('button', { name: 'Take the discount off' }).waitFor({ state: 'hidden' });

    const limits = { percentOff: '5', cycles: 1 };
    await merchant.api.coupons.create({ ...limits, code: 'LATE', expiresAt: '2020-01-01T00:00:00.000Z' });
    const { id: couponId } = await merchant.api.coupons.create({ ...limits, code: 'ONCE', maxRedemptions: 1 });
    await merchant.api.subscriptions.setDiscount(made.id, { couponId });
    await showPage(page, 'test/coupons?code=LATE');
    await page.getByRole('row', { name: /LATE.*Expired/ }).waitFor();
    await showPage(page, 'test/coupons?code=ONCE');
    await page.getByRole('row', { name: /ONCE.*Used up/ }).waitFor();
  });

  it('lets customers change the plan, asks for a change with a credit, and takes it back', async () => {
    const sale = await stage.sale([MONTHLY, MORE]);
    const { merchant, offerId, priceIds } = sale;
    await stage.subscriber(sale.url);
    const visit = await visitDashboard(stage, merchant, 'member');
    const { page } = visit;
    await showPage(page, `test/offers/${offerId}`);
    await page.getByRole('button', { name: 'Plan changes' }).click();
    await page.getByLabel('A change to more money begins').selectOption('credit');
    await page.getByLabel('To 10.00 USD every month').selectOption('no');
    await visit.expectSound(ALL_LEVELS);
    await confirm(page, 'Save');
    await page.getByText('At once, with a credit for unused time: 20.00 USD every month').waitFor();
    expect((await offersOf(merchant))[0]?.planChanges).toEqual({
      ...{ priceIds: [priceIds[1]], when: 'now', proration: 'credit' },
    });

    const [{ id } = { id: '' }] = await subscriptionsOf(merchant);
    await showPage(page, `test/subscriptions/${id}`);
    await page.getByRole('button', { name: 'Change the price' }).click();
    await page.getByLabel('It begins').selectOption('credit');
    await visit.expectSound(ALL_LEVELS);
    await confirm(page, 'Make the link');
    const change = 'To 20.00 USD every month at once, with a credit for unused time; it waits for the payer';
    await page.getByText(change).waitFor();
    await visit.expectSound(ALL_LEVELS);
    await page.getByRole('button', { name: 'Take the change back' }).click();
    await confirm(page, 'Take it back');
    await page.getByText(change).waitFor({ state: 'hidden' });
    expect(await merchant.api.subscriptions.get(id)).toMatchObject({ pendingChange: null });
  });

  it('lets customers pause, and pauses a subscription until it is resumed', async () => {
    const { merchant, offerId, url } = await stage.sale([MONTHLY]);
    await stage.subscriber(url);
    const visit = await visitDashboard(stage, merchant, 'member');
    const { page } = visit;
    await showPage(page, `test/offers/${offerId}`);
    await page.getByRole('button', { name: 'Pauses' }).click();
    await page.getByLabel('Who pauses').selectOption('customer_keeps');
    await visit.expectSound(ALL_LEVELS);
    await confirm(page, 'Save');
    await page.getByText('You and customers; the paid period ends on its day').waitFor();
    expect((await offersOf(merchant))[0]?.pause).toEqual({ byCustomer: true, periodEnd: 'keeps' });

    const [{ id } = { id: '' }] = await subscriptionsOf(merchant);
    const offer = page.waitForResponse(/\/offers\/offer_\w+$/);
    await showPage(page, `test/subscriptions/${id}`);
    await offer;
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('The paid period ends on its day. A pause that outlasts').waitFor();
    await page.getByLabel('Until').fill('2020-01-01');
    await page.getByRole('button', { name: 'Pause it' }).click();
    await page.getByText("Must be in the future: this subscription's clock shows").waitFor();
    visit.forgive(/400/);
    await page.getByLabel('Until').fill('');
    await visit.expectSound(ALL_LEVELS);
    await confirm(page, 'Pause it');
    await page.locator('[data-part=status]').getByText('Paused').waitFor();
    await page.setViewportSize(NARROW);
    await visit.expectSound(ALL_LEVELS);
    await page.getByRole('button', { name: 'Resume' }).click();
    await confirm(page, 'Resume it');
    await page.locator('[data-part=status]').getByText('Paused').waitFor({ state: 'hidden' });
    expect(await merchant.api.subscriptions.get(id)).toMatchObject({ isPaused: false });
  });

  it('sells by use, and shows what a subscription has used', async () => {
    const { merchant, customerId, visit, page } = await visitPriceForm();
    await page.getByLabel('Each charge is').selectOption('metered');
    await page.getByLabel('Price of a unit').fill('0.01');
    await page.getByLabel('Included units').fill('100');
    await page.getByLabel('Most of a charge').fill('0.50');
    await page.getByRole('button', { name: 'Add a line' }).click();
    await page.getByLabel('Units above, line 1').fill('50');
    await page.getByLabel('Price of each, line 1').fill('0.008');
    await page.getByRole('group', { name: 'Base', exact: true }).getByLabel('USDC').check();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Add the price' }).click();
    await dialog.getByText('Line 1: Must be more than 100, in ascending order.').waitFor();
    await page.getByLabel('Units above, line 1').fill('1000');
    await dialog.getByRole('button', { name: 'Add the price' }).click();
    await dialog.getByText('Must be at least 1.00 USD').waitFor();
    visit.forgive(/400/);
    await visit.expectSound(ALL_LEVELS);
    await page.setViewportSize(NARROW);
    await visit.expectSound(ALL_LEVELS);
    await page.getByLabel('Most of a charge').fill('20.00');
    expect(await page.getByLabel('Most in any 30 days').count()).toBe(0);
    await page.getByLabel('Charge already at').fill('15.00');
    await page.getByLabel('Most in any 30 days').fill('60.00');
    await visit.expectSound(ALL_LEVELS);
    await confirm(page, 'Add the price');
    await page.getByText('0.01 USD per unit used, charged every month').waitFor();
    await page.getByText('0.008 USD per unit above 1,000', { exact: true }).waitFor();
    await page.getByText('at most 20.00 USD a charge').waitFor();
    await page.getByText('charged as soon as 15.00 USD is used, at most 60.00 USD in any 30 days').waitFor();
    await page.setViewportSize(WIDE);
    const [offer] = await offersOf(merchant);
    const tiers = [{ above: 1_000, amount: '0.008' }];
    const metered = { model: 'metered', includedUnits: 100, tiers, capAmount: '20.00', aboveCap: 'carry' };
    expect(offer?.pricing[1]).toMatchObject({ ...metered, thresholdAmount: '15.00', windowCapAmount: '60.00' });

    const priceId = offer?.pricing[1]?.id ?? '';
    const { id, authorizationUrl } = await merchant.api.subscriptions.create({ priceId, customerId });
    await merchant.api.subscriptions.recordUsage(id, { quantity: 1_200, idempotencyKey: 'calls' });
    await showPage(page, `test/subscriptions/${id}`);
    await page.getByText('10.60 USDC of at most 20.00 USDC (53%)').waitFor();
    await page.getByText('1,175 more units fit below').waitFor();
    await visit.expectSound(ALL_LEVELS);
    await page.goto(authorizationUrl ?? '');
    await page.getByText('USDC on Local EVM', { exact: true }).waitFor();
    await page.locator('[data-part=order]').getByText('nothing is charged now').waitFor();
    await page.locator('[data-part=order]').getByText('as soon as 15.00 USDC is used').waitFor();
    expect(await page.locator('main').textContent()).not.toMatch(/trial|free/i);
  });

  it('charges a subscription now, changes it, cancels it, and saves its payments', async () => {
    const sale = await stage.sale([MONTHLY, { ...MONTHLY, amount: '20.00' }]);
    const { merchant } = sale;
    const wallet = (await stage.subscriber(sale.url)).address;
    const [{ id } = { id: '' }] = await subscriptionsOf(merchant);
    const { page, expectSound } = await visitDashboard(stage, merchant, 'member');
    await page.getByRole('link', { name: 'Subscriptions' }).click();
    await page.getByRole('link', { name: 'Coffee Club' }).click();
    await page.getByText('10.00 USD every month').waitFor();
    expect([await focusOf(page), await page.title()]).toEqual(['Coffee Club', 'Coffee Club – Tideline dashboard']);
    await page.getByText(wallet).waitFor();
    expect(await page.getByRole('button', { name: 'Charge now' }).isVisible()).toBe(false);
    await page.getByText('Test tools').click();
    await page.getByRole('button', { name: 'Charge now' }).click();
    await page.getByRole('dialog').getByText('at once, due or not').waitFor();
    expect(await stage.chain.movedFrom(wallet)).toEqual([10_000_000n]);
    await confirm(page, 'Charge now');
    await page.getByText('The charge is settled.').waitFor();
    expect(await stage.chain.movedFrom(wallet)).toEqual([10_000_000n, 10_000_000n]);
    await page.getByRole('button', { name: 'Advance the clock' }).click();
    await confirm(page, 'Advance');
    await page.getByText(/, 20\d\d, .*: the charge that was due settled\. Now it is active\.$/).waitFor();
    expect(await stage.chain.movedFrom(wallet)).toEqual([10_000_000n, 10_000_000n, 10_000_000n]);
    await page.getByRole('button', { name: 'Change the price' }).click();
    await confirm(page, 'Make the link');
    await page.getByText('Send this link to the payer').waitFor();
    expect(await subscriptionsOf(merchant)).toMatchObject([{ pendingOfferPriceId: sale.priceIds[1] }]);
    await expectSound(ALL_LEVELS);

    const endsOn = page.locator('[data-part=status]').getByText(/^Ends on /);
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await confirm(page, 'Cancel it');
    await endsOn.waitFor();
    const [scheduled] = await subscriptionsOf(merchant);
    expect(scheduled).toMatchObject({ status: 'active', cancelAt: scheduled?.currentPeriodEnd });
    await page.getByRole('button', { name: 'Resume' }).click();
    await confirm(page, 'Resume it');
    await endsOn.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByLabel('When').selectOption('now');
    await confirm(page, 'Cancel it');
    await page.locator('[data-part=status]').getByText('Canceled').waitFor();
    expect(await subscriptionsOf(merchant)).toMatchObject([{ status: 'canceled', cyclesCompleted: 3 }]);
    expect(await page.getByRole('button', { name: 'Charge now' }).count()).toBe(0);

    await page.getByRole('link', { name: 'All, with filters and CSV' }).click();
    await page.getByRole('heading', { name: 'Payments', level: 1 }).waitFor();
    expect(new URL(page.url()).hash).toBe(`#/test/payments?subscriptionId=${id}`);
    await page.getByRole('link', { name: '10.00 USDC' }).first().waitFor();
    expect(await page.getByRole('link', { name: '10.00 USDC' }).count()).toBe(3);
    // Pages of one payment: the file has to collect three.
    await page.route(/\/payments\?.*limit=100/, (route) =>
      route.continue({ url: route.request().url().replace('limit=100', 'limit=1') }),
    );
    expect(await saved(page, 'Download CSV')).toBe(await csvOfApi(merchant, `/payments?subscriptionId=${id}`));
    await page.getByLabel('Status').selectOption('failed');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByText('Nothing fits.').waitFor();
    expect(await saved(page, 'Download CSV')).toBe(await csvOfApi(merchant, '/payments?status=failed'));
    await page.getByRole('link', { name: 'Show all' }).first().click();
    await page.getByRole('link', { name: '10.00 USDC' }).first().click();
    await page.getByRole('heading', { name: '10.00 USDC' }).waitFor();
    const [payment] = await paymentsOf(merchant);
    await page.getByText(String(payment?.pullTxHash)).waitFor();
    // Each read is signed anew.
    const { issuedAt, signature, ...proof } = JSON.parse(await saved(page, 'Download the proof'));
    const ofApi = await merchant.call('GET', `/payments/${payment?.id}/proof`);
    expect(ofApi).toMatchObject({ ...proof, signature: { keyId: signature.keyId } });
    expect(issuedAt < String(ofApi['issuedAt'])).toBe(true);
    await expectSound(ALL_LEVELS);
  });

  it('shows the revenue that the API gives, by day and by month, with names, a total, dates and retention', async () => {
    const { url, merchant, offerId } = await stage.sale([MONTHLY], { name: 'The first offer' });
    await stage.subscriber(url);
    const pricing = [{ ...MONTHLY, acceptedTokens: [TOKEN_KEY] }];
    for (const name of ['Another', 'One more']) await merchant.api.offers.create({ name, pricing });
    const { page, expectSound } = await visitDashboard(stage, merchant, 'viewer');
    // Pages of one offer: the names of all have to be collected from three.
    await page.route(/\/offers\?limit=100/, (route) =>
      route.continue({ url: route.request().url().replace('limit=100', 'limit=1') }),
    );
    await page.getByRole('link', { name: 'Revenue' }).first().click();
    await page.getByText('USDC and USDT count as one US dollar each').waitFor();
    for (const interval of ['month', 'day'] as const) {
      await page.getByLabel('Period').selectOption(interval);
      await page.getByText(`By ${interval}, offer and token`).click();
      const { recurring, periods } = await merchant.api.revenue.get({ interval });
      expect(recurring).toMatchObject([{ offerId, tokenKey: TOKEN_KEY, subscriptions: 1, monthlyAmount: '10.00' }]);
      expect(await rowsOf(page, 'Monthly recurring revenue in USD by offer and token')).toEqual([
        ['The first offer', 'USDC on Base', '1', '10.00 USD'],
      ]);
      const dateOf = (start: string) => page.locator(`table time[datetime="${start}"]`).first().textContent();
      expect(await rowsOf(page, `Revenue in USD by ${interval}, offer and token`)).toEqual(
        await Promise.all(
          periods.map(async ({ start, settled, newSubscriptions, endedSubscriptions }) => [
            ...[await dateOf(start), 'The first offer', 'USDC on Base', `${settled.amount} USD (1 payment)`],
            ...['–', '–', String(newSubscriptions), String(endedSubscriptions)],
          ]),
        ),
      );
      const chart = page.getByRole('figure').first();
      const dates = await chart.locator('.chart-axis time').all();
      const boxes = await Promise.all(dates.map(async (date) => (await date.boundingBox()) ?? { x: 0, width: 0 }));
      expect(boxes.length).toBeGreaterThanOrEqual(4);
      expect(boxes.filter(({ x, width }, at) => width === 0 || x + width > (boxes[at + 1]?.x ?? WIDE.width))).toEqual(
        [],
      );
      await chart.getByText('Payments as a table').click();
      const table = await rowsOf(page, `Payments by ${interval}`);
      expect([table.length, table.at(-1)?.slice(1)]).toEqual([interval === 'day' ? 31 : 12, ['10.00 USD', '0.00 USD']]);
      await chart.getByText('Payments as a table').click();
    }
    expect(await page.getByRole('heading', { name: 'Settled in USD' }).locator('..').textContent()).toContain(
      '10.00 USD',
    );
    expect(await rowsOf(page, 'Share of subscriptions left, by the month of start')).toEqual([
      [expect.stringMatching(/\d{4}$/), '1', '100 %'],
    ]);
    await page.getByLabel('Count').selectOption('USD');
    await page.getByTitle('10.00 of 10.00 USD').getByText('100 %').waitFor();
    await page.getByLabel('Offer', { exact: true }).selectOption({ label: 'Another' });
    await page.getByText('Nothing was charged in this time').waitFor();
    await page.locator('option', { hasText: 'One more' }).waitFor({ state: 'attached' });
    expect(await page.getByLabel('Offer', { exact: true }).locator('option').allTextContents()).toEqual([
      ...['All offers', 'Another', 'One more', 'The first offer'],
    ]);
    await expectSound(ALL_LEVELS);
  });

  it('shows the accountant a month, and saves it whole', async () => {
    const sale = await stage.sale([MONTHLY], { name: '=1+1' });
    const { merchant } = sale;
    for (let count = 0; count < 2; count += 1) await stage.subscriber(sale.url);
    const [{ id: paymentId } = { id: '' }] = await paymentsOf(merchant);
    await refundFromNewWallet(merchant.api, stage.chain, paymentId, '2.50');
    const given = async () => (await merchant.api.payments.get(paymentId)).refundedAmount;
    await until('it is refunded', given, (amount) => amount === '2.50');
    // Its clocks show UTC.
    await merchant.api.account.update({ timeZone: 'Atlantic/Reykjavik' });
    const visit = await visitDashboard(stage, merchant, 'viewer');
    const { page } = visit;
    await page.getByRole('link', { name: 'Revenue' }).first().click();
    await page.getByRole('link', { name: 'A month for the accountant' }).click();
    await page.getByText('The month runs in your time zone').waitFor();
    await page.getByText('Settled (Atlantic/Reykjavik)').first().waitFor();
    await page.getByText('Together, at one US dollar for each').waitFor();
    const { sums, settlements } = await merchant.api.settlements.list();
    expect(await rowsOf(page, 'Sums of the month by token')).toEqual([
      ['USDC on Base', '2', '20.00', `${sums[0]?.fee}`, `${sums[0]?.net}`, '2.50'],
    ]);
    const month = await page.getByRole('heading', { level: 1 }).textContent();
    const refunds = await rowsOf(page, `Refunds that settled in ${month}`);
    expect(refunds.map(([, , offer, refunded, token]) => [offer, refunded, token])).toEqual([
      ['=1+1', '2.50', 'USDC on Base'],
    ]);
    const rows = await rowsOf(page, `Payments that settled in ${month}`);
    expect(rows.map(([settled, , offer, gross]) => [settled, offer, gross])).toEqual(
      settlements.map(({ settledAt }) => [settledAt.slice(0, 16).replace('T', ' '), '=1+1', '10.00']),
    );
    const csv = await saved(page, 'Download CSV');
    expect(csv).toBe(await csvOfApi(merchant, '/settlements'));
    expect(csv.match(/'=1\+1/g)).toHaveLength(3);
    await expectSoundEverywhere(visit);
  });

  it('shows a viewer everything and no action, in both schemes and widths', async () => {
    const sale = await stage.sale([MONTHLY]);
    await stage.subscriber(sale.url);
    const visit = await visitDashboard(stage, sale.merchant, 'viewer');
    const { page } = visit;
    for (const { path, heading } of await pathsOf(sale)) {
      await showPage(page, `test/${path}`);
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      await until(
        'everything is loaded',
        () => page.getByText('Loading…').count(),
        (count) => count === 0,
      );
      const names = await page
        .locator('main button, main a.button')
        .evaluateAll((all) => all.map((each) => each.getAttribute('aria-label') ?? each.textContent ?? ''));
      expect({ path, actions: names.filter((name) => !READING.test(name)) }).toEqual({ path, actions: [] });
      await expectSoundEverywhere(visit);
    }
  });
});

const READING = /^(?:Filter|Download CSV|Download the (?:proof|invoice)|Refresh|Copy the .*)$/;

/** The cells of a table's rows. */
async function rowsOf(page: Page, caption: string): Promise<string[][]> {
  const rows = await page.getByRole('region', { name: caption }).locator('tbody tr').all();
  return Promise.all(rows.map((row) => row.locator('td').allTextContents()));
}

async function pathsOf({ merchant, offerId }: Sale) {
  const [subscription] = await subscriptionsOf(merchant);
  const [payment] = await paymentsOf(merchant);
  return [
    { path: 'offers', heading: 'Offers' },
    { path: `offers/${offerId}`, heading: 'Coffee Club' },
    { path: 'customers', heading: 'Customers' },
    { path: `customers/${String(subscription?.customerId)}`, heading: 'Customer' },
    { path: 'subscriptions', heading: 'Subscriptions' },
    { path: `subscriptions/${subscription?.id}`, heading: 'Coffee Club' },
    { path: 'payments', heading: 'Payments' },
    { path: 'revenue', heading: 'Revenue' },
    { path: 'revenue/2028-02', heading: 'February 2028' },
    { path: `payments/${payment?.id}`, heading: '10.00 USDC' },
  ];
}

/** Cells of the first row, by the title of their column. */
async function firstRow(page: Page): Promise<object> {
  const cells = await page.locator('tbody tr').first().locator('td').all();
  const pairs = cells.map(async (cell) => [await cell.getAttribute('data-title'), await cell.textContent()]);
  return Object.fromEntries(await Promise.all(pairs));
}

async function makeCustomers({ id, api }: PageMerchant, count: number): Promise<void> {
  await setLimitFactor(stage.staff(), id, 100, 'many customers at once');
  const name = (at: number) => `Customer ${String(at + 1).padStart(3, '0')}`;
  for (let at = 0; at < count; at += 10) {
    await Promise.all(Array.from({ length: 10 }, (_, n) => api.customers.create({ name: name(at + n) })));
  }
}

describeInChromium('the lists of the dashboard in Chromium', () => {
  it('leads to any of many customers, by the page or by the search, and keeps long names in a line', async () => {
    const merchant = await stage.merchant();
    await makeCustomers(merchant, 110);
    const long = 'Long '.repeat(40).trim();
    await merchant.api.customers.create({ name: long, email: `${'x'.repeat(60)}@${'y'.repeat(60)}.example.com` });
    const { page, expectSound } = await visitDashboard(stage, merchant, 'viewer');
    await showPage(page, 'test/customers');
    await page.getByText('1–50 of 111').waitFor();
    expect((await page.getByRole('link', { name: long }).boundingBox())?.height).toBeLessThan(40);
    await page.getByRole('textbox', { name: 'Page' }).fill('3');
    await page.keyboard.press('Enter');
    await page.getByText('101–111 of 111').waitFor();
    await page.getByRole('link', { name: 'Newest' }).click();
    await page.getByText('1–50 of 111').waitFor();
    await page.getByRole('link', { name: 'Oldest' }).click();
    await page.getByText('101–111 of 111').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('customer 007');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Customer 007' }).waitFor();
    await page.getByLabel('Search').fill('customer 01');
    await page.getByLabel('Search').press('Enter');
    await page.getByRole('heading', { name: '10 found for customer 01' }).waitFor();
    await page.getByRole('link', { name: 'Customer 015' }).waitFor();
    await expectSound(ALL_LEVELS);
    await page.setViewportSize(PHONE_390.viewport);
    await expectSound(ALL_LEVELS);
    await showPage(page, 'live/search?q=customer+007');
    await page.getByText('Nothing of live mode has this id').waitFor();
    await page.getByRole('link', { name: 'Search in test mode' }).click();
    await page.getByRole('heading', { name: 'Customer 007' }).waitFor();
    await showPage(page, 'test/search');
    await page.getByText('Type a name, an e-mail address').waitFor();
  });

  it('says of a payment who, for what and why, and claims no money that did not come', async () => {
    const { merchant, url } = await stage.sale([MONTHLY]);
    const { page: payer } = await stage.payer({ has: 10_000_000n, at: url });
    await subscribe(payer, url);
    const [subscription] = (await merchant.api.subscriptions.list()).subscriptions;
    const { customerId = '', id = '' } = subscription ?? {};
    await merchant.api.customers.update(customerId, { name: 'Mia Example' });
    await merchant.api.sandbox.charge({ subscriptionId: id });
    const { page, expectSound } = await visitDashboard(stage, merchant, 'member', { viewport: PHONE_390.viewport });
    await showPage(page, 'test/payments?status=failed');
    await page.getByRole('link', { name: 'Mia Example' }).waitFor();
    expect(await firstRow(page)).toMatchObject({
      Amount: '10.00 USDC',
      Status: expect.stringContaining('The wallet has too little of the token.'),
      Customer: 'Mia Example',
      For: expect.stringContaining('Coffee Club'),
      'You receive': '–',
    });
    await page.getByText('Failed, nothing received: 10.00 USDC').waitFor();
    // Folded, and the present tab and view are on the screen.
    expect(await page.locator('details').first().getAttribute('open')).toBeNull();
    for (const name of ['Payments', 'Failed']) {
      const box = await page.getByRole('link', { name, exact: true }).first().boundingBox();
      expect([name, (box?.x ?? -1) >= 0, (box?.x ?? 0) + (box?.width ?? 0) <= PHONE_390.viewport.width]).toEqual([
        name,
        true,
        true,
      ]);
    }
    await expectSound(ALL_LEVELS);
    await page.getByRole('link', { name: '10.00 USDC' }).click();
    await page.getByRole('heading', { name: '10.00 USDC' }).waitFor();
    const amounts = await page.getByRole('region', { name: 'Amounts' }).textContent();
    expect(amounts).toMatch(/Asked for10\.00 USDCPaidNothing/);
    expect(amounts).not.toMatch(/receive/i);
    await page.setViewportSize({ width: 1280, height: 800 });
    await showPage(page, 'test/payments');
    await page.getByText('Settled: 10.00 USDC').waitFor();
    await page.getByRole('link', { name: 'Subscriptions', exact: true }).click();
    await page.getByRole('link', { name: 'Balance missing' }).click();
    await page.getByRole('link', { name: 'Mia Example' }).waitFor();
    expect(new URL(page.url()).hash).toBe('#/test/subscriptions?attention=balance_missing');
    await page.getByRole('link', { name: 'Will not renew' }).click();
    await page.getByText('Nothing fits.').waitFor();
  });

  it('cancels many after a question, says what failed, and does nothing twice', async () => {
    const { merchant, priceIds } = await stage.sale([MONTHLY]);
    const ids: string[] = [];
    for (const name of ['Ann', 'Bob', 'Cleo']) {
      const { id: customerId } = await merchant.api.customers.create({ name });
      ids.push((await merchant.api.subscriptions.create({ priceId: priceIds[0] ?? '', customerId })).id);
    }
    const visit = await visitDashboard(stage, merchant, 'member');
    const { page } = visit;
    await showPage(page, 'test/subscriptions');
    await page.getByRole('link', { name: 'Cleo' }).waitFor();
    await page.getByLabel('Pick all on this page').check();
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByText('Cleo, Coffee Club').waitFor();
    await page.getByText('no charge has failed or waits').waitFor();
    await page.getByRole('button', { name: 'Go back' }).click();
    await merchant.api.subscriptions.cancel(ids[0] ?? '');
    const sent: string[] = [];
    let limited = 1;
    await page.route(/\/subscriptions\/sub_\w+\/cancel$/, (route) => {
      sent.push(route.request().url());
      if (limited-- > 0)
        return route.fulfill({ status: 429, headers: { 'Retry-After': '1' }, json: { error: 'Slow' } });
      return route.continue();
    });
    await page.getByRole('button', { name: 'Cancel now' }).click();
    await page.getByRole('dialog').getByText('Each ends now, for good.').waitFor();
    await page.getByRole('button', { name: 'Cancel now: 3 subscriptions' }).dblclick();
    await page.getByText('2 canceled, 1 failed:').waitFor();
    const refusal = /Ann, Coffee Club.*: Subscription is canceled/;
    await page.getByRole('dialog').getByText(refusal).waitFor();
    visit.forgive(/409|429/);
    // One was refused by the limit, and sent again.
    expect([sent.length, new Set(sent).size]).toEqual([4, 3]);
    await visit.expectSound(ALL_LEVELS);
    await page.getByRole('button', { name: 'Go back' }).click();
    await until(
      'the list shows what was done',
      () => page.getByText('Canceled', { exact: true }).count(),
      (count) => count >= 3,
    );
    await page.getByLabel('Status').selectOption('canceled');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('button', { name: 'Save this view' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Gone');
    await page.getByRole('button', { name: 'Save it' }).click();
    await page.reload();
    await page.getByRole('link', { name: 'All', exact: true }).click();
    await page.getByRole('link', { name: 'Gone' }).click();
    await page.getByText('1–3 of 3').waitFor();
    expect(new URL(page.url()).hash).toBe('#/test/subscriptions?status=canceled');
    await page.getByRole('button', { name: 'Forget this view' }).click();
    await page.getByRole('link', { name: 'Gone' }).waitFor({ state: 'detached' });
  });
});

describeInChromium('the forms of the dashboard in Chromium', () => {
  it('says at its field what is wrong, takes a comma, and checks an address as it is typed', async () => {
    const merchant = await stage.merchant();
    const visit = await visitDashboard(stage, merchant, 'admin', { viewport: PHONE_390.viewport });
    const { page } = visit;
    const errorAt = async (label: string): Promise<string> => {
      const id = (await page.getByLabel(label).getAttribute('aria-describedby'))?.split(' ').at(-1) ?? '';
      return id.endsWith('-error') ? ((await page.locator(`[id="${id}"]`).textContent()) ?? '') : '';
    };
    await showPage(page, 'test/offers/new');
    await page.getByLabel('Name').fill('Tea Club');
    await page.getByLabel('Amount').fill('1,234');
    expect(await errorAt('Amount')).toBe('Write 1234 or 1.234: 1,234 can be either.');
    await page.getByLabel('Amount').fill('nine');
    expect(await errorAt('Amount')).toBe('Enter a number such as 9.90.');
    await page.getByLabel('Amount').fill('0,10');
    await page.getByText('Read as 0.10').waitFor();
    expect(await errorAt('Amount')).toBe('');
    await page.getByRole('button', { name: 'Create the offer' }).click();
    await page.getByText('Choose at least one token.').waitFor();
    const tokens = await page.getByText('Choose at least one token.').boundingBox();
    expect((tokens?.y ?? -1) > 0 && (tokens?.y ?? 0) < PHONE_390.viewport.height).toBe(true);
    await page.getByRole('group', { name: 'Base', exact: true }).getByLabel('USDC').check();
    await page.getByRole('button', { name: 'Create the offer' }).click();
    await until(
      'the amount is too small',
      () => errorAt('Amount'),
      (error) => error.startsWith('Must be at least 1.00 USD'),
    );
    expect(await page.getByLabel('Amount').evaluate('document.activeElement.name')).toBe('amount');
    const box = await page.getByText('Must be at least 1.00 USD').boundingBox();
    expect((box?.y ?? -1) > 0 && (box?.y ?? 0) < PHONE_390.viewport.height).toBe(true);
    visit.forgive(/400/);
    await visit.expectSound(ALL_LEVELS);
    await page.getByLabel('Amount').fill('12,50');
    await page.getByRole('button', { name: 'Create the offer' }).click();
    await page.getByRole('heading', { name: 'Tea Club' }).waitFor();
    expect((await merchant.api.offers.list()).offers).toMatchObject([{ pricing: [{ amount: '12.50' }] }]);

    await showPage(page, 'test/customers/new');
    const wallet = stage.chain.addressOf('merchant');
    const flipped = wallet.replace(/[a-f]/, (letter) => letter.toUpperCase());
    const solana = 'So11111111111111111111111111111111111111112';
    const address = page.getByLabel('EVM wallet');
    await address.fill(wallet.slice(0, 20));
    expect(await errorAt('EVM wallet')).toBe('');
    await address.blur();
    expect(await errorAt('EVM wallet')).toBe('An EVM address has 42 characters; this one has 20.');
    await address.fill(flipped);
    expect(await errorAt('EVM wallet')).toMatch(/the checksum does not fit/);
    await address.fill(solana);
    expect(await errorAt('EVM wallet')).toBe('This is an address on Solana. Enter one on EVM.');
    await page.getByLabel('Solana wallet').fill(wallet);
    expect(await errorAt('Solana wallet')).toBe('This is an address on EVM. Enter one on Solana.');
    await page.getByRole('button', { name: 'Create the customer' }).click();
    expect((await merchant.api.customers.list()).customers).toEqual([]);
    await page.getByLabel('Solana wallet').fill(solana);
    await address.fill(wallet);
    expect([await errorAt('EVM wallet'), await errorAt('Solana wallet')]).toEqual(['', '']);
    await page.getByRole('button', { name: 'Create the customer' }).click();
    await page.getByRole('heading', { name: 'Customer', level: 1, exact: true }).waitFor();
    await visit.expectSound(ALL_LEVELS);
  });
});

/** A payment of 10.00 that is settled, and a member of the shop at its page, with a wallet that has so much. */
async function visitPaid({ has, look = {} }: { readonly has: bigint; readonly look?: VisitOptions }) {
  const { merchant, url } = await stage.sale([MONTHLY]);
  const payer = (await stage.subscriber(url)).address;
  const [payment] = await paymentsOf(merchant);
  const shop = await stage.chain.newWallet(has);
  const visit = await visitWithWallet(stage.chromium, shop, look);
  await openDashboard(visit.page, await stage.invitation(merchant, 'member'));
  await showPage(visit.page, `test/payments/${payment?.id}`);
  return { ...visit, merchant, payer, shop, id: payment?.id ?? '' };
}

async function askForRefund(
  page: Page,
  { amount, reason = '' }: { readonly amount: string; readonly reason?: string },
) {
  await page.getByRole('button', { name: /^Refund/ }).click();
  await page.getByRole('textbox', { name: 'Amount' }).fill(amount);
  await page.getByLabel('Reason').fill(reason);
  await confirm(page, 'Continue to your wallet');
}

async function refundStates(page: Page) {
  return page.locator('[data-refund]').evaluateAll((all) => all.map((each) => each.getAttribute('data-refund')));
}

describeInChromium('the refunds of the dashboard in Chromium', () => {
  it('sends a part from the wallet of the shop, goes on in another tab, and gives back no more than was paid', async () => {
    const { page, owner, merchant, payer, shop, id, ...visit } = await visitPaid({
      has: 10_000_000n,
      look: { viewport: PHONE_390.viewport },
    });
    await page.getByRole('button', { name: 'Refund', exact: true }).click();
    expect(await page.getByRole('textbox', { name: 'Amount' }).inputValue()).toBe('10.00');
    await page.getByRole('textbox', { name: 'Amount' }).fill('10,01');
    await page.getByRole('button', { name: 'Continue to your wallet' }).click();
    await page.getByText('Must be at most 10.00 USDC').waitFor();
    visit.forgive(/409/);
    await visit.expectSound(ALL_LEVELS);
    await page.getByRole('textbox', { name: 'Amount' }).fill('4');
    await page.getByLabel('Reason').fill('A bag was torn');
    await confirm(page, 'Continue to your wallet');
    owner.chainId = 1;
    await connect(page);
    owner.declines = ['eth_sendTransaction'];
    await page.getByRole('button', { name: 'Approve and send 4.00 USDC' }).click();
    await page.getByText('Declined in your wallet').waitFor();
    expect([owner.chainId, await stage.chain.movedFrom(shop.address)]).toEqual([31_337, []]);
    await visit.expectSound(ALL_LEVELS);
    await page.reload();
    owner.declines = [];
    await page.getByRole('button', { name: 'Sign in your wallet' }).click();
    await connect(page);
    await page.getByRole('button', { name: 'Approve and send 4.00 USDC' }).click();
    await page.getByText('The payer has the money').waitFor();
    expect(await stage.chain.movedFrom(shop.address)).toEqual([4_000_000n]);
    expect(await stage.chain.movedTo(payer)).toContain(4_000_000n);
    expect(await stage.chain.allowance(shop.address, stage.chain.router)).toBe(0n);
    expect(await merchant.api.payments.get(id)).toMatchObject({ refundedAmount: '4.00' });

    await askForRefund(page, { amount: '1' });
    await page.getByRole('button', { name: 'Cancel the refund' }).click();
    await confirm(page, 'Cancel it');
    await page.getByText('Canceled before anything was sent.').waitFor();
    await page.getByRole('button', { name: 'Refund more' }).click();
    expect(await page.getByRole('textbox', { name: 'Amount' }).inputValue()).toBe('6.00');
    await confirm(page, 'Continue to your wallet');
    await connect(page);
    await page.getByRole('button', { name: 'Approve and send 6.00 USDC' }).click();
    await until(
      'both are settled',
      () => refundStates(page),
      (states) => states.join() === 'settled,failed,settled',
    );
    expect(await stage.chain.movedFrom(shop.address)).toEqual([4_000_000n, 6_000_000n]);
    expect(await page.getByRole('button', { name: /^Refund/ }).count()).toBe(0);
    await showPage(page, 'test/payments');
    await page.getByText('10.00 USDC refunded').waitFor();

    const { receiptUrl, customerId } = await merchant.api.payments.get(id);
    await page.goto(`${receiptUrl}?lang=de`);
    await page.getByText(/^4,00 USDC am /).waitFor();
    await visit.expectSound();
    const { url: portal } = await merchant.api.customers.createPortalSession(customerId ?? '');
    await page.goto(portal);
    await page.getByRole('button', { name: 'Manage Coffee Club' }).click();
    await page.getByText('Refunded: 6.00 USDC on').waitFor();
    await visit.expectSound();
    const answers = await askStaff(stage.staff(), 'GET', `/payments/${id}`, z.unknown());
    expect(JSON.stringify(answers)).toMatch(/4\.00 USDC to 0x\w{40}: settled on/);
  });

  it('says what a wallet lacks, signs nothing twice without a question, and lets another wallet send', async () => {
    const { page, owner, shop, payer, merchant, id, ...visit } = await visitPaid({ has: 1_000_000n });
    await askForRefund(page, { amount: '2.50' });
    await connect(page);
    await page.getByText('This wallet has too little').waitFor();
    await page.getByText('It has 1.00 USDC.').waitFor();
    await visit.expectSound(ALL_LEVELS);
    await stage.chain.give(shop.address, 5_000_000n);
    await stage.chain.provider.send('anvil_setBalance', [shop.address, '0x0']);
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByRole('button', { name: 'Approve and send 2.50 USDC' }).click();
    await page.getByText('too little of the network’s own coin').waitFor();
    await visit.expectSound(ALL_LEVELS);
    await stage.chain.fund(shop.address, 0n);
    await stage.chain.approve(shop, stage.chain.router, 2_500_000n);
    owner.replaces = true;
    await page.getByRole('button', { name: 'Use another wallet' }).click();
    await connect(page);
    await page.getByRole('button', { name: 'Send 2.50 USDC', exact: true }).click();
    await page.getByText('A wallet has sent it').waitFor();
    const colleague = await visitDashboard(stage, merchant, 'member');
    await showPage(colleague.page, `test/payments/${id}`);
    await colleague.page.getByText('A wallet has sent it').waitFor();
    expect(await colleague.page.getByRole('button', { name: 'Sign in your wallet' }).count()).toBe(0);
    await colleague.expectSound(ALL_LEVELS);
    await page.reload();
    await page.getByRole('button', { name: 'It does not arrive' }).click();
    await confirm(page, 'Sign again');
    await useTestWallet(page, 'test-evm-payer-7');
    await page.getByRole('button', { name: 'Approve and send 2.50 USDC' }).click();
    await page.getByText('The payer has the money').waitFor();
    expect(await stage.chain.movedFrom(stage.chain.addressOf('payer-7'))).toEqual([2_500_000n]);
    expect(await stage.chain.movedTo(payer)).toContain(2_500_000n);
    await visit.expectSound(ALL_LEVELS);
  });

  it('asks the payer of a transfer for an address, and refunds to it', async () => {
    const { page: payer, url, merchant, expectSound } = await stage.visitorOf([ONCE]);
    const own = (await stage.chain.newWallet()).address;
    await chooseTransfer(payer);
    const address = await openTransfer(payer);
    await stage.chain.give(address, 25_000_000n);
    await waitUntilReceived(payer);
    const { page, forgive } = await visitDashboard(stage, merchant, 'member');
    const [payment] = await paymentsOf(merchant);
    await showPage(page, `test/payments/${payment?.id}`);
    await page.getByRole('button', { name: 'Refund', exact: true }).click();
    await confirm(page, 'Continue to your wallet');
    await page.getByText('The payer has named no address for refunds').waitFor();
    forgive(/409/);
    const link = await copied(page, 'link for the payer');
    expect(link).toBe(`${url}?refund`);

    const elsewhere = await stage.chromium.visit({ at: link });
    await elsewhere.page.getByRole('heading', { name: 'Name an address for refunds' }).waitFor();
    expect(await elsewhere.page.getByRole('button', { name: 'Show the address' }).count()).toBe(0);
    await elsewhere.expectSound();
    const later = await payer.context().newPage();
    await later.goto(link);
    await later.getByRole('button', { name: 'Continue this transfer' }).click();
    await later.getByRole('button', { name: 'Name an address for refunds' }).click();
    await saveRefundAddress(later, own);
    await later.getByText('Refunds go to:').waitFor();
    await expectSound();
    await stage.chain.give(address, 3_000_000n);

    await askForRefund(page, { amount: '20' });
    await useTestWallet(page, 'test-evm-payer-8');
    await page.getByRole('button', { name: 'Approve and send 20.00 USDC' }).click();
    await page.getByText('The payer has the money').waitFor();
    await page.getByText('The service sent back what the payment did not use.').waitFor();
    expect((await stage.chain.movedTo(own)).sort()).toEqual([20_000_000n, 3_000_000n]);
  });
});
