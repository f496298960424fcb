import type { Page } from 'playwright-core';
import { addStaffToken } from '../../src/billing/administration/staff-tokens.ts';
import { until } from '../../stage/until.ts';
import { Desk } from '../staff/support/desk.ts';
import { REASON } from '../staff/support/staff.ts';
import { ALICE } from '../support/bodies.ts';
import { Chromium, describeInChromium, focusOf, NARROW } from '../support/browser.ts';
import { signIn } from './support/staff-console.ts';

/** Merchants, customers and offers in the staff console. */
describeInChromium('the lists of the staff console', () => {
  const chromium = new Chromium();
  let desk: Desk;
  let subscriptionId: string;

  beforeAll(async () => {
    desk = await Desk.open();
    await desk.http.deps.pages.current();
    subscriptionId = await desk.subscribe({ email: 'mia@example.com', name: 'Mia' });
  });

  /** Confirms the open dialog with a reason. */
  async function confirm(page: Page, title: string): Promise<void> {
    const dialog = page.getByRole('dialog', { name: title });
    await dialog.getByLabel('Reason').fill(REASON);
    await dialog.getByRole('button', { name: title }).click();
    await dialog.waitFor({ state: 'detached' });
  }

  async function openTab(page: Page, name: string): Promise<void> {
    await page.getByRole('tab', { name }).click();
    await page.getByRole('tabpanel', { name }).waitFor();
  }

  it('administers a merchant: creates it, issues and revokes keys, sets wallet, fee and limits, suspends', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    const visit = await signIn(chromium, desk, { options: { permissions } });
    const { page } = visit;
    await page.getByRole('link', { name: 'Merchants' }).click();
    await page.getByRole('link', { name: 'Coffee Club' }).waitFor();
    await page.getByRole('button', { name: 'Create a merchant' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByLabel('Name').focus();
    await page.keyboard.type('Tea Club');
    await page.keyboard.press('Enter');
    const keys = page.getByTestId('new-keys');
    await keys.waitFor();
    const focused = () => focusOf(page);
    await until('the keyboard is at the new keys', focused, (on) => on === 'New keys');
    const testKey = String(await keys.locator('code').first().textContent());
    const asked = () => desk.http.call('GET', '/customers', { key: testKey });
    expect((await asked()).status).toBe(200);
    await keys.getByRole('button', { name: 'Copy the test key' }).click();
    await page.getByText('Copied the test key.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(testKey);
    await visit.expectSound();
    await keys.getByRole('button', { name: 'I have stored them' }).click();
    expect(await page.getByText(testKey).count()).toBe(0);

    await page.getByRole('link', { name: 'Tea Club' }).click();
    await page.getByRole('heading', { name: 'Tea Club' }).waitFor();
    await openTab(page, 'Keys');
    await page.getByRole('button', { name: `Revoke the test key …${testKey.slice(-4)}` }).click();
    await confirm(page, 'Revoke');
    await page.getByText('revoked', { exact: true }).waitFor();
    expect((await asked()).status).toBe(401);
    await page.getByRole('button', { name: 'Issue a key' }).click();
    await page.getByLabel('Environment').selectOption('live');
    await confirm(page, 'Issue a key');
    expect(await keys.locator('code').textContent()).toMatch(/live/);

    await openTab(page, 'Payout wallets');
    await page.getByRole('button', { name: 'Set a payout wallet' }).click();
    await page.getByRole('dialog').getByLabel('Token').fill('usdc-local-evm');
    await page.getByRole('dialog').getByLabel('Address').fill(ALICE);
    await confirm(page, 'Set a payout wallet');
    await page.getByRole('button', { name: 'Copy the payout address of usdc-local-evm' }).waitFor();

    await page.getByRole('button', { name: 'Set limits and fee' }).click();
    await page.getByLabel('Fee in basis points').fill('too much');
    const settings = page.getByRole('dialog');
    await settings.getByLabel('Reason').fill(REASON);
    await settings.getByRole('button', { name: 'Set limits and fee' }).click();
    await settings.getByRole('alert').waitFor();
    visit.forgive(/400/);
    await page.getByLabel('Fee in basis points').fill('250');
    await confirm(page, 'Set limits and fee');
    await until(
      'the fee is shown',
      () => page.locator('[data-fact="fee"]').textContent(),
      (fee) => fee === '2.50 %',
    );

    await page.getByRole('button', { name: 'Suspend' }).click();
    await confirm(page, 'Suspend');
    await page.getByRole('button', { name: 'Reinstate' }).waitFor();
    await openTab(page, 'Journal');
    await page.locator('[data-journal="merchant.suspended"]').waitFor();
    await page.getByRole('button', { name: 'Reinstate' }).click();
    await confirm(page, 'Reinstate');
    await page.locator('[data-journal="merchant.reinstated"]').waitFor();
    const actions = await page
      .locator('[data-journal]')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-journal')));
    expect(actions.sort()).toEqual([
      'key.issued',
      'key.revoked',
      'merchant.changed',
      'merchant.reinstated',
      'merchant.suspended',
      'wallet.set',
    ]);
    await visit.expectSound();
  });

  it('leads from merchants to customers, offers and subscriptions, in the dark and on a phone', async () => {
    const token = await addStaffToken(desk.http.store.records, {
      name: 'Ben',
      role: 'read',
      now: desk.http.now,
    });
    const visit = await signIn(chromium, desk, {
      token,
      name: null,
      options: { colorScheme: 'dark', viewport: NARROW },
    });
    const { page } = visit;
    await page.goto(`${desk.http.url}/staff#/merchants?status=active`);
    await page.getByRole('link', { name: 'Coffee Club' }).waitFor();
    expect(await page.getByRole('button', { name: 'Create a merchant' }).getAttribute('aria-disabled')).toBe('true');
    await visit.expectSound();
    await page.getByRole('link', { name: 'Coffee Club' }).click();
    await page.getByRole('tab', { name: 'Overview' }).waitFor();
    await page.getByText('Your role is read. Changes need the role admin.').first().waitFor();
    for (const name of ['Keys', 'Payout wallets', 'Journal', 'Subscriptions', 'Offers', 'Customers']) {
      await openTab(page, name);
      await visit.expectSound();
    }
    await page.getByText('No customer in live.').waitFor();
    await page.getByLabel('Environment').selectOption('test');
    await page.getByRole('link', { name: 'Mia' }).click();
    await page.getByRole('heading', { name: 'Mia' }).waitFor();
    expect(await page.locator('[data-fact="email"]').textContent()).toBe('mia@example.com');
    await page.getByRole('link', { name: 'Coffee monthly' }).waitFor();
    await visit.expectSound();
    await page.getByRole('link', { name: 'Coffee monthly' }).click();
    await page.getByRole('link', { name: 'Its offer' }).click();
    await page.getByRole('heading', { name: 'Prices' }).waitFor();
    await page.getByText('9.90 USD every month').waitFor();
    expect(await page.locator('[data-fact="subscriptions"]').textContent()).toBe('1');
    const link = await page.getByRole('link', { name: 'Checkout' }).getAttribute('href');
    expect(link).toContain('/checkout/offer_');
    await page.getByRole('link', { name: 'Coffee monthly' }).waitFor();
    await visit.expectSound();
    await page.getByRole('link', { name: 'Coffee monthly' }).click();
    await page.waitForURL(`**/staff#/subscriptions/${subscriptionId}`);
  });
});
