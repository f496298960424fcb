import { describeInChromium, PHONE } from '../support/browser.ts';
import { continuePayment, signUp, subscribe, waitUntilActive } from './support/checkout-page.ts';
import { MONTHLY, newSubscription, ONCE, PageStage } from './support/page-stage.ts';

/** A payer whose browser has no wallet, and who continues where one is. The judge of the money is the chain. */
const stage = new PageStage();
const { chromium } = stage;

/** A string, because tests are not type-checked as code of a browser. */
const STAY = `for (const link of document.querySelectorAll('[data-part=wallet-apps] a')) link.addEventListener('click', (event) => event.preventDefault())`;
const APPS = ['MetaMask', 'Coinbase Wallet', 'Trust Wallet', 'Phantom'];

/** The address that an app opens. */
function openedBy(href: string): string {
  const link = new URL(href);
  if (link.hostname === 'link.metamask.io') return `http://${link.pathname.replace('/dapp/', '')}${link.hash}`;
  const named = link.searchParams.get('cb_url') ?? link.searchParams.get('url');
  return named ?? decodeURIComponent(link.pathname.replace('/ul/browse/', ''));
}

describeInChromium('a phone without a wallet', () => {
  it('is led to wallet apps, and comes back to the same session when the app has paid', async () => {
    const { url } = await stage.sale([ONCE, MONTHLY]);
    const phone = await chromium.visit({ at: url, ...PHONE });
    await phone.page.getByRole('radio', { name: /10\.00/ }).check();
    const links = phone.page.locator('[data-part=wallet-apps] a');
    await links.first().waitFor();
    expect(await links.allTextContents()).toEqual(APPS.map((name) => `Open in ${name}`));
    await phone.expectSound();
    const hrefs = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    const [first = '', ...others] = hrefs.map(openedBy);
    expect(new URL(first).pathname).toBe(new URL(url).pathname);
    expect(others.every((other) => other === first)).toBe(true);

    // The app opens outside of the browser, so the page stays.
    await phone.page.evaluate(STAY);
    await links.first().click();
    const app = await stage.payer(PHONE);
    await app.page.goto(first);
    await continuePayment(app.page);
    await subscribe(app.page);

    await waitUntilActive(phone.page);
    await phone.expectSound();
    const session = (page: typeof phone.page) => new URLSearchParams(new URL(page.url()).hash.slice(1)).get('session');
    expect(session(phone.page)).toBe(session(app.page));
    expect(await stage.chain.movedFrom(app.wallet.address)).toEqual([10_000_000n]);
    await phone.page.reload();
    await waitUntilActive(phone.page);
  });
});

describeInChromium('a phone without a wallet, at a price that is paid once', () => {
  it('opens on a transfer, with the sum and the button always in sight', async () => {
    const { page, expectSound } = await stage.visitorOf([{ ...ONCE, amount: '1250.00' }], {
      change: { description: 'A long text. '.repeat(300) },
      ...PHONE,
    });
    const button = page.getByRole('button', { name: 'Show the address' });
    await button.waitFor();
    expect(await page.getByRole('radio', { name: 'A transfer from any wallet or exchange' }).isChecked()).toBe(true);
    expect(await page.locator('[data-part=order]').textContent()).toBe('Today 1,250.00 USDC');
    await page.getByRole('heading', { name: 'Coffee Club' }).scrollIntoViewIfNeeded();
    await page.locator('.card').evaluate('(card) => card.scrollIntoView()');
    const seen = (await button.boundingBox()) ?? { y: Number.NaN, height: Number.NaN };
    expect(seen.y + seen.height).toBeLessThanOrEqual(PHONE.viewport.height);
    await expectSound();
    await page.getByRole('radio', { name: 'A wallet in this browser' }).check();
    await page.getByRole('link', { name: 'Open in MetaMask' }).waitFor();
  });
});

describeInChromium('a phone without a wallet, at a link', () => {
  it('shows the outcome when the app has agreed', async () => {
    const { authorizationUrl } = await newSubscription(await stage.sale([MONTHLY]));
    const phone = await chromium.visit({ at: authorizationUrl, ...PHONE });
    const link = phone.page.getByRole('link', { name: 'Open in MetaMask' });
    expect(openedBy((await link.getAttribute('href')) ?? '')).toBe(authorizationUrl);
    await phone.page.evaluate(STAY);
    await link.click();
    const app = await stage.payer({ at: authorizationUrl, ...PHONE });
    await signUp(app.page);
    await waitUntilActive(phone.page);
    await phone.expectSound();
  });
});
