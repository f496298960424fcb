import { createServer, type Server } from 'node:http';
import type { Route } from 'playwright-core';
import { z } from 'zod';
import type { MerchantClient } from '../../stage/merchant-client.ts';
import { until } from '../../stage/until.ts';
import { Chromium, describeInChromium, focusOf, type Visit } from '../support/browser.ts';
import { agree, connect, signUp, subscribe, waitUntilActive } from './support/checkout-page.ts';
import { PERMIT, visitWithWallet } from './support/page-wallet.ts';
import { MONTHLY, Town } from './support/town.ts';

const town = new Town();
const chromium = new Chromium();

const operators = z.object({ chains: z.array(z.object({ chainId: z.int(), operator: z.string().nullable() })) });
const created = z.looseObject({ id: z.string(), authorizationUrl: z.string() });

/** The operator for approvals without a signature. */
async function operatorOf(merchant: MerchantClient): Promise<string> {
  const { chains } = operators.parse(await merchant.call('GET', '/currencies'));
  return chains.find(({ chainId }) => chainId === 8453)?.operator ?? '';
}

/** Like the merchant's own code: a subscription of a customer without a wallet. */
async function newSubscription(merchant: MerchantClient, priceId: string | undefined) {
  const { id: customerId } = await merchant.call('POST', '/customers', {});
  return created.parse(await merchant.call('POST', '/subscriptions', { priceId, customerId }));
}

