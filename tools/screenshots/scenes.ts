import type { Locator, Page } from 'playwright-core';
import { inviteMember } from '../../scripts/lib/staff.ts';
import type { Merchant } from '../../stage/merchant.ts';
import { signUp } from '../../stage/merchant-client.ts';
import { startReceiver } from '../../stage/receiver.ts';
import type { Stage } from '../../stage/stage.ts';
import { DESKTOP, PHONE, type Photographer, type View } from './photographer.ts';

/** What one can see of a service, as pictures. */
export type Scene = (photographer: Photographer, stage: Stage) => Promise<void>;

const NAME = 'Harbour Roasters';

const OFFER = {
  name: 'Coffee Club',
  description: 'Two bags of freshly roasted beans, at your door on the first of the month.',
  features: [
    { title: 'Single origin', description: 'another farm every month' },
    { title: 'Roasted to order' },
    { title: 'Pause whenever you like' },
  ],
  pricing: [
    {
      label: 'Monthly',
      amount: '9.90',
      acceptedTokens: ['usdc-base', 'usdt-ethereum'],
      billing: { type: 'recurring' as const, interval: 'month' as const },
    },
    {
      label: 'Yearly',
      amount: '99.00',
      acceptedTokens: ['usdc-base'],
      billing: { type: 'recurring' as const, interval: 'year' as const },
    },
    { label: 'One bag', amount: '7.50', acceptedTokens: ['usdc-base'], billing: { type: 'one_time' as const } },
  ],
};

async function sell(stage: Stage) {
  const merchant = await stage.createMerchant(NAME);
  await merchant.api.wallets.register({ tokenKey: 'usdt-ethereum', receiverWallet: merchant.payoutWallet });
  const { checkoutUrl, pricing } = await merchant.api.offers.create(OFFER);
  return { merchant, checkoutUrl, priceId: pricing[0]?.id ?? '' };
}

/** Another customer, with a subscription that is paid. */
async function addSubscriber(merchant: Merchant, priceId: string, name?: string) {
  const payer = await merchant.createPayer({ has: '1000.00', ...(name === undefined ? {} : { name }) });
  await payer.approve('1000.00');
  const { customerId } = payer;
  const { id } = await merchant.api.subscriptions.create({ priceId, customerId, tokenKey: 'usdc-base' });
  await merchant.api.sandbox.advance({ subscriptionId: id, status: 'active' });
  return { customerId, id, payer };
}

async function openDashboard(photographer: Photographer, stage: Stage, merchantId: string): Promise<Page> {
  const { url } = await inviteMember(stage.staff(), merchantId, { name: 'Ada', role: 'admin' }, 'for the pictures');
  const page = await photographer.visit(DESKTOP);
  await page.goto(url);
  await page.getByRole('button', { name: 'Open the dashboard' }).click();
  await page.getByText('To do').or(page.getByText('The last 30 days')).first().waitFor();
  return page;
}

/** What a payer does at the checkout before each picture. A picture of a phone is dark. */
const CHECKOUT: readonly (readonly [name: string, view: View, act: (page: Page) => Promise<unknown>])[] = [
  ['checkout-consent', DESKTOP, (page) => useTestWallet(page, 'payer-1')],
  ['checkout-phone', PHONE, (page) => useTestWallet(page, 'payer-2')],
  ['journey-active', PHONE, (page) => useTestWallet(page, 'payer-3').then(() => agree(page))],
  ['journey-no-wallet', PHONE, (page) => scrollTo(page.getByText('No wallet was found'))],
  ['journey-question', PHONE, (page) => page.goto(`${page.url()}#session=${'a'.repeat(43)}`).then(() => page.reload())],
  ['journey-handover', DESKTOP, (page) => page.getByRole('button', { name: 'Continue on your phone' }).click()],
  ['journey-declined', PHONE, decline],
  ['journey-too-little', PHONE, addMissing],
  ['checkout-transfer', DESKTOP, showAddress],
  ['journey-transfer', PHONE, (page) => showAddress(page).then(() => scrollTo(page.getByText('Waiting for')))],
  ['journey-closed-tab', PHONE, reopen],
];

const checkout: Scene = async (photographer, stage) => {
  const { checkoutUrl } = await sell(stage);
  for (const [name, view, act] of CHECKOUT) {
    const page = await photographer.visit(view);
    if (act === decline) await page.addInitScript(decliningWallet(stage.chain.addressOf('payer-4')));
    await page.goto(checkoutUrl);
    await page.locator('[data-part=order]').waitFor();
    await act(page);
    await photographer.take(page, name, { isWhole: name === 'checkout-transfer' });
    await page.context().close();
  }
};

/** Stops at the consent, where no choice is left. The bar with sum and button is at the lower edge of the screen. */
async function useTestWallet(page: Page, name: string): Promise<void> {
  await page.getByLabel('Test wallet', { exact: true }).selectOption(`test-evm-${name}`);
  await page.getByRole('button', { name: 'Use this test wallet' }).click();
  await page.getByRole('heading', { name: 'What you approve' }).waitFor();
}

