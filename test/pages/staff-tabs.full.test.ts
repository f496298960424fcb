import type { Page } from 'playwright-core';
import { until } from '../../stage/until.ts';
import { ALL_LEVELS, Chromium, DESKTOP_800, describeInChromium, focusOf, NARROW } from '../support/browser.ts';
import type { MerchantOverHttp } from '../support/merchant-over-http.ts';
import { openConsole, openTab, signIn } from './support/staff-console.ts';

const CYCLES = 15;
const TABS = ['Overview', 'Money', 'Webhooks', 'Journal', 'Machine'] as const;

/** The page of a subscription that has been charged many times, in its tabs. */
describeInChromium('the tabs of the staff console', () => {
  const chromium = new Chromium();
  let merchant: MerchantOverHttp;
  let id: string;

  beforeAll(async () => {
    merchant = await openConsole();
    id = await merchant.subscribe({ email: 'mia@example.com', name: 'Mia' });
    for (let cycle = 0; cycle < CYCLES; cycle += 1) await merchant.settleCharge(id);
    await merchant.send(id, { type: 'variables.replaced', customVariables: { table: '7' } });
  });

  const pathOf = (of: string, tab = '') => `#/subscriptions/${of}${tab}`;

  function scrolled(page: Page, px: number): Promise<unknown> {
    const read = () => page.evaluate('window.scrollY');
    return until(`the page is scrolled by ${px} px`, read, (y) => Number(y) > px);
  }

  it('keeps customer, price, status, next charge, actions and tabs in sight', async () => {
    const { page } = await signIn(chromium, merchant, { ...DESKTOP_800, at: pathOf(id, '?tab=journal') });
    await page.locator('[data-journal]').first().waitFor();
    await page.mouse.wheel(0, 3_000);
    await scrolled(page, 500);
    expect(await page.locator('[data-fact="customer"]').textContent()).toBe('Mia');
    expect(await page.locator('[data-fact="price"]').textContent()).toBe('9.90 USDC every month');
    expect(await page.locator('[data-fact="next-charge"]').textContent()).toMatch(/^20\d\d-\d\d-\d\d \d\d:\d\d UTC$/);
    for (const seen of [
      page.getByRole('heading', { name: 'Coffee monthly' }),
      page.locator('[data-fact="customer"]'),
      page.locator('[data-fact="next-charge"]'),
      page.getByTestId('status'),
      page.getByRole('button', { name: 'Cancel now' }),
      page.getByRole('tab', { name: 'Journal' }),
    ]) {
      const box = await seen.boundingBox();
      expect(box?.y).toBeGreaterThan(50);
      expect(box?.y).toBeLessThan(300);
    }
    await page.setViewportSize(NARROW);
    await page.mouse.wheel(0, 3_000);
    await scrolled(page, 1_000);
    expect((await page.getByRole('heading', { name: 'Coffee monthly' }).boundingBox())?.y).toBeLessThan(0);
    expect((await page.getByRole('tablist').boundingBox())?.y).toBe(0);
  });

  it('moves between tabs by the keyboard, and keeps the tab in the address', async () => {
    const { page } = await signIn(chromium, merchant, { at: pathOf(id) });
    const tab = (name: string) => page.getByRole('tab', { name });
    await tab('Overview').focus();
    for (const [key, name] of [
      ['ArrowRight', 'Money'],
      ['ArrowRight', 'Webhooks'],
      ['End', 'Machine'],
      ['ArrowRight', 'Overview'],
      ['ArrowLeft', 'Machine'],
      ['Home', 'Overview'],
      ['ArrowRight', 'Money'],
    ] as const) {
      await page.keyboard.press(key);
      await page.getByRole('tabpanel', { name }).waitFor();
      expect(await focusOf(page)).toBe(name);
      expect(await page.getByRole('tab', { selected: true }).allTextContents()).toEqual([name]);
      expect(await page.locator('[role=tab][tabindex="0"]').allTextContents()).toEqual([name]);
      expect(await page.getByRole('tabpanel').count()).toBe(1);
    }
    expect(page.url()).toContain('?tab=money');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.id')).toBe('panel-money');
    await page.reload();
    await page.getByRole('tabpanel', { name: 'Money' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Recent trouble' }).waitFor();
    await page.goto(`${merchant.http.url}/staff${pathOf(id, '?tab=nothing')}`);
    await page.getByRole('tabpanel', { name: 'Overview' }).waitFor();
  });

  it('shows changes of state first, 25 at a time, and the other events on demand', async () => {
    const { page } = await signIn(chromium, merchant, { at: pathOf(id, '?tab=journal') });
    const rows = page.locator('[data-journal]');
    await rows.first().waitFor();
    expect(await rows.count()).toBe(25);
    const { rev } = await merchant.subscription(id);
    const unchanged = page.getByRole('tabpanel').getByText(/^stays /);
    expect(await unchanged.count()).toBe(0);
    const changed = 2 * CYCLES;
    await page.getByRole('button', { name: 'Show more' }).click();
    await rows.nth(25).waitFor();
    expect(await rows.count()).toBe(changed);
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
    await page.getByLabel(`Also events that changed no state (${rev - changed})`).check();
    await unchanged.first().waitFor();
    expect(await rows.count()).toBe(25);
  });

  it.each([
    { colorScheme: 'light' },
    // 200 % zoom of a window of 1280 by 860.
    { colorScheme: 'dark', viewport: { width: 640, height: 430 } },
  ] as const)('is sound in every tab, as %j', async (options) => {
    const visit = await signIn(chromium, merchant, { ...options, at: pathOf(id) });
    for (const name of TABS) {
      await openTab(visit.page, name);
      await visit.expectSound(ALL_LEVELS);
    }
  });
});
