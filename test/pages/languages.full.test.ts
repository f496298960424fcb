import type { Wallet } from 'ethers';
import { z } from 'zod';
import en from '../../web/messages/en.json' with { type: 'json' };
import { ALL_LEVELS, Chromium, describeInChromium, NARROW, type Visit, type VisitOptions } from '../support/browser.ts';
import { visitWithWallet } from './support/page-wallet.ts';
import { speakPseudo, untranslated } from './support/pseudo-locale.ts';
import { MONTHLY, ONCE, type Sale, Town } from './support/town.ts';

const town = new Town();
const chromium = new Chromium();

const DARK_PHONE: VisitOptions = { viewport: NARROW, colorScheme: 'dark' };
/** A window of 1280 by 1024 pixels at 200 % (WCAG 1.4.4, 1.4.10). */
const ENLARGED: VisitOptions = { viewport: { width: 640, height: 512 }, deviceScaleFactor: 2 };

/** The main button of a step, whatever it says. */
const MAIN = '[data-part=pay] .button-primary';

interface Shop {
  readonly recurring: Sale;
  readonly once: Sale;
  /** Of a subscription that no wallet has authorized. */
  readonly authorizationUrl: string;
}

let opened: Promise<Shop> | null = null;

/** One for all tests, each with a wallet of its own. */
function shop(): Promise<Shop> {
  opened ??= openShop();
  return opened;
}

async function openShop(): Promise<Shop> {
  const recurring = await town.sale([{ ...MONTHLY, trialDays: 3 }, MONTHLY], { description: null });
  const once = await town.sale([ONCE], { collectFields: { email: true, phone: 'optional' } });
  const { merchant, priceIds } = recurring;
  const { id: customerId } = await merchant.call('POST', '/customers', {});
  const made = await merchant.call('POST', '/subscriptions', { priceId: priceIds[1], customerId });
  const { authorizationUrl } = z.looseObject({ authorizationUrl: z.string() }).parse(made);
  return { recurring, once, authorizationUrl };
}

/** Everything on it is open, fits, is accessible, and is in the language of the page. */
async function expectGood(visit: Visit, isPseudo = false): Promise<void> {
  const { page } = visit;
  await page.evaluate('for (const part of document.querySelectorAll("details")) part.open = true');
  const { width = 0 } = page.viewportSize() ?? {};
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  await visit.expectSound(ALL_LEVELS);
  if (isPseudo) expect(await untranslated(page)).toEqual([]);
}

/** A subscriber in `lang` sees each page for payers; the wallet has paid at the end. */
async function walkThrough(
  visit: Visit & { readonly owner: { readonly asked: readonly string[] } },
  { recurring, once, authorizationUrl }: Shop,
  { lang, isPseudo = false }: { readonly lang: string; readonly isPseudo?: boolean },
): Promise<void> {
  const { page } = visit;
  const inLanguage = (url: string) => `${url}?lang=${lang}`;
  const good = () => expectGood(visit, isPseudo);

  await page.goto(inLanguage(once.url));
  await page.locator('input[name=method]').nth(1).check();
  await good();
  await page.locator('[data-part=collect] input').first().fill('ada@example.com');
  await page.locator('.order-bar .button-primary').click();
  await page.locator('[data-part=deposit-amount]').waitFor();
  expect(await page.locator('[data-part=deposit-amount]').textContent()).toMatch(/25[.,]00 USDC/);
  await good();

  await page.goto(inLanguage(authorizationUrl));
  await page.locator(MAIN).waitFor();
  await good();

  await page.goto(inLanguage(recurring.url));
  await page.locator('input[name=option]').nth(1).check();
  await page.locator(MAIN).click();
  await page.locator('[data-part=agreement]').waitFor();
  await good();
  await page.locator(MAIN).last().click();
  await page.locator('[data-part=receipt]').waitFor();
  await good();
  expect(await page.locator('[data-part=receipt] a[href*="/portal"]').getAttribute('href')).toMatch(`lang=${lang}`);

  await page.goto(inLanguage(`${town.service.url}/portal`));
  await page.locator('.card .button-primary').waitFor();
  await good();
  await page.locator('.card .button-primary').click();
  await page.locator('[data-subscription] button').waitFor();
  await good();
  await page.locator('[data-subscription] button').click();
  await page.locator('[data-part=receipts] li').waitFor();
  await good();
  expect(page.url()).toContain(`lang=${lang}`);
}

async function visitAs(wallet: Wallet, options: VisitOptions) {
  return visitWithWallet(chromium, wallet, options);
}

describeInChromium('the pages for payers', () => {
  it('lead in Arabic, from right to left, from the offer to the receipt and to the portal', async () => {
    const wallet = await town.newPayer(500_000_000n);
    const visit = await visitAs(wallet, DARK_PHONE);
    await walkThrough(visit, await shop(), { lang: 'ar' });
    expect(await town.movedFrom(wallet.address)).toEqual([10_000_000n]);
    const { page } = visit;
    expect(await page.evaluate('getComputedStyle(document.querySelector("h1")).direction')).toBe('rtl');
    await page.getByText('نشط', { exact: true }).waitFor();
    // Digits are those of the wallet.
    expect(await page.locator('[data-part=receipts] strong').first().textContent()).toContain('10.00 USDC');
    expect(await page.evaluate('getComputedStyle(document.querySelector("dd.code")).direction')).toBe('ltr');
  });

  it('are whole in German, enlarged to 200 %', async () => {
    const visit = await visitAs(await town.newPayer(500_000_000n), ENLARGED);
    await walkThrough(visit, await shop(), { lang: 'de' });
    await visit.page.getByText('Die Grenzen, die Sie signiert haben').waitFor();
  });

  it('have no text outside of the catalogs, and room for longer ones', async () => {
    const visit = await visitAs(await town.newPayer(500_000_000n), DARK_PHONE);
    await speakPseudo(visit.page, en);
    await walkThrough(visit, await shop(), { lang: 'en', isPseudo: true });
    expect(await visit.page.title()).toContain('[Áćţíṽé');
  });

  it('change to another language in the middle of a payment', async () => {
    const { recurring } = await shop();
    const visit = await visitAs(await town.newPayer(500_000_000n), { ...ENLARGED, locale: 'ja-JP' });
    const { page, owner } = visit;
    await page.goto(recurring.url);
    await page.getByRole('button', { name: 'Pocket を接続' }).click();
    await page.getByText('承認する内容').waitFor();
    await page.locator('input[name=option]').nth(1).check();
    await page.getByRole('navigation', { name: '言語' }).getByText('Español').click();
    await page.getByText('Lo que usted aprueba').waitFor();
    expect(await page.locator('input[name=option]').nth(1).isChecked()).toBe(true);
    expect(owner.asked.filter((method) => method === 'eth_requestAccounts')).toHaveLength(1);
    expect(await page.evaluate('document.documentElement.lang')).toBe('es');
    await page.getByRole('button', { name: 'Aceptar y aprobar' }).click();
    await page.getByText('Su suscripción está activa').waitFor();
    await visit.expectSound();
  });
});