async function agree(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Agree and approve' }).click();
  await scrollTo(page.getByText('Your subscription is active'));
}

/** The owner of this wallet declines whatever they are asked to sign. */
const decliningWallet = (address: string) => `
  const request = async ({ method }) => {
    if (/accounts/i.test(method)) return ['${address}'];
    if (method === 'eth_chainId') return '0x7a69';
    throw Object.assign(new Error('User rejected the request.'), { code: 4001 });
  };
  const info = { uuid: '350670db-19fa-4704-a166-e52e178b59d2', name: 'Pocket', icon: 'data:,', rdns: 'com.example.pocket' };
  const detail = Object.freeze({ info, provider: { request, on() {}, removeListener() {} } });
  const announce = () => dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
  addEventListener('eip6963:requestProvider', announce);`;

async function decline(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Connect Pocket' }).click();
  await page.getByRole('button', { name: 'Agree and approve' }).click();
  await page.getByText('Declined in your wallet').waitFor();
}

async function addMissing(page: Page): Promise<void> {
  await useTestWallet(page, 'empty');
  await page.getByRole('button', { name: /^Add / }).click();
}

async function showAddress(page: Page): Promise<void> {
  await page.getByLabel('One bag').check();
  await page.getByLabel('A transfer from any wallet').check();
  await page.getByRole('button', { name: 'Show the address' }).click();
  await page.locator('[data-part=deposit-address]').waitFor();
}

/** The tab that has begun a transfer is closed, and the link is opened again. */
async function reopen(page: Page): Promise<void> {
  await showAddress(page);
  await page.evaluate('sessionStorage.clear()');
  await page.goto(page.url().split('#')[0] ?? '');
  await page.reload();
  await page.getByRole('button', { name: 'Continue this transfer' }).waitFor();
}

/** To the upper edge of the window. */
async function scrollTo(element: Locator): Promise<void> {
  await element.waitFor();
  await element.evaluate((shown) => shown.scrollIntoView());
}

/** The staff console: the list of trouble, a subscription in trouble, and a payer who was charged twice. */
const staffConsole: Scene = async (photographer, stage) => {
  const { merchant, priceId } = await sell(stage);
  const { id: subscriptionId } = await addSubscriber(merchant, priceId);
  for (let others = 0; others < 2; others += 1) await addSubscriber(merchant, priceId);
  await merchant.api.sandbox.advance({ subscriptionId, status: 'past_due' });
  const page = await photographer.visit(DESKTOP);
  await page.goto(`${stage.url}/staff`);
  await page.getByLabel('Staff token').fill(stage.staff().token);
  await page.getByRole('button', { name: 'Open the console' }).click();
  await page.getByRole('heading', { name: 'Recent trouble' }).waitFor();
  await photographer.take(page, 'staff-trouble');
  await page.goto(`${stage.url}/staff#/${subscriptionId}`);
  await page.getByRole('heading', { name: 'Answers' }).waitFor();
  await photographer.take(page, 'staff-subscription');
  const { customerId, id } = await addSubscriber(merchant, priceId);
  await merchant.api.sandbox.advance({ subscriptionId: id });
  await page.goto(`${stage.url}/staff#/${id}`);
  await page.getByText('Why was I charged more than once?').waitFor();
  await photographer.take(page, 'journey-twice-staff', { part: page.getByRole('region', { name: 'Answers' }) });
  await page.context().close();
  const payer = await photographer.visit(PHONE);
  await payer.goto((await merchant.api.customers.createPortalSession(customerId, {})).url);
  await payer.getByRole('button', { name: 'Manage' }).click();
  await payer
    .getByRole('link', { name: /^Receipt of / })
    .first()
    .waitFor();
  await scrollTo(payer.getByRole('heading', { name: 'Receipts' }));
  await photographer.take(payer, 'journey-twice');
  await payer.context().close();
};

const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" width="160" height="160" viewBox="0 0 32 32" style="display: block">
  <path fill="#a0430a" d="M5 11h18v9a7 7 0 0 1-7 7h-4a7 7 0 0 1-7-7z"/>
  <path fill="none" stroke="#a0430a" stroke-width="2.4" d="M23 13h2a3.5 3.5 0 0 1 0 7h-2M10 8V4M14 8V5M18 8V4"/>
