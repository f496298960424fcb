import type { Page } from 'playwright-core';
import { inviteMember } from '../../scripts/lib/staff.ts';
import type { Merchant } from '../../stage/merchant.ts';
import { signUp } from '../../stage/merchant-client.ts';
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

/** A merchant with an offer. */
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

/** Opens the dashboard as a new member of a merchant. */
async function openDashboard(photographer: Photographer, stage: Stage, merchantId: string): Promise<Page> {
  const { url } = await inviteMember(stage.staff(), merchantId, { name: 'Ada', role: 'admin' }, 'for the pictures');
  const page = await photographer.visit(DESKTOP);
  await page.goto(url);
  await page.getByRole('button', { name: 'Open the dashboard' }).click();
  await page.getByText('To do').or(page.getByText('The last 30 days')).first().waitFor();
  return page;
}

/** The offer and the consent, on a desktop and on a phone, and payment by transfer. */
const checkout: Scene = async (photographer, stage) => {
  const { checkoutUrl } = await sell(stage);
  await consent(photographer, checkoutUrl, DESKTOP, 'payer-1', 'checkout-consent');
  await consent(photographer, checkoutUrl, PHONE, 'payer-2', 'checkout-phone');
  const page = await photographer.visit(DESKTOP);
  await page.goto(checkoutUrl);
  await page.getByLabel('One bag').check();
  await page.getByLabel('A transfer from any wallet').check();
  await page.getByRole('button', { name: 'Show the address' }).click();
  await page.locator('[data-part=deposit-address]').waitFor();
  await photographer.take(page, 'checkout-transfer', { isWhole: true });
  await page.context().close();
};

/** Stops at the consent, where no choice is left. The bar with sum and button is at the lower edge of the screen. */
async function consent(photographer: Photographer, url: string, view: View, payer: string, name: string) {
  const page = await photographer.visit(view);
  await page.goto(url);
  await page.getByLabel('Test wallet', { exact: true }).selectOption(`test-evm-${payer}`);
  await page.getByRole('button', { name: 'Use this test wallet' }).click();
  await page.getByRole('heading', { name: 'What you approve' }).waitFor();
  await photographer.take(page, name);
  await page.context().close();
}

/** The staff console: the list of trouble, and a subscription in trouble. */
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
  await page.context().close();
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
  await photographer.take(page, 'dashboard-branding', { part: page.getByRole('region', { name: 'Branding' }) });
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
  await photographer.take(first, 'dashboard-home');
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
  await page.getByRole('link', { name: 'Coffee Club' }).first().waitFor();
  await page.getByRole('heading', { name: 'Subscriptions' }).evaluate((heading) => heading.scrollIntoView());
  await photographer.take(page, 'journey-failed-customer');
  await page.getByRole('link', { name: 'Coffee Club' }).first().click();
  await page.getByRole('heading', { name: 'Coffee Club' }).waitFor();
  await photographer.take(page, 'journey-failed');
  await page.context().close();
};

export const SCENES: readonly Scene[] = [checkout, staffConsole, branding, dashboard, ownerJourneys];
