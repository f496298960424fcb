import type { Page } from 'playwright-core';
import { z } from 'zod';
import { devnetFacts } from '../../scripts/lib/devnet-facts.ts';
import { staffToken } from '../../scripts/lib/running-service.ts';
import { inviteMember } from '../../scripts/lib/staff.ts';
import { type MerchantClient, signUp } from '../../stage/merchant-client.ts';
import { openShop } from '../../stage/sale.ts';
import { OFFER, type Scene } from './checkout.ts';
import { DESKTOP, type Photographer } from './photographer.ts';

const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" width="160" height="160" viewBox="0 0 32 32" style="display: block">
  <path fill="#a0430a" d="M5 11h18v9a7 7 0 0 1-7 7h-4a7 7 0 0 1-7-7z"/>
  <path fill="none" stroke="#a0430a" stroke-width="2.4" d="M23 13h2a3.5 3.5 0 0 1 0 7h-2M10 8V4M14 8V5M18 8V4"/>
</svg>`;

const ACCENT = '#a0430a';

const withId = z.object({ id: z.string() });
const made = z.object({ checkoutUrl: z.string(), pricing: z.tuple([withId], z.unknown()) });
const withUrl = z.object({ url: z.string() });

/** A merchant's own logo and colour: in the settings, at its checkout, and in the portal. */
export async function brandingPictures(photographer: Photographer, { service, dataDir }: Scene): Promise<void> {
  const merchant = await signUp(() => service.url, dataDir, 'Harbour Roasters');
  const { payers } = await openShop(merchant, await devnetFacts(service));
  const { checkoutUrl, pricing } = made.parse(await merchant.call('POST', '/offers', OFFER));
  const staff = { url: service.url, token: staffToken({ DATA_DIR: dataDir }).token };
  const { url } = await inviteMember(staff, merchant.id, { name: 'Ada', role: 'admin' }, 'for the pictures');
  const page = await photographer.visit(DESKTOP);
  const logo = await drawn(page);
  await page.goto(url);
  await page.getByRole('button', { name: 'Open the dashboard' }).click();
  await page.getByText('To do').first().waitFor();
  await setBranding(page, `${service.url}/dashboard#/test/settings`, logo);
  await photographer.take(page, 'dashboard-branding', { part: page.getByRole('region', { name: 'Branding' }) });
  await page.goto(checkoutUrl);
  await page.getByLabel('Monthly').waitFor();
  await photographer.take(page, 'checkout-branded', { isWhole: false });
  await page.goto(await portalOf(merchant, payers[0]?.customerId ?? '', pricing[0].id));
  await page.getByText('Next charge').waitFor();
  await photographer.take(page, 'portal', { part: page.getByRole('main') });
  await page.context().close();
}

/** A PNG, because the service takes no SVG. */
async function drawn(page: Page): Promise<Buffer> {
  await page.setContent(LOGO);
  return page.locator('svg').screenshot();
}

async function setBranding(page: Page, url: string, buffer: Buffer): Promise<void> {
  await page.goto(url);
  await page.getByLabel('Logo', { exact: true }).setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer });
  await page.getByLabel('Accent colour', { exact: true }).fill(ACCENT);
  await page.getByRole('button', { name: 'Save the branding' }).click();
  await page.getByText('The branding is saved.').waitFor();
}

/** The address at which the customer sees a subscription that is paid. */
async function portalOf(merchant: MerchantClient, customerId: string, priceId: string): Promise<string> {
  const { id } = withId.parse(
    await merchant.call('POST', '/subscriptions', { priceId, customerId, tokenKey: 'usdc-base' }),
  );
  await merchant.call('POST', '/sandbox/advance', { subscriptionId: id, status: 'active' });
  return withUrl.parse(await merchant.call('POST', `/customers/${customerId}/portal-session`, {})).url;
}
