import type { Page } from 'playwright-core';
import { addStaffToken } from '../../../src/billing/administration/staff-tokens.ts';
import type { StaffRole } from '../../../src/store/collections.ts';
import { adasToken } from '../../staff/support/staff.ts';
import type { Chromium, Visit, VisitOptions } from '../../support/browser.ts';
import { MerchantOverHttp } from '../../support/merchant-over-http.ts';

/** A service whose pages a browser reaches, with its first merchant: it gets the cookies of this very origin back. */
export async function openConsole(): Promise<MerchantOverHttp> {
  const merchant = await MerchantOverHttp.open({ publicUrl: 'http://127.0.0.1' });
  await merchant.http.deps.pages.current();
  return merchant;
}

export interface SignIn extends VisitOptions {
  /** Absent: Ada's. */
  readonly token?: string;
}

/** A visit of the console, signed in; at the front page, or at this address within it. */
export async function signIn(chromium: Chromium, merchant: MerchantOverHttp, by: SignIn = {}): Promise<Visit> {
  const { token = await adasToken(merchant.http), at, ...options } = by;
  const visit = await chromium.visit({ at: `${merchant.http.url}/staff`, ...options });
  await enterToken(visit.page, token);
  await visit.page.getByRole('heading', { name: 'Recent trouble' }).waitFor();
  if (at !== undefined) await visit.page.goto(`${merchant.http.url}/staff${at}`);
  return visit;
}

export async function enterToken(page: Page, token: string): Promise<void> {
  await page.getByLabel('Staff token').fill(token);
  await page.getByRole('button', { name: 'Open the console' }).click();
}

/** How a new member of the staff signs in. */
export async function memberOf({ http }: MerchantOverHttp, name: string, role: StaffRole): Promise<SignIn> {
  return { token: await addStaffToken(http.store.records, { name, role, now: http.now }) };
}

export async function search(page: Page, q: string): Promise<void> {
  await page.getByRole('searchbox').fill(q);
  await page.getByRole('button', { name: 'Search' }).click();
}

export async function openTab(page: Page, name: string): Promise<void> {
  await page.getByRole('tab', { name }).click();
  await page.getByRole('tabpanel', { name }).waitFor();
}

export async function confirm(page: Page, title: string, reason: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: title });
  await dialog.getByLabel('Reason').fill(reason);
  await dialog.getByRole('button', { name: title }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** Nobody answers these requests while `act` goes on; the page says so, and asks again when somebody does. */
export async function withoutAnswer(
  { page, forgive, expectSound }: Visit,
  requests: string,
  act: () => Promise<unknown>,
) {
  await page.route(requests, (route) => route.abort());
  await act();
  await page.getByText('The service does not answer').waitFor();
  forgive(/ERR_FAILED/);
  await expectSound();
  await page.unroute(requests);
}

export async function tryAgain(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Try again' }).click();
}