describeInChromium('the page of an authorization link in Chromium', () => {
  it('authorizes a subscription, then its new terms', async () => {
    const { merchant, priceIds } = await town.sale([MONTHLY, { ...MONTHLY, label: 'More', amount: '20.00' }]);
    const { id, authorizationUrl } = await newSubscription(merchant, priceIds[0]);
    const wallet = await town.newPayer(500_000_000n);
    const visit = await visitWithWallet(chromium, wallet);
    const { page, owner } = visit;
    await page.goto(authorizationUrl);
    await page.getByText('10.00 USD every month').waitFor();
    await visit.expectSound();
    await connect(page);
    await page.getByRole('heading', { name: 'What you approve' }).waitFor();
    await visit.expectSound();
    await agree(page);
    await waitUntilActive(page);
    expect(await merchant.call('GET', `/subscriptions/${id}`)).toMatchObject({ status: 'active' });
    expect(await town.movedFrom(wallet.address)).toEqual([10_000_000n]);

    const migration = await merchant.call('POST', `/subscriptions/${id}/migrate`, { priceId: priceIds[1] });
    await page.goto(z.object({ authorizationUrl: z.string() }).parse(migration).authorizationUrl);
    await page.getByRole('heading', { name: 'New terms of Coffee Club' }).waitFor();
    await page.getByText('20.00 USD every month').waitFor();
    await connect(page);
    await page.getByText('Change the amount').click();
    await page.getByLabel('No limit').check();
    await agree(page);
    await page.getByText('The new terms are agreed').waitFor();
    // The last charge had the old terms.
    expect(await page.getByRole('listitem').filter({ hasText: 'Charge' }).count()).toBe(0);
    await visit.expectSound();
    expect(owner.mandates.map(({ perCharge }) => perCharge)).toEqual(['10000000', '20000000']);
    await merchant.call('POST', '/sandbox/advance', { subscriptionId: id });
    expect(await town.movedFrom(wallet.address)).toEqual([10_000_000n, 20_000_000n]);
  });

  it('does not show consent for a subscription that was paid by an approval alone', async () => {
    const { merchant, priceIds } = await town.sale([MONTHLY]);
    const wallet = await town.newPayer(500_000_000n);
    const wallets = [{ chainFamily: 'evm', address: wallet.address }];
    const { id: customerId } = await merchant.call('POST', '/customers', { wallets });
    const { authorizationUrl } = created.parse(
      await merchant.call('POST', '/subscriptions', { priceId: priceIds[0], customerId }),
    );
    await town.approve(wallet, await operatorOf(merchant), 120_000_000n);
    const { page } = await chromium.visit();
    await page.goto(authorizationUrl);
    await waitUntilActive(page);
    await page.getByRole('listitem').filter({ hasText: 'Charged' }).waitFor();
    expect(await page.getByRole('listitem').filter({ hasText: 'Agreed' }).count()).toBe(0);
  });

  it('continues after a reload with the chosen wallet and approval', async () => {
    const sale = await town.sale([MONTHLY]);
    const { merchant, priceIds } = sale;
    const { id, authorizationUrl } = await newSubscription(merchant, priceIds[0]);
    const wallet = await town.newPayer(500_000_000n);
    const { page } = await visitWithWallet(chromium, wallet);
    await page.goto(authorizationUrl);
    await connect(page);
    await page.getByText('Change the amount').click();
    await page.getByLabel('No limit').check();
    await page.reload();
    await page.getByRole('heading', { name: 'What you approve' }).waitFor();
    expect(await page.getByLabel('No limit').isChecked()).toBe(true);
    await agree(page);
    await waitUntilActive(page);
    expect(await merchant.call('GET', `/subscriptions/${id}`)).toMatchObject({ payerWallet: wallet.address });
    expect(await town.allowance(wallet.address, await town.operatorOf(sale))).toBeGreaterThan(2n ** 200n);
  });

  it('shows where consent was given', async () => {
    const { merchant, priceIds } = await town.sale([MONTHLY]);
    const { authorizationUrl } = await newSubscription(merchant, priceIds[0]);
    const { page } = await visitWithWallet(chromium, await town.newPayer(500_000_000n));
    await subscribe(page, authorizationUrl);
    await page.reload();
    await waitUntilActive(page);
    expect(await page.getByRole('listitem').filter({ hasText: 'Agreed' }).count()).toBe(1);
  });

  it('asks for another signature after the payer has ended the agreement, and for no approval that is there', async () => {
    const { merchant, priceIds } = await town.sale([MONTHLY]);
    const { id, authorizationUrl } = await newSubscription(merchant, priceIds[0]);
    const wallet = await town.newPayer(500_000_000n);
    const visit = await visitWithWallet(chromium, wallet);
    const { page, owner } = visit;
    await subscribe(page, authorizationUrl);
    await page.getByText('End it without').click();
    await page.getByRole('button', { name: 'End the agreement with Pocket' }).click();
    await page.getByText('The agreement is ended').waitFor();
    const agree = page.getByRole('button', { name: 'Agree and approve' });
    await until(
      'the service knows',
      async () => {
        await page.reload();
        await page.locator('[data-part=wallet]').waitFor();
        return agree.or(page.getByText('End it without')).first().textContent();
      },
      (shown) => shown === 'Agree and approve',
    );
    await visit.expectSound();
    await agree.click();
    await waitUntilActive(page);
    expect(new Set(owner.mandates.map(({ agreement }) => agreement)).size).toBe(2);
    expect(owner.asked.filter((request) => request === PERMIT)).toHaveLength(1);
    await merchant.call('POST', '/sandbox/advance', { subscriptionId: id });
    expect(await town.movedFrom(wallet.address)).toEqual([10_000_000n, 10_000_000n]);
  });

  it('leads the keyboard through an authorization, and names each step in its title', async () => {
    const { merchant, priceIds } = await town.sale([MONTHLY]);
    const { authorizationUrl } = await newSubscription(merchant, priceIds[0]);
    const { page } = await visitWithWallet(chromium, await town.newPayer(500_000_000n));
    await page.goto(authorizationUrl);
    await page.getByRole('button', { name: 'Connect Pocket' }).focus();
    expect(await page.title()).toMatch(/^Choose a wallet – Coffee Club/);
    await page.keyboard.press('Enter');
    await until(
      'the approval has the focus',
      () => focusOf(page),
      (on) => on === 'What you approve',
    );
    await page.getByRole('button', { name: 'Agree and approve' }).focus();
    await page.keyboard.press('Enter');
    await waitUntilActive(page);
    expect(await page.title()).toMatch(/^Your subscription is active – Coffee Club/);
    await until(
      'the result has the focus',
      () => focusOf(page),
      (on) => on === 'Your subscription is active',
    );
  });

  it('shows what to do about a link that is over', async () => {
    const visit = await chromium.visit();
    await visit.page.goto(`${town.service.url}/checkout/authorize/${'a'.repeat(43)}`);
    await visit.page.getByRole('heading', { name: 'Not found' }).waitFor();
    visit.forgive(/404/);
    await visit.expectSound();
  });

  it('does not show new terms as agreed while their approval is missing', async () => {
    const { merchant, priceIds } = await town.sale([MONTHLY, { ...MONTHLY, label: 'More', amount: '20.00' }]);
    const { id, authorizationUrl } = await newSubscription(merchant, priceIds[0]);
    const visit = await visitWithWallet(chromium, await town.newPayer(500_000_000n));
    const { page, owner } = visit;
    await page.goto(authorizationUrl);
    await connect(page);
    await page.getByText('Change the amount').click();
    await page.getByLabel('Another amount').check();
    await page.getByLabel('Amount in USDC').fill('10');
    await agree(page);
    await waitUntilActive(page);
    const migration = await merchant.call('POST', `/subscriptions/${id}/migrate`, { priceId: priceIds[1] });
    owner.declines = [PERMIT];
    await signUp(page, z.object({ authorizationUrl: z.string() }).parse(migration).authorizationUrl);
    await page.getByText('Declined in your wallet').waitFor();
    expect(await page.getByText('The new terms are agreed').count()).toBe(0);
    expect(await page.getByText('Nothing has been charged').count()).toBe(0);
    await page.getByText('Waiting for your approval').waitFor();
    expect(await page.locator('[aria-current=step]').textContent()).toContain('Approval');
    await visit.expectSound();
    owner.declines = [];
    await page.getByRole('button', { name: 'Sign the approval' }).click();
    await page.getByText('The new terms are agreed').waitFor();
  });

  it('requests no approval any more if its link was replaced meanwhile', async () => {
    const more = { ...MONTHLY, label: 'More', amount: '20.00' };
    const { merchant, priceIds } = await town.sale([MONTHLY, more, { ...more, label: 'Most', amount: '30.00' }]);
    const { id, authorizationUrl } = await newSubscription(merchant, priceIds[0]);
    const visit = await visitWithWallet(chromium, await town.newPayer(500_000_000n));
    const { page, owner } = visit;
    await page.goto(authorizationUrl);
    await connect(page);
    await page.getByText('Change the amount').click();
    await page.getByLabel('Another amount').check();
    await page.getByLabel('Amount in USDC').fill('10');
    await agree(page);
    await waitUntilActive(page);
    const migration = await merchant.call('POST', `/subscriptions/${id}/migrate`, { priceId: priceIds[1] });
    owner.declines = [PERMIT];
    await signUp(page, z.object({ authorizationUrl: z.string() }).parse(migration).authorizationUrl);
    await page.getByRole('button', { name: 'Sign the approval' }).waitFor();
    await merchant.call('POST', `/subscriptions/${id}/migrate`, { priceId: priceIds[2] });
    await page.getByText('This link does not work').waitFor();
    expect(await page.getByRole('button', { name: 'Sign the approval' }).count()).toBe(0);
    await page.goto('about:blank');
    visit.forgive(/404/);
  });
});

