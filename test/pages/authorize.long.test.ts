import { createServer, type Server } from 'node:http';
import type { Page, Route } from 'playwright-core';
import { operatorFor } from '../../stage/merchant.ts';
import { until } from '../../stage/until.ts';
import { describeInChromium, focusIs, type Visit } from '../support/browser.ts';
import {
  agree,
  chooseAmount,
  connect,
  endAgreement,
  holdScripts,
  signUp,
  subscribe,
  useTestWallet,
  WATCH_SHIFTS,
  waitUntilActive,
  waitUntilDeclined,
} from './support/checkout-page.ts';
import { MONTHLY, MORE, newSubscription, onlySubscription, PageStage, type Sale } from './support/page-stage.ts';
import { PERMIT } from './support/page-wallet.ts';

const stage = new PageStage();
const { chromium } = stage;

/** The link of another price for the subscription. */
async function migrate({ merchant, priceIds }: Sale, id: string, to: number): Promise<string> {
  return (await merchant.api.subscriptions.migrate(id, { priceId: priceIds[to] ?? '' })).authorizationUrl;
}

/** A payer at the link of a new subscription. */
async function linkPayer(pricing: readonly object[]) {
  const sale = await stage.sale(pricing);
  const { id, authorizationUrl } = await newSubscription(sale);
  return { sale, id, ...(await stage.payer({ at: authorizationUrl })) };
}

/** A payer who approved one charge, and has signed the terms of the second price, but not their approval. */
async function unapprovedTerms(pricing: readonly object[]) {
  const payer = await linkPayer(pricing);
  const { sale, id, page, owner } = payer;
  await connect(page);
  await chooseAmount(page, '10');
  await agree(page);
  await waitUntilActive(page);
  const newTerms = await migrate(sale, id, 1);
  owner.declines = [PERMIT];
  await page.goto(newTerms);
  await signUp(page);
  return payer;
}

