import en from '../../web/messages/en.json' with { type: 'json' };
import { ALL_LEVELS, describeInChromium, NARROW, type Visit, type VisitOptions } from '../support/browser.ts';
import { MONTHLY, newSubscription, ONCE, PageStage, type Sale } from './support/page-stage.ts';
import { speakPseudo, untranslated } from './support/pseudo-locale.ts';

const stage = new PageStage();

const DARK_PHONE: VisitOptions = { viewport: NARROW, colorScheme: 'dark' };
/** A window of 1280 by 1024 pixels at 200 % (WCAG 1.4.4, 1.4.10). */
const ENLARGED: VisitOptions = { viewport: { width: 640, height: 512 }, deviceScaleFactor: 2 };

/** The main button of a step, whatever it says. */
const MAIN = '[data-part=pay] .button-primary';

interface Sales {
  readonly recurring: Sale;
  readonly once: Sale;
  /** Of a subscription that no wallet has authorized. */
  readonly authorizationUrl: string;
}

let made: Promise<Sales> | null = null;

/** The same for all tests, each with a wallet of its own. */
function sales(): Promise<Sales> {
  made ??= makeSales();
  return made;
}

async function makeSales(): Promise<Sales> {
  const recurring = await stage.sale([{ ...MONTHLY, trialDays: 3 }, MONTHLY], { description: null });
  const once = await stage.sale([ONCE], { collectFields: { email: true, phone: 'optional' } });
  const { authorizationUrl } = await newSubscription({ ...recurring, priceIds: recurring.priceIds.slice(1) });
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
  { recurring, once, authorizationUrl }: Sales,
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

  await page.goto(inLanguage(`${stage.url}/portal`));
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

describeInChromium('the pages for payers', () => {
  it('lead in Arabic, from right to left, from the offer to the receipt and to the portal', async () => {
    const visit = await stage.payer(DARK_PHONE);
    await walkThrough(visit, await sales(), { lang: 'ar' });
    expect(await stage.chain.movedFrom(visit.wallet.address)).toEqual([10_000_000n]);
    const { page } = visit;
    expect(await page.evaluate('getComputedStyle(document.querySelector("h1")).direction')).toBe('rtl');
    await page.getByText('نشط', { exact: true }).waitFor();
    // Digits are those of the wallet.
    expect(await page.locator('[data-part=receipts] strong').first().textContent()).toContain('10.00 USDC');
    expect(await page.evaluate('getComputedStyle(document.querySelector("dd code")).direction')).toBe('ltr');
  });

  it('are whole in German, enlarged to 200 %', async () => {
    const visit = await stage.payer(ENLARGED);
    await walkThrough(visit, await sales(), { lang: 'de' });
    await visit.page.getByText('Die Grenzen, die Sie signiert haben').waitFor();
  });

  it('have no text outside of the catalogs, and room for longer ones', async () => {
    const visit = await stage.payer(DARK_PHONE);
    await speakPseudo(visit.page, en);
    await walkThrough(visit, await sales(), { lang: 'en', isPseudo: true });
    expect(await visit.page.title()).toContain('[Áćţíṽé');
  });

  it('change to another language in the middle of a payment', async () => {
    const { recurring } = await sales();
    const { page, owner, expectSound } = await stage.payer({ ...ENLARGED, locale: 'ja-JP' });
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
    await expectSound();
  });
});