</svg>`;

/** A merchant's own logo and colour: in the settings, at its checkout, and in the portal. */
const branding: Scene = async (photographer, stage) => {
  const { merchant, checkoutUrl, priceId } = await sell(stage);
  const page = await openDashboard(photographer, stage, merchant.id);
  const drawing = await photographer.visit(DESKTOP);
  await drawing.setContent(LOGO);
  // A PNG, because the service takes no SVG.
  const buffer = await drawing.locator('svg').screenshot();
  await drawing.context().close();
  await page.goto(`${stage.url}/dashboard#/test/settings`);
  await page.getByLabel('Logo', { exact: true }).setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer });
  await page.getByLabel('Accent colour', { exact: true }).fill('#a0430a');
  await page.getByRole('button', { name: 'Save the branding' }).click();
  await page.getByText('The branding is saved.').waitFor();
  // The bar at the top does not hide a part of a page that is as high as its window.
  await page.setViewportSize({ width: DESKTOP.width, height: 1_800 });
  await page.reload();
  await page.getByText('On a dark screen').waitFor();
  await photographer.take(page, 'dashboard-branding', { part: page.getByRole('region', { name: 'Branding' }) });
  await page.setViewportSize(DESKTOP);
  await page.goto(checkoutUrl);
  await page.getByLabel('Monthly').waitFor();
  await photographer.take(page, 'checkout-branded');
  const { customerId } = await addSubscriber(merchant, priceId);
  await page.goto((await merchant.api.customers.createPortalSession(customerId, {})).url);
  await page.getByText('Next charge').waitFor();
  await photographer.take(page, 'portal', { part: page.getByRole('main') });
  await page.context().close();
};

/** The dashboard on the first day, and with three subscribers. */
const dashboard: Scene = async (photographer, stage) => {
  const fresh = await signUp(() => stage.url, stage.dataDir, { name: NAME });
  const first = await openDashboard(photographer, stage, fresh.id);
  await first.getByRole('button', { name: 'Save the wallet' }).waitFor();
  await photographer.take(first, 'dashboard-home');
  await chargeFirst(first, stage);
  await photographer.take(first, 'journey-first-charge');
  await first.context().close();
  const { merchant, priceId } = await sell(stage);
  for (let count = 0; count < 3; count += 1) await addSubscriber(merchant, priceId);
  const page = await openDashboard(photographer, stage, merchant.id);
  await page.goto(`${stage.url}/dashboard#/test/revenue`);
  await page.getByText('Retention by the month of start').waitFor();
  await photographer.take(page, 'dashboard-revenue');
  await page.setViewportSize(PHONE);
  await page.goto(`${stage.url}/dashboard#/test/subscriptions`);
  await page.getByRole('table').waitFor();
  await photographer.take(page, 'dashboard-phone');
  await page.context().close();
};

/** From the home of the first day to the delivery of the event about the first test charge. */
async function chargeFirst(page: Page, stage: Stage): Promise<void> {
  const receiver = await startReceiver();
  stage.onStop(() => receiver.close());
  await page.getByRole('button', { name: 'Save the wallet' }).click();
  await page.getByLabel('Name of the product').fill(OFFER.name);
  await page.getByRole('button', { name: 'Create the offer' }).click();
  await page.getByLabel('URL of your webhook endpoint').fill(receiver.url);
  await page.getByRole('button', { name: 'Save the endpoint' }).click();
  receiver.setSecret((await page.locator('[data-shown-once] code').textContent()) ?? '', 'test');
  await page.getByRole('button', { name: 'I have it' }).click();
  await page.getByRole('button', { name: 'Make a test charge' }).click();
  await page.getByRole('link', { name: 'See its webhook' }).click();
  await page.getByRole('cell', { name: /^HTTP 2/ }).waitFor();
}

/** Two journeys of an owner (docs/journeys.md): the month for the accountant, and why a payment failed, on a phone. */
const ownerJourneys: Scene = async (photographer, stage) => {
  const { merchant, priceId } = await sell(stage);
  for (const name of ['Grace Murray', 'Ada King']) await addSubscriber(merchant, priceId, name);
  const { id: subscriptionId, payer } = await addSubscriber(merchant, priceId, 'Joan Clarke');
  await payer.spendEverything();
  await merchant.api.sandbox.advance({ subscriptionId, status: 'past_due' });
  const page = await openDashboard(photographer, stage, merchant.id);
  await page.getByRole('link', { name: 'Revenue' }).first().click();
  await page.getByRole('link', { name: 'A month for the accountant' }).click();
  await page.getByText('Together, at one US dollar').waitFor();
  await photographer.take(page, 'journey-month');
  await page.setViewportSize(PHONE);
  await page.emulateMedia({ colorScheme: PHONE.scheme });
  await page.getByLabel('Search').fill('joan');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('heading', { name: 'Joan Clarke' }).waitFor();
  await page.getByText('The wallet has too little').first().waitFor();
  await scrollTo(page.getByRole('heading', { name: 'Subscriptions' }));
  await photographer.take(page, 'journey-failed-customer');
  await page.getByRole('link', { name: 'Coffee Club' }).first().click();
  await page.getByRole('heading', { name: 'Coffee Club' }).waitFor();
  await photographer.take(page, 'journey-failed');
  await page.context().close();
};

export const SCENES: readonly Scene[] = [checkout, staffConsole, branding, dashboard, ownerJourneys];