describeInChromium('the page of an authorization link in Chromium', () => {
  it('authorizes a subscription by the keyboard, naming each step in its title, then its new terms', async () => {
    const { page, owner, wallet, expectSound, id, sale } = await linkPayer([MONTHLY, MORE]);
    await page.getByText('10.00 USD every month').waitFor();
    await expectSound();
    await page.getByRole('button', { name: 'Connect Pocket' }).focus();
    expect(await page.title()).toMatch(/^Choose a wallet – Coffee Club/);
    await page.keyboard.press('Enter');
    await focusIs(page, 'What you approve');
    await expectSound();
    await page.getByRole('button', { name: 'Agree and approve' }).press('Enter');
    await waitUntilActive(page);
    expect(await page.title()).toMatch(/^Your subscription is active – Coffee Club/);
    await focusIs(page, 'Your subscription is active');
    expect(await sale.merchant.api.subscriptions.get(id)).toMatchObject({ status: 'active' });
    expect(await stage.chain.movedFrom(wallet.address)).toEqual([10_000_000n]);

    const newTerms = await migrate(sale, id, 1);
    await page.goto(newTerms);
    await page.getByRole('heading', { name: 'New terms of Coffee Club' }).waitFor();
    await page.getByText('20.00 USD every month').waitFor();
    await connect(page);
    await chooseAmount(page, null);
    await agree(page);
    await page.getByText('The new terms are agreed').waitFor();
    // The last charge had the old terms.
    expect(await page.getByRole('listitem').filter({ hasText: 'Charge' }).count()).toBe(0);
    await expectSound();
    expect(owner.mandates.map(({ perCharge }) => perCharge)).toEqual(['10000000', '20000000']);
    await sale.merchant.api.sandbox.advance({ subscriptionId: id });
    expect(await stage.chain.movedFrom(wallet.address)).toEqual([10_000_000n, 20_000_000n]);
  });

  it('says that a change at once could not be charged, and begins again', async () => {
    const { page, wallet, expectSound, id, sale } = await linkPayer([MONTHLY, MORE]);
    await subscribe(page);
    const change = { priceId: sale.priceIds[1] ?? '', when: 'now', proration: 'credit' } as const;
    const { authorizationUrl } = await sale.merchant.api.subscriptions.migrate(id, change);
    await page.goto(authorizationUrl);
    await connect(page);
    await stage.chain.setFrozen(wallet.address, true);
    await agree(page);
    await page.getByText('The change has failed').waitFor();
    await expectSound();
    await stage.chain.setFrozen(wallet.address, false);
    await page.getByRole('button', { name: 'Start again' }).click();
    await agree(page);
    await page.getByText('The new terms are agreed').waitFor();
    const [paid, failed, first] = (await sale.merchant.api.payments.list({ subscriptionId: id })).payments;
    expect([paid?.status, paid?.credit?.paymentId, failed?.status]).toEqual(['settled', first?.id, 'failed']);
  });

  it('does not show consent for a subscription that was paid by an approval alone', async () => {
    const sale = await stage.sale([MONTHLY]);
    const wallet = await stage.chain.newWallet('500');
    const wallets = [{ chainFamily: 'evm' as const, address: wallet.address }];
    const { authorizationUrl } = await newSubscription(sale, { wallets });
    await stage.chain.approve(wallet, await operatorFor(sale.merchant.api, 'usdc-base'), '120.00');
    const { page } = await chromium.visit({ at: authorizationUrl });
    await waitUntilActive(page);
    await page.getByRole('listitem').filter({ hasText: 'Charged' }).waitFor();
    expect(await page.getByRole('listitem').filter({ hasText: 'Agreed' }).count()).toBe(0);
  });

  it('continues after a reload with the chosen wallet and approval, then shows where consent was given', async () => {
    const { page, wallet, id, sale } = await linkPayer([MONTHLY]);
    await connect(page);
    await chooseAmount(page, null);
    await page.reload();
    await page.getByRole('heading', { name: 'What you approve' }).waitFor();
    expect(await page.getByLabel('No limit').isChecked()).toBe(true);
    await agree(page);
    await waitUntilActive(page);
    expect(await sale.merchant.api.subscriptions.get(id)).toMatchObject({ payerWallet: wallet.address });
    expect(await stage.chain.allowance(wallet.address, await stage.operatorOf(sale))).toBeGreaterThan(2n ** 200n);
    await page.reload();
    await waitUntilActive(page);
    expect(await page.getByRole('listitem').filter({ hasText: 'Agreed' }).count()).toBe(1);
  });

  it('asks for another signature after the payer has ended the agreement, and for no approval that is there', async () => {
    const { page, owner, wallet, expectSound, id, sale } = await linkPayer([MONTHLY]);
    await subscribe(page);
    await endAgreement(page);
    await page.getByText('The agreement has ended').waitFor();
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
    await expectSound();
    await agree.click();
    await waitUntilActive(page);
    expect(new Set(owner.mandates.map(({ agreement }) => agreement)).size).toBe(2);
    expect(owner.asked.filter((request) => request === PERMIT)).toHaveLength(1);
    await sale.merchant.api.sandbox.advance({ subscriptionId: id });
    expect(await stage.chain.movedFrom(wallet.address)).toEqual([10_000_000n, 10_000_000n]);
  });

  it('is a skeleton before its script, as the portal is, and moves nothing afterwards', async () => {
    const { authorizationUrl } = await newSubscription(await stage.sale([MONTHLY]));
    for (const at of [authorizationUrl, `${stage.url}/portal`]) {
      const { page, expectSound } = await chromium.visit({ inject: WATCH_SHIFTS });
      const release = await holdScripts(page);
      await page.goto(at, { waitUntil: 'commit' });
      await page.locator('.card .skeleton').first().waitFor();
      release();
      await page.getByRole('button', { name: 'Continue on your phone' }).waitFor();
      expect(await page.locator('.skeleton').count()).toBe(0);
      expect(await page.evaluate<number>('shifted')).toBeLessThan(0.02);
      await expectSound();
    }
  });

  it('does not show new terms as agreed while their approval is missing', async () => {
    const { page, owner, expectSound } = await unapprovedTerms([MONTHLY, MORE]);
    await waitUntilDeclined(page);
    expect(await page.getByText('The new terms are agreed').count()).toBe(0);
    expect(await page.getByText('Nothing has been charged').count()).toBe(0);
    await page.getByText('Waiting for your approval').waitFor();
    expect(await page.locator('[aria-current=step]').textContent()).toContain('Approval');
    await expectSound();
    owner.declines = [];
    await page.getByRole('button', { name: 'Sign the approval' }).click();
    await page.getByText('The new terms are agreed').waitFor();
  });

  it('requests no approval any more if its link was replaced meanwhile', async () => {
    const { page, forgive, id, sale } = await unapprovedTerms([
      MONTHLY,
      MORE,
      { ...MORE, label: 'Most', amount: '30.00' },
    ]);
    await page.getByRole('button', { name: 'Sign the approval' }).waitFor();
    await migrate(sale, id, 2);
    await page.getByText('This link does not work').waitFor();
    expect(await page.getByRole('button', { name: 'Sign the approval' }).count()).toBe(0);
    await page.goto('about:blank');
    forgive(/404/);
  });
});

/** Keeps what the embed script reports to the page. */
const REPORTER = `
window.reported = [];
for (const type of ['ready', 'completed', 'closed']) {
  addEventListener('tideline:' + type, ({ target, detail }) => reported.push({ type, at: target.id, ...detail }));
}
`;