const SHOP_SCRIPT = `
window.reported = [];
for (const type of ['ready', 'completed', 'closed']) {
  addEventListener('tideline:' + type, ({ target, detail }) => reported.push({ type, at: target.id, ...detail }));
}
`;

describeInChromium('the embed script in Chromium', () => {
  let shop: Server;
  let shopUrl = '';
  let body = '';
  beforeAll(async () => {
    shop = createServer((request, response) => {
      const isPage = request.url === '/';
      response.writeHead(isPage ? 200 : 204, { 'Content-Type': 'text/html; charset=utf-8' }).end(isPage ? body : '');
    });
    await new Promise<void>((resolve) => {
      shop.listen(0, '127.0.0.1', resolve);
    });
    const address = shop.address();
    shopUrl = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/`;
  });
  afterAll(() => {
    shop.close();
  });

  it('makes a button of an element, shows the checkout over the page, and reports the result to the page', async () => {
    const { offerId, merchant } = await town.sale([MONTHLY]);
    body = `<!doctype html><html lang="en"><title>A shop</title><main><h1>A shop</h1>
      <div id="coffee" data-tideline-offer="${offerId}" data-tideline-label="Join the club"></div></main>
      <script>${SHOP_SCRIPT}</script><script src="${town.service.url}/embed.js" async></script>`;
    const visit = await chromium.visit();
    const { page } = visit;
    await page.goto(shopUrl);
    await page.getByRole('button', { name: 'Join the club' }).click();
    await visit.expectSound();
    const frame = page.frameLocator('iframe');
    await frame.getByLabel('Test wallet', { exact: true }).selectOption('test-evm-payer-2');
    await frame.getByRole('button', { name: 'Use this test wallet' }).click();
    await agree(frame);
    await waitUntilActive(frame);
    // A message from another page does not count, whatever it claims.
    await page.evaluate(`postMessage({ source: 'tideline', type: 'completed', kind: 'forged' }, '*')`);
    await frame.getByRole('button', { name: 'Done' }).click();
    await page.locator('iframe').waitFor({ state: 'detached' });
    const { subscriptions } = z
      .object({ subscriptions: z.array(z.object({ id: z.string() })) })
      .parse(await merchant.call('GET', '/subscriptions'));
    expect(await page.evaluate('reported')).toEqual([
      { type: 'ready', at: 'coffee' },
      {
        type: 'completed',
        at: 'coffee',
        kind: 'subscription',
        subscriptionId: subscriptions[0]?.id,
        paymentId: expect.stringMatching(/^pay_/),
      },
      { type: 'closed', at: 'coffee' },
    ]);
  });

  /** A shop that is longer than a screen, scrolled to its button. */
  async function scrolledShop(): Promise<Visit> {
    const { offerId } = await town.sale([MONTHLY]);
    body = `<!doctype html><html lang="en"><title>A shop</title><main><h1>A shop</h1>${'<p>More</p>'.repeat(60)}
      <div id="coffee" data-tideline-offer="${offerId}"></div>${'<p>More</p>'.repeat(60)}</main>
      <script>${SHOP_SCRIPT}</script><script src="${town.service.url}/embed.js"></script>`;
    const visit = await chromium.visit();
    await visit.page.goto(shopUrl);
    await visit.page.getByRole('button', { name: 'Continue to checkout' }).focus();
    return visit;
  }

  it("closes on Escape in the frame, and restores the page's focus and position", async () => {
    const { page } = await scrolledShop();
    const top = await page.evaluate('scrollY');
    expect(top).toBeGreaterThan(0);
    await page.keyboard.press('Enter');
    const frame = page.frameLocator('iframe');
    await frame.getByRole('heading', { name: 'Coffee Club' }).waitFor();
    // The keyboard is in the checkout without a click.
    expect(await frame.locator('html').evaluate((html) => html.ownerDocument.hasFocus())).toBe(true);
    await page.keyboard.press('Tab');
    await page.mouse.move(5, 5);
    await page.mouse.wheel(0, 500);
    expect(await page.evaluate('getComputedStyle(document.documentElement).overflow')).toBe('hidden');
    await page.keyboard.press('Escape');
    await page.locator('iframe').waitFor({ state: 'detached' });
    expect(await page.evaluate('[scrollY, document.activeElement.className]')).toEqual([top, 'tideline-button']);
    expect(await page.evaluate('document.documentElement.getAttribute("style") || ""')).toBe('');
  });

  it('shows that it is loading, and closes on Escape before it has loaded', async () => {
    const { page } = await scrolledShop();
    const asked = new Promise<Route>((resolve) => void page.route('**/checkout/offer_*', resolve, { times: 1 }));
    await page.keyboard.press('Enter');
    const late = await asked;
    await page.getByRole('status').getByText('Loading the checkout').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('iframe').waitFor({ state: 'detached' });
    await late.abort();
    await page.keyboard.press('Enter');
    await page.frameLocator('iframe').getByRole('heading', { name: 'Coffee Club' }).waitFor();
    expect(await page.getByText('Loading the checkout').count()).toBe(0);
    const reported = z.array(z.looseObject({ type: z.string() })).parse(await page.evaluate('reported'));
    expect(reported.map(({ type }) => type)).toEqual(['closed', 'ready']);
  });

  it('cannot be framed by a page that the address does not name', async () => {
    const { url } = await town.sale([MONTHLY]);
    body = `<!doctype html><html lang="en"><title>Not a shop</title><main><h1>Not a shop</h1>
      <iframe title="one" src="${url}"></iframe>
      <iframe title="two" src="${url}?embed=https%3A%2F%2Fshop.example"></iframe></main>`;
    const visit = await chromium.visit();
    await visit.page.goto(shopUrl);
    await visit.page.waitForLoadState('networkidle');
    const shown = visit.page.frames().map((frame) => frame.getByRole('heading', { name: 'Coffee Club' }).count());
    expect(await Promise.all(shown)).toEqual([0, 0, 0]);
    visit.forgive(/frame-ancestors|X-Frame-Options|refused|chrome-error/i);
  });

  it('restores its button if the page has emptied or copied the element', async () => {
    const { offerId } = await town.sale([MONTHLY]);
    body = `<!doctype html><html lang="en"><title>A shop</title><main><h1>A shop</h1>
      <div id="coffee" data-tideline-offer="${offerId}" data-tideline-lang="de"></div></main>
      <script src="${town.service.url}/embed.js"></script>`;
    const { page } = await chromium.visit();
    await page.goto(shopUrl);
    const button = page.getByRole('button', { name: 'Continue to checkout' });
    await button.waitFor();
    await page.evaluate(`coffee.replaceChildren()`);
    await button.waitFor();
    await page.evaluate(`coffee.replaceWith(coffee.cloneNode(true))`);
    await button.click();
    await page.frameLocator('iframe').getByText('Bezahlen mit').waitFor();
    expect(await page.locator('.tideline-button').count()).toBe(1);
  });

  it('opens the offer that the element names now', async () => {
    const { offerId } = await town.sale([MONTHLY]);
    const { offerId: other } = await town.sale([MONTHLY], { name: 'Tea Club' });
    body = `<!doctype html><html lang="en"><title>A shop</title><main><h1>A shop</h1>
      <div id="first" data-tideline-offer="${offerId}"></div>
      <div id="second" data-tideline-offer=""></div></main>
      <script src="${town.service.url}/embed.js"></script>`;
    const visit = await chromium.visit();
    const { page } = visit;
    await page.goto(shopUrl);
    visit.forgive(/expected the id of an offer/);
    await page.evaluate(`first.dataset.tidelineOffer = second.dataset.tidelineOffer = ${JSON.stringify(other)}`);
    await page.locator('#second').getByRole('button').waitFor();
    await page.locator('#first').getByRole('button').click();
    await page.frameLocator('iframe').getByRole('heading', { name: 'Tea Club' }).waitFor();
  });

  it('reports the result of a checkout whose element was removed meanwhile', async () => {
    const { offerId } = await town.sale([MONTHLY]);
    body = `<!doctype html><html lang="en"><title>A shop</title><main><h1>A shop</h1>
      <div id="coffee" data-tideline-offer="${offerId}"></div></main>
      <script>${SHOP_SCRIPT}</script><script src="${town.service.url}/embed.js"></script>`;
    const { page } = await chromium.visit();
    await page.goto(shopUrl);
    await page.getByRole('button', { name: 'Continue to checkout' }).click();
    await page.frameLocator('iframe').getByRole('heading', { name: 'Coffee Club' }).waitFor();
    await page.evaluate(`coffee.remove()`);
    await page.getByRole('button', { name: 'Close the checkout' }).click();
    await page.locator('iframe').waitFor({ state: 'detached' });
    const reported = z.array(z.looseObject({ type: z.string() })).parse(await page.evaluate('reported'));
    expect(reported.map(({ type }) => type)).toEqual(['ready', 'closed']);
  });
});
