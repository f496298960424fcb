import type { Page } from 'playwright-core';
import type { Invitee } from '../../../scripts/lib/staff.ts';
import type { MerchantClient } from '../../../stage/merchant-client.ts';
import type { VisitOptions } from '../../support/browser.ts';
import type { PageStage } from './page-stage.ts';

/** A member's browser, signed in by an invitation; `link` is that invitation. */
export async function visitDashboard(
  stage: PageStage,
  merchant: MerchantClient,
  role: Invitee['role'],
  options: VisitOptions = {},
) {
  const link = await stage.invitation(merchant, role);
  const permissions = ['clipboard-read', 'clipboard-write'];
  const visit = await stage.chromium.visit({ permissions, ...options });
  await openDashboard(visit.page, link);
  return { ...visit, link };
}

export async function openDashboard(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.getByRole('button', { name: 'Open the dashboard' }).click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
}

/** Goes to a page of the dashboard by its address. The page before it is gone when this resolves. */
export async function showPage(page: Page, path: string): Promise<void> {
  await page.evaluate(`new Promise((moved) => {
    addEventListener('hashchange', moved, { once: true });
    const before = location.hash;
    location.hash = ${JSON.stringify(`#/${path}`)};
    if (location.hash === before) moved();
  })`);
  await page.locator('h1').waitFor();
}

export async function confirm(page: Page, action: string): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: action }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

/** The clipboard after the button that copies this. */
export async function copied(page: Page, what: string): Promise<string> {
  await page.getByRole('button', { name: `Copy the ${what}` }).click();
  await page.getByText(`Copied the ${what}.`).first().waitFor();
  return String(await page.evaluate('navigator.clipboard.readText()'));
}

/** A secret that the page shows once; it is gone afterwards. */
export async function shownOnce(page: Page, what: string): Promise<string> {
  const section = page.locator(`[data-shown-once="${what}"]`);
  const text = await section.locator('code').textContent();
  await section.getByRole('button', { name: 'I have it' }).click();
  return text ?? '';
}
