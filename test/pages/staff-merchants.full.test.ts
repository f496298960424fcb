import { until } from '../../stage/until.ts';
import { REASON } from '../staff/support/staff.ts';
import { ALICE } from '../support/bodies.ts';
import { Chromium, describeInChromium, focusIs, NARROW } from '../support/browser.ts';
import type { MerchantOverHttp } from '../support/merchant-over-http.ts';
import { confirm, memberOf, openConsole, openTab, signIn } from './support/staff-console.ts';

/** Merchants, customers and offers in the staff console. */
describeInChromium('the lists of the staff console', () => {
  const chromium = new Chromium();
  let merchant: MerchantOverHttp;
  let subscriptionId: string;

  beforeAll(async () => {
    merchant = await openConsole();
    subscriptionId = await merchant.subscribe({ email: 'mia@example.com', name: 'Mia' });
  });

  it('administers a merchant: creates it, issues and revokes keys, sets wallet, fee and limits, suspends', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    const { page, expectSound, forgive } = await signIn(chromium, merchant, { permissions });
    await page.getByRole('link', { name: 'Merchants' }).click();
    await page.getByRole('link', { name: 'Coffee Club' }).waitFor();
    await page.getByRole('button', { name: 'Create a merchant' }).press('Enter');
    await page.getByRole('dialog').getByLabel('Name').focus();
    await page.keyboard.type('Tea Club');
    await page.keyboard.press('Enter');
    const keys = page.locator('[data-shown-once]');
    await keys.waitFor();
    await focusIs(page, /^Shown only once: the test key/);
    const testKey = String(await keys.locator('code').first().textContent());
    const asked = () => merchant.http.call('GET', '/customers', { key: testKey });
    expect((await asked()).status).toBe(200);
    await keys.getByRole('button', { name: 'Copy the test key' }).click();
    await page.getByText('Copied the test key.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(testKey);
    await expectSound();
    await keys.getByRole('button', { name: 'I have it' }).click();
    expect(await page.getByText(testKey).count()).toBe(0);

    await page.getByRole('link', { name: 'Tea Club' }).click();
    await page.getByRole('heading', { name: 'Tea Club' }).waitFor();
    await openTab(page, 'Keys');
    await page.getByRole('button', { name: `Revoke the test key …${testKey.slice(-4)}` }).click();
    await confirm(page, 'Revoke', REASON);
    await page.getByText('revoked', { exact: true }).waitFor();
    expect((await asked()).status).toBe(401);
    await page.getByRole('button', { name: 'Issue a key' }).click();
    await page.getByLabel('Environment').selectOption('live');
    await confirm(page, 'Issue a key', REASON);
    expect(await keys.locator('code').textContent()).toMatch(/live/);

    await openTab(page, 'Payout wallets');
    await page.getByRole('button', { name: 'Set a payout wallet' }).click();
    await page.getByRole('dialog').getByLabel('Token').fill('usdc-local-evm');
    await page.getByRole('dialog').getByLabel('Address').fill(ALICE);
    await confirm(page, 'Set a payout wallet', REASON);
    await page.getByRole('button', { name: 'Copy the payout address of usdc-local-evm' }).waitFor();

    await page.getByRole('button', { name: 'Set limits and fee' }).click();
    await page.getByLabel('Fee in basis points').fill('too much');
    const settings = page.getByRole('dialog');
    await settings.getByLabel('Reason').fill(REASON);
    await settings.getByRole('button', { name: 'Set limits and fee' }).click();
    await settings.getByRole('alert').waitFor();
    forgive(/400/);
    await page.getByLabel('Fee in basis points').fill('250');
    await confirm(page, 'Set limits and fee', REASON);
    await until(
      'the fee is shown',
      () => page.locator('[data-fact="fee"]').textContent(),
      (fee) => fee === '2.50 %',
    );

    await page.getByRole('button', { name: 'Suspend' }).click();
    await confirm(page, 'Suspend', REASON);
    await page.getByRole('button', { name: 'Reinstate' }).waitFor();
    await openTab(page, 'Journal');
    await page.locator('[data-journal="merchant.suspended"]').waitFor();
    await page.getByRole('button', { name: 'Reinstate' }).click();
    await confirm(page, 'Reinstate', REASON);
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
    await expectSound();
  });

  it('leads from merchants to customers, offers and subscriptions, in the dark and on a phone', async () => {
    const { page, expectSound } = await signIn(chromium, merchant, {
      ...(await memberOf(merchant, 'Ben', 'read')),
      ...{ colorScheme: 'dark', viewport: NARROW, at: '#/merchants?status=active' },
    });
    await page.getByRole('link', { name: 'Coffee Club' }).waitFor();
    expect(await page.getByRole('button', { name: 'Create a merchant' }).getAttribute('aria-disabled')).toBe('true');
    await expectSound();
    await page.getByRole('link', { name: 'Coffee Club' }).click();
    await page.getByRole('tab', { name: 'Overview' }).waitFor();
    await page.getByText('Your role is read. Changes need the role admin.').first().waitFor();
    for (const name of ['Keys', 'Payout wallets', 'Journal', 'Subscriptions', 'Offers', 'Customers']) {
      await openTab(page, name);
      await expectSound();
    }
    await page.getByText('No customer in live.').waitFor();
    await page.getByLabel('Environment').selectOption('test');
    await page.getByRole('link', { name: 'Mia' }).click();
    await page.getByRole('heading', { name: 'Mia' }).waitFor();
    expect(await page.locator('[data-fact="email"]').textContent()).toBe('mia@example.com');
    await page.getByRole('link', { name: 'Coffee monthly' }).waitFor();
    await expectSound();
    await page.getByRole('link', { name: 'Coffee monthly' }).click();
    await page.getByRole('link', { name: 'Its offer' }).click();
    await page.getByRole('heading', { name: 'Prices' }).waitFor();
    await page.getByText('9.90 USD every month').waitFor();
    expect(await page.locator('[data-fact="subscriptions"]').textContent()).toBe('1');
    const link = await page.getByRole('link', { name: 'Checkout' }).getAttribute('href');
    expect(link).toContain('/checkout/offer_');
    await page.getByRole('link', { name: 'Coffee monthly' }).waitFor();
    await expectSound();
    await page.getByRole('link', { name: 'Coffee monthly' }).click();
    await page.waitForURL(`**/staff#/${subscriptionId}`);
  });
});
