import { ALL_LEVELS, Chromium, describeInChromium, NARROW, WIDE } from '../support/browser.ts';
import { useHttp } from '../support/http.ts';

const http = useHttp();
const chromium = new Chromium();

/** Each width and each scheme once: colours do not depend on the width. */
const LOOKS = [
  { viewport: WIDE, colorScheme: 'light' },
  { viewport: NARROW, colorScheme: 'dark' },
] as const;

/** Strings, because tests are not type-checked as code of a browser. */
const OPEN_ALL = `for (const each of document.querySelectorAll('details')) each.open = true`;
const SCHEME = `getComputedStyle(document.body).backgroundColor`;

describeInChromium('/docs', () => {
  it.each(LOOKS)('has no axe violation of any level: $viewport.width px, $colorScheme', async (look) => {
    const visit = await chromium.visit(look);
    await visit.page.goto(`${http.url}/docs`);
    await visit.page.evaluate(OPEN_ALL);
    await visit.page.getByRole('radio', { name: 'TypeScript' }).check();
    await visit.expectSound(ALL_LEVELS);
  });

  it('is dark where the system is dark', async () => {
    const [light, dark] = [
      await chromium.visit({ colorScheme: 'light' }),
      await chromium.visit({ colorScheme: 'dark' }),
    ];
    for (const { page } of [light, dark]) await page.goto(`${http.url}/docs`);
    expect([await light.page.evaluate(SCHEME), await dark.page.evaluate(SCHEME)]).toEqual([
      'rgb(244, 246, 248)',
      'rgb(14, 21, 27)',
    ]);
  });

  it.each([WIDE, NARROW])('finds an operation by a word, and Enter goes to it: $width px', async (viewport) => {
    const { page } = await chromium.visit({ viewport });
    await page.goto(`${http.url}/docs`);
    const field = page.getByRole('searchbox', { name: 'Search' });
    await field.fill('subscription retry');
    const left = page.getByRole('navigation').getByRole('link');
    expect(await left.allTextContents()).toEqual(['POST Try a failed or blocked charge of a subscription again now']);
    expect(await page.getByRole('status').textContent()).toBe('1 found');
    await field.press('Enter');
    await page.waitForURL(/#retrySubscription$/);
    await page.waitForFunction(`(${TOP})('retrySubscription') >= 0 && (${TOP})('retrySubscription') < 200`);
    await field.fill('no such thing');
    expect(await left.count()).toBe(0);
    await field.fill('');
    expect(await left.count()).toBeGreaterThan(100);
  });

  it('scrolls to the operation of an address, below the bar', async () => {
    const { page } = await chromium.visit();
    await page.goto(`${http.url}/docs#createPayment`);
    await page.waitForFunction(`(${TOP})('createPayment') >= 50 && (${TOP})('createPayment') < 200`);
  });

  it('shows the samples of the chosen language, also after a reload, and copies them', async () => {
    const { page } = await chromium.visit({ permissions: ['clipboard-read', 'clipboard-write'] });
    await page.goto(`${http.url}/docs`);
    const samples = page
      .locator('section', { has: page.locator('#createOffer') })
      .last()
      .locator('.sample:visible');
    expect(await samples.first().textContent()).toContain('curl -X POST');
    await page.getByRole('radio', { name: 'TypeScript' }).check();
    await page.reload();
    await page.getByRole('radio', { name: 'TypeScript', checked: true }).waitFor();
    expect(await samples.first().textContent()).toContain('await tideline.offers.create(');
    await samples.first().getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const copied: string = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toMatch(
      /^import \{ env \} from 'node:process';\nimport \{ createClient \} from '@tideline\/client';[\s\S]*console\.log\(answer\);$/,
    );
  });

  it('is complete without scripts', async () => {
    const { page } = await chromium.visit({ javaScriptEnabled: false });
    await page.goto(`${http.url}/docs`);
    await page.getByRole('link', { name: 'Create an offer' }).click();
    await page.getByText('curl -X POST').first().waitFor();
  });
});

/** The distance of an element from the top of the window. */
const TOP = `(id) => document.getElementById(id).getBoundingClientRect().top`;

describeInChromium('/docs/guides', () => {
  it.each(LOOKS)('have no axe violation of any level: $viewport.width px, $colorScheme', async (look) => {
    const visit = await chromium.visit(look);
    await visit.page.goto(`${http.url}/docs`);
    const links = visit.page.locator('nav a[href^="docs/guides/"]');
    const addresses = await links.evaluateAll((all) => all.map((link) => Reflect.get(link, 'href')));
    expect(addresses.length).toBeGreaterThan(5);
    for (const address of addresses) {
      await visit.page.goto(String(address));
      await visit.expectSound(ALL_LEVELS);
    }
  });
});
