import type { Page } from 'playwright-core';
import { until } from '../../stage/until.ts';
import { describeInChromium } from '../support/browser.ts';
import { agree, chooseTransfer, connect, openTransfer, waitUntilActive } from './support/checkout-page.ts';
import { confirm, showPage, visitDashboard } from './support/dashboard-page.ts';
import { MONTHLY, MORE, newSubscription, ONCE, onlySubscription, PageStage } from './support/page-stage.ts';
import { PERMIT, visitWithWallet } from './support/page-wallet.ts';

const stage = new PageStage();

/** As the translation of a browser: puts an element in the position of each text node, at once after each change. */
const TRANSLATION = `
  const path = '//body//text()[normalize-space() and not(ancestor::font or ancestor::*[local-name()="svg"])]';
  new MutationObserver(() => {
    const texts = document.evaluate(path, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE);
    for (let at = 0; at < texts.snapshotLength; at += 1) {
      const text = texts.snapshotItem(at);
      text.replaceWith(Object.assign(document.createElement('font'), { textContent: text.data }));
    }
  }).observe(document, { childList: true, subtree: true, characterData: true });
`;

/** Amounts, addresses and states that a translation may change. */
const EXPOSED = `[...document.querySelectorAll('#app font')]
  .filter((font) => font.closest('[translate=no]') === null)
  .filter((font) => /\\d\\.\\d\\d [A-Z]|0x[0-9a-fA-F]{4}/.test(font.textContent) ||
    font.closest('.badge, .step, .notice:has(h2)') !== null)
  .map((font) => font.textContent)`;
const SHOWN = `[...document.querySelectorAll('#app > :not(.toasts)')].map((part) => part.innerText).join()`;

async function translate(page: Page): Promise<void> {
  await page.addInitScript(TRANSLATION);
  await page.reload();
  await page.locator('h1 font').first().waitFor();
}

/** The page shows what it shows after a reload, and nothing else. */
async function expectCurrent(page: Page): Promise<void> {
  expect(await page.evaluate(EXPOSED)).toEqual([]);
  const shown: string = await page.evaluate(SHOWN);
  await page.reload();
  const again = () => page.evaluate<string>(SHOWN);
  await until(`the page shows again:\n${shown}`, again, (text) => text === shown);
}

/** The last lines of the texts, where one alignment shows. */
const ENDS = `['h1', 'main > section p.typed', '.features .typed'].map((part) => {
  const range = document.createRange();
  range.selectNodeContents(document.querySelector(part));
  return Math.round([...range.getClientRects()].at(-1).right);
})`;

describeInChromium('a checkout from right to left', () => {
  it('fits phones, and begins each text, also one from left to right, at the right side', async () => {
    const change = { description: 'A long text for a small screen. '.repeat(3), features: [{ title: 'Fresh beans' }] };
    const { url } = await stage.sale([MONTHLY, { ...MONTHLY, trialDays: 3 }], change);
    const { page, expectSound } = await stage.chromium.visit({ at: `${url}?lang=ar`, isMobile: true, hasTouch: true });
    await page.locator('[data-part=pay]').waitFor();
    for (const width of [320, 360, 375, 390]) {
      await page.setViewportSize({ width, height: 844 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      const [title, text, feature] = await page.evaluate<[number, number, number]>(ENDS);
      expect([text, feature < title && feature > title - 40]).toEqual([title, true]);
    }
    // Two prices have two names.
    const names = await page.locator('[data-part=price-name]').allTextContents();
    expect([names.length, new Set(names).size]).toEqual([2, 2]);
    await expectSound();
  });
});

describeInChromium('a page whose text a browser translates', () => {
  it('is right at each step of the checkout', async () => {
    const { page, owner } = await stage.payerOf([MONTHLY, MORE]);
    await translate(page);
    await page.getByLabel('More').check();
    expect(await page.locator('[data-part=order]').textContent()).toMatch(/^Today 20\.00 USDC, then 20\.00 USDC on/);
    await connect(page);
    await page.getByText('enough for 12 charges').waitFor();
    await expectCurrent(page);
    owner.declines = [PERMIT];
    await agree(page);
    await page.getByText('Nothing has been charged').first().waitFor();
    expect(await page.evaluate(EXPOSED)).toEqual([]);
    owner.declines = [];
    await page.getByRole('button', { name: 'Sign the approval' }).click();
    await waitUntilActive(page);
    expect(await page.getByText(/Nothing has been charged|Waiting for/).count()).toBe(0);
    await expectCurrent(page);
  });

  it('is right at each step of a transfer', async () => {
    const { page } = await stage.visitorOf([ONCE]);
    await translate(page);
    await chooseTransfer(page);
    await stage.chain.give(await openTransfer(page), 30_000_000n);
    await page.getByText('5.00 USDC is kept for you.').waitFor();
    await expectCurrent(page);
  });

  it('is right at each step of a link, and of the portal', async () => {
    const { authorizationUrl } = await newSubscription(await stage.sale([MONTHLY]));
    const { page, wallet } = await stage.payer({ at: authorizationUrl });
    await translate(page);
    await connect(page);
    await page.getByText('enough for 12 charges').waitFor();
    await expectCurrent(page);
    await agree(page);
    await waitUntilActive(page);
    await expectCurrent(page);
    const { page: portal } = await visitWithWallet(stage.chromium, wallet, { at: `${stage.url}/portal` });
    await translate(portal);
    await connect(portal);
    await portal.getByText('Next charge: 10.00 USD on').waitFor();
    await expectCurrent(portal);
    await portal.getByRole('button', { name: 'Manage Coffee Club' }).click();
    await portal.locator('[data-part=receipts]').getByText('10.00 USDC').waitFor();
    await portal.getByRole('button', { name: /^End on / }).click();
    await portal.getByRole('button', { name: /^End it on / }).click();
    await portal.getByText('It ends on').waitFor();
    await expectCurrent(portal);
  });

  it('is right at each step of the dashboard', async () => {
    const { merchant, url } = await stage.sale([MONTHLY]);
    await stage.subscriber(url);
    const { page } = await visitDashboard(stage, merchant, 'admin');
    await translate(page);
    for (const path of ['offers', 'payments', 'customers', 'revenue', 'developers', 'settings']) {
      await page.locator(`a[href$="#/test/${path}"]`).first().click();
      await page.waitForLoadState('networkidle');
      await expectCurrent(page);
    }
    await showPage(page, `test/subscriptions/${(await onlySubscription(merchant)).id}`);
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByLabel('When').selectOption('now');
    await confirm(page, 'Cancel it');
    await page.locator('[data-part=status]').getByText('Canceled').waitFor();
    await page.waitForLoadState('networkidle');
    await expectCurrent(page);
  });
});