describeInChromium('the embed script in Chromium', () => {
  let server: Server;
  let content = '';
  beforeAll(async () => {
    server = createServer((request, response) => {
      const page = `<!doctype html><html lang="en"><title>Coffee</title><main><h1>Coffee</h1>${content}</main>`;
      const isPage = request.url === '/';
      response.writeHead(isPage ? 200 : 204, { 'Content-Type': 'text/html; charset=utf-8' }).end(isPage ? page : '');
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
  });
  afterAll(() => {
    server.close();
  });

  function visitPage(shown: string): Promise<Visit> {
    content = shown;
    const address = server.address();
    return chromium.visit({ at: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/` });
  }

  /** The same, with the embed script after the content. */
  function visitEmbedding(shown: string, attributes = ''): Promise<Visit> {
    const script = `<script src="${stage.url}/embed.js" ${attributes}></script>`;
    return visitPage(`${shown}<script>${REPORTER}</script>${script}`);
  }

  const elementOf = (offerId: string, attributes = '') =>
    `<div id="coffee" data-tideline-offer="${offerId}" ${attributes}></div>`;

  /** The kinds of events that the page has got. */
  const reportedTo = (page: Page) => page.evaluate('reported.map(({ type }) => type)');

  it('makes a button of an element, shows the checkout over the page, and reports the result to the page', async () => {
    const { offerId, merchant } = await stage.sale([MONTHLY]);
    const element = elementOf(offerId, 'data-tideline-label="Join the club"');
    const { page, expectSound } = await visitEmbedding(element, 'async');
    await page.getByRole('button', { name: 'Join the club' }).click();
    await expectSound();
    const frame = page.frameLocator('iframe');
    await useTestWallet(frame, 'test-evm-payer-2');
    await agree(frame);
    await waitUntilActive(frame);
    // A message from another page does not count, whatever it claims.
    await page.evaluate(`postMessage({ source: 'tideline', type: 'completed', kind: 'forged' }, '*')`);
    await frame.getByRole('button', { name: 'Done' }).click();
    await page.locator('iframe').waitFor({ state: 'detached' });
    const { id: subscriptionId } = await onlySubscription(merchant);
    const ids = { subscriptionId, paymentId: expect.stringMatching(/^pay_/) };
    expect(await page.evaluate('reported')).toEqual([
      { type: 'ready', at: 'coffee' },
      { type: 'completed', at: 'coffee', kind: 'subscription', ...ids },
      { type: 'closed', at: 'coffee' },
    ]);
  });

  /** A page that is longer than a screen, scrolled to its button. */
  async function visitLongPage(): Promise<Visit> {
    const { offerId } = await stage.sale([MONTHLY]);
    const text = '<p>More</p>'.repeat(60);
    const visit = await visitEmbedding(`${text}${elementOf(offerId)}${text}`);
    await visit.page.getByRole('button', { name: 'Continue to checkout' }).focus();
    return visit;
  }

  it("closes on Escape in the frame, and restores the page's focus and position", async () => {
    const { page } = await visitLongPage();
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
    const { page } = await visitLongPage();
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
    expect(await reportedTo(page)).toEqual(['closed', 'ready']);
  });

  it('cannot be framed by a page that the address does not name', async () => {
    const { url } = await stage.sale([MONTHLY]);
    const { page, forgive } = await visitPage(`<iframe title="one" src="${url}"></iframe>
      <iframe title="two" src="${url}?embed=https%3A%2F%2Fshop.example"></iframe>`);
    await page.waitForLoadState('networkidle');
    const shown = page.frames().map((frame) => frame.getByRole('heading', { name: 'Coffee Club' }).count());
    expect(await Promise.all(shown)).toEqual([0, 0, 0]);
    forgive(/frame-ancestors|X-Frame-Options|refused|chrome-error/i);
  });

  it('restores its button if the page has emptied or copied the element', async () => {
    const { offerId } = await stage.sale([MONTHLY]);
    const { page } = await visitEmbedding(elementOf(offerId, 'data-tideline-lang="de"'));
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
    const { offerId } = await stage.sale([MONTHLY]);
    const { offerId: other } = await stage.sale([MONTHLY], { name: 'Tea Club' });
    const { page, forgive } = await visitEmbedding(`<div id="first" data-tideline-offer="${offerId}"></div>
      <div id="second" data-tideline-offer=""></div>`);
    forgive(/expected the id of an offer/);
    await page.evaluate(`first.dataset.tidelineOffer = second.dataset.tidelineOffer = ${JSON.stringify(other)}`);
    await page.locator('#second').getByRole('button').waitFor();
    await page.locator('#first').getByRole('button').click();
    await page.frameLocator('iframe').getByRole('heading', { name: 'Tea Club' }).waitFor();
  });

  it('reports the result of a checkout whose element was removed meanwhile', async () => {
    const { offerId } = await stage.sale([MONTHLY]);
    const { page } = await visitEmbedding(elementOf(offerId));
    await page.getByRole('button', { name: 'Continue to checkout' }).click();
    await page.frameLocator('iframe').getByRole('heading', { name: 'Coffee Club' }).waitFor();
    await page.evaluate(`coffee.remove()`);
    await page.getByRole('button', { name: 'Close the checkout' }).click();
    await page.locator('iframe').waitFor({ state: 'detached' });
    expect(await reportedTo(page)).toEqual(['ready', 'closed']);
  });
});
