import { id, Wallet, zeroPadValue } from 'ethers';
import type { Locator, Page, Route, ViewportSize } from 'playwright-core';
import { TOKEN_KEY } from '../../stage/tokens.ts';
import { until } from '../../stage/until.ts';
import {
  ALL_LEVELS,
  DESKTOP_800,
  DEVICES,
  describeInChromium,
  focusIs,
  focusOf,
  NARROW,
  PHONE_390,
  WIDE,
} from '../support/browser.ts';
import {
  agree,
  approve,
  chooseAmount,
  chooseTransfer,
  connect,
  continuePayment,
  continueTransfer,
  depositAddress,
  expectInView,
  holdScripts,
  openTransfer,
  saveRefundAddress,
  signUp,
  subscribe,
  takeBack,
  useTestWallet,
  WATCH_SHIFTS,
  waitUntilActive,
  waitUntilDeclined,
  waitUntilReceived,
} from './support/checkout-page.ts';
import { BY_USE, cancelSubscription, MONTHLY, MORE, ONCE, onlySubscription, PageStage } from './support/page-stage.ts';
import { MANDATE, type Owner, PERMIT } from './support/page-wallet.ts';

const stage = new PageStage();
const { chromium } = stage;

/** The router's event. */
const AGREEMENT_REVOKED = id('AgreementRevoked(address,bytes32,bytes32)');

/** Where name, description, card and the first price are. */
const POSITIONS = `['h1', '.typed', '.card', '.choice', '.choice strong'].map((part) => {
  const { x, y } = document.querySelector(part).getBoundingClientRect();
  return [part, x, y];
})`;

/** What the page has loaded: each address with its bytes on the wire. */
async function loadedBy(page: Page): Promise<ReadonlyMap<string, number>> {
  const session = await page.context().newCDPSession(page);
  const addresses = new Map<string, string>();
  const loaded = new Map<string, number>();
  session.on('Network.requestWillBeSent', ({ requestId, request }) => addresses.set(requestId, request.url));
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    loaded.set(addresses.get(requestId) ?? requestId, encodedDataLength);
  });
  await session.send('Network.enable');
  return loaded;
}

/** The address that the page tells the payer to keep, in another browser without a wallet. */
async function visitReceipt(page: Page, viewport: ViewportSize = WIDE) {
  const link = page.locator('[data-part=receipt-link]');
  const at = (await link.getByRole('link', { name: /^Open the receipt/ }).getAttribute('href')) ?? '';
  expect(await link.textContent()).toContain(at);
  return chromium.visit({ at, viewport });
}

/** The whole sum to approve is visible on a narrow screen. */
async function expectSumInFrame(page: Page): Promise<void> {
  const before = page.viewportSize() ?? WIDE;
  await page.setViewportSize(NARROW);
  await page.getByText('Change the amount').click();
  const total = await page.getByRole('cell', { name: '120.00 USDC', exact: true }).boundingBox();
  const frame = await page.locator('.table-frame').boundingBox();
  expect(Math.ceil((total?.x ?? 0) + (total?.width ?? 0))).toBeLessThanOrEqual((frame?.x ?? 0) + (frame?.width ?? 0));
  await page.setViewportSize(before);
}

/** The element with the page's result. */
const RESULT = '[data-part=result]';

describeInChromium('the checkout in Chromium', () => {
  it('goes from an offer to an active subscription and a real transfer', async () => {
    const { page, owner, wallet, expectSound, merchant } = await stage.payerOf([MONTHLY], {
      change: {
        imageUrl: `${stage.url}/docs/guides/checkout-consent.png`,
        description: 'Beans.\nEvery month.',
        features: [{ title: 'Fresh', description: 'Roasted\nto order' }],
        collectFields: { email: true, country: true, cupSize: { label: 'Size of your cup', required: false } },
        afterCompletion: { message: 'Welcome to the club.' },
      },
    });
    await page.getByRole('heading', { name: 'Coffee Club' }).waitFor();
    expect(await page.getByText('Beans.').allInnerTexts()).toEqual(['Beans.\nEvery month.']);
    expect(await page.getByText('Roasted').allInnerTexts()).toEqual([expect.stringContaining('Roasted\nto order')]);
    const shrunk = `performance.getEntriesByType('resource').filter(({ name }) => name.includes('/assets/'))
      .map(({ encodedBodySize, decodedBodySize }) => encodedBodySize < decodedBodySize)`;
    expect([...new Set(await page.evaluate<boolean[]>(shrunk))]).toEqual([true]);
    await expectSound();

    await connect(page);
    await page.getByRole('heading', { name: 'What you approve' }).waitFor();
    expect(await page.locator('[data-part=total]').textContent()).toBe('120.00 USDC');
    await page.getByText('enough for 12 charges (1 year)').waitFor();
    expect(await page.locator('[data-part=order]').textContent()).toMatch(
      /^Today 10\.00 USDC, then 10\.00 USDC on .+ \d{4} and every month$/,
    );
    await expectSumInFrame(page);
    await agree(page);
    expect(await page.getByText('Email is needed.').isVisible()).toBe(true);
    expect(owner.asked).not.toContain(MANDATE);

    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Country').selectOption({ label: 'Germany' });
    await expectSound();
    await agree(page);
    await waitUntilActive(page);
    expect(await page.getByText('Welcome to the club.').isVisible()).toBe(true);
    await expectSound();
    expect((await merchant.api.customers.list()).customers).toMatchObject([{ country: 'DE' }]);
    const receipt = page.locator('[data-part=receipt]');
    expect(await receipt.textContent()).toMatch(/Paid10\.00 USDC on .+Next charge.+Transaction0x/);
    expect(await receipt.getByRole('link', { name: 'your portal' }).getAttribute('href')).toBe(`${stage.url}/portal`);
    const proof = await receipt.getByRole('link', { name: 'Download the signed proof' }).getAttribute('href');
    expect(await (await fetch(proof ?? '')).json()).toMatchObject({
      type: 'tideline.proof-of-charge',
      onChain: { gross: '10000000', from: wallet.address },
    });

    const kept = await visitReceipt(page, NARROW);
    expect(await kept.page.locator('dl').textContent()).toMatch(
      new RegExp(`^Numberpay_.+Coffee Club.+10\\.00 USDC.+From the wallet${wallet.address}Transaction0x`),
    );
    const isPrintShown = () => kept.page.getByRole('button', { name: 'Print' }).isVisible();
    expect(await isPrintShown()).toBe(true);
    await kept.expectSound(ALL_LEVELS);
    await kept.page.emulateMedia({ media: 'print' });
    expect([await isPrintShown(), await kept.page.locator('.page-footer').isVisible()]).toEqual([false, false]);
    expect(await kept.page.getByText('10.00 USDC').isVisible()).toBe(true);

    expect(await onlySubscription(merchant)).toMatchObject({ status: 'active', payerWallet: wallet.address });
    expect(await stage.chain.movedFrom(wallet.address)).toEqual([10_000_000n]);
    const { customers } = await merchant.call('GET', `/customers?walletAddress=${wallet.address}`);
    expect(customers).toMatchObject([{ email: 'ada@example.com' }]);
    expect([owner.mandates.length, owner.asked.includes('eth_sendTransaction')]).toEqual([1, false]);
  });

  it('says what a price by use costs before anything is signed, and charges nothing then', async () => {
    const { page, wallet, url, expectSound, merchant } = await stage.payerOf([BY_USE], PHONE_390);
    const terms =
      /^Subscription\s?0\.01 USD per unit used, charged every month\s?the first 100 units of each period included/;
    expect(await page.locator('.choice').first().textContent()).toMatch(terms);
    await page.getByText('0.008 USD per unit above 1,000', { exact: true }).waitFor();
    await page.getByText('at most 20.00 USD a charge, and the next charge takes the rest').waitFor();
    const order = page.locator('[data-part=order]');
    await order.getByText('nothing is charged now').waitFor();
    const said =
      /^Today 0\.00 USDC, then what you have used, at most 20\.00 USDC a charge: first on .+ \d{4}, then every month \(nothing is charged now\)$/;
    expect(await order.textContent()).toMatch(said);
    await page.setViewportSize({ width: 320, height: 700 });
    await expectSound();
    await page.goto(`${url}?lang=ar`);
    await order.getByText('لا يُخصم شيء الآن').waitFor();
    await expectSound();
    await page.setViewportSize(PHONE_390.viewport);
    await page.goto(`${url}?lang=en`);
    await connect(page);
    await page.locator('[data-part=agreement]').getByText('20.00 USDC', { exact: true }).waitFor();
    await agree(page);
    await page.getByRole('heading', { name: 'You have subscribed' }).waitFor();
    expect(await page.locator('main').textContent()).not.toMatch(/trial|free/i);
    const kept = await visitReceipt(page, NARROW);
    expect(await kept.page.locator('dl').textContent()).toMatch(
      /Price0\.01 USDC per unit used.+First chargeat most 20\.00 USDC on /,
    );
    expect(await onlySubscription(merchant)).toMatchObject({ status: 'pending', model: 'metered' });
    expect(await stage.chain.movedFrom(wallet.address)).toEqual([]);
  });

  it.each([WIDE, NARROW])(
    'is there before its script, in few files, and moves nothing afterwards: %j',
    async (viewport) => {
      const change = {
        imageUrl: `${stage.url}/docs/guides/checkout-consent.png`,
        features: [{ title: 'Fresh beans' }],
        availableQuantity: 5,
      };
      const { url } = await stage.sale([MONTHLY, { ...MONTHLY, amount: '20.00' }], change);
      const { page, expectSound } = await chromium.visit({ viewport, inject: WATCH_SHIFTS });
      const names = () => page.locator('[data-part=price-name]').allTextContents();
      const release = await holdScripts(page);
      const loaded = await loadedBy(page);
      await page.goto(url, { waitUntil: 'commit' });
      await page.getByRole('heading', { name: 'Coffee Club' }).waitFor();
      expect(await page.getByText('20.00 USD every month').first().isVisible()).toBe(true);
      await page.evaluate(`document.querySelector('.offer-image').decode()`);
      const before = await page.evaluate(POSITIONS);
      const firstNames = await names();
      expect(new Set(firstNames).size).toBe(2);
      release();
      await page.locator('[data-part=order]').waitFor();
      await page.getByText('Test wallet').first().waitFor();
      expect([await page.evaluate(POSITIONS), await names()]).toEqual([before, firstNames]);
      expect(await page.evaluate<number>('shifted')).toBeLessThan(0.02);
      // The merchant's picture is not the page's.
      const own = [...loaded].filter(([address]) => !address.endsWith('.png'));
      expect(own.length).toBeLessThanOrEqual(8);
      expect(own.reduce((sum, [, bytes]) => sum + bytes, 0)).toBeLessThanOrEqual(90_000);
      await expectSound();
    },
  );

  it('makes one subscription even if it is reloaded in the middle and opened in a second tab', async () => {
    const visit = await stage.payerOf([MONTHLY]);
    const { page, owner, wallet, url, merchant } = visit;
    owner.declines = [PERMIT];
    await signUp(page);
    await waitUntilDeclined(page);
    expect(await page.getByText('Nothing has been charged').count()).toBeGreaterThan(0);
    await visit.expectSound();

    await page.reload();
    await page.getByText('Waiting for your approval').waitFor();
    const second = await chromium.tab(visit);
    await second.page.goto(page.url());
    await continuePayment(second.page);
    await second.page.getByText('Waiting for your approval').waitFor();

    // Only the first tab has the signature, so the second one sends a transaction.
    await connect(second.page);
    await second.page.getByText('Change the amount').click();
    await second.page.getByLabel('Another amount').check();
    await second.page.getByLabel('Amount in USDC').fill('9');
    await second.page.getByText('The next charges need 10.00 USDC').waitFor();
    await second.page.getByLabel('Amount in USDC').fill('30');
    await second.expectSound();
    await second.page.getByRole('button', { name: 'Approve', exact: true }).click();
    await waitUntilActive(second.page);
    await waitUntilActive(page);
    expect(owner.mandates).toHaveLength(1);
    expect(owner.asked).toContain('eth_sendTransaction');

    const third = await chromium.tab(visit);
    await third.page.goto(url);
    await connect(third.page);
    await third.page.getByText('This wallet pays for Coffee Club already.').waitFor();
    expect(owner.mandates).toHaveLength(1);
    await expectInView(third.page, third.page.getByRole('link', { name: 'Open your portal' }));
    await third.expectSound();
    await third.page.getByRole('button', { name: 'Sign again' }).click();
    await agree(third.page);
    await third.page.getByText('No second subscription to Coffee Club was created').waitFor();
    await third.expectSound();
    expect(await onlySubscription(merchant)).toMatchObject({ status: 'active' });
    expect(await stage.chain.movedFrom(wallet.address)).toEqual([10_000_000n]);
  });

  it("asks again before it approves a sum with the wallet's other subscriptions, which it shows after the signature", async () => {
    const { page, owner, wallet, merchant, offerId, expectSound } = await stage.payerOf([MONTHLY]);
    await connect(page);
    await chooseAmount(page, '10');
    await agree(page);
    await waitUntilActive(page);
    const more = await merchant.call('POST', '/offers', { name: 'Tea Club', pricing: [MORE] });
    await page.goto(String(more['checkoutUrl']));
    await connect(page);
    await page.getByText('If this wallet has other subscriptions').waitFor();
    expect(await page.locator('[data-part=total]').textContent()).toBe('240.00 USDC');
    await agree(page);
    await page.getByRole('button', { name: 'Sign the approval' }).waitFor();
    expect(await page.locator('[data-part=total]').textContent()).toBe('360.00 USDC');
    const rows = await page.locator('[data-part=consent] tbody tr').allInnerTexts();
    expect(rows.map((row) => row.split('\n')[0])).toEqual(['Tea Club', 'Coffee Club']);
    expect(owner.asked.filter((request) => request === PERMIT)).toHaveLength(1);
    await expectSound();
    await page.getByRole('button', { name: 'Sign the approval' }).click();
    await waitUntilActive(page);
    expect(await stage.chain.movedFrom(wallet.address)).toEqual([10_000_000n, 20_000_000n]);
    expect(await stage.chain.allowance(wallet.address, await stage.operatorOf({ offerId }))).toBe(340_000_000n);
  });

  it.each(DEVICES)('answers each tap at the button, on a %s', async (_name, view) => {
    const { page, owner, wallet, offerId, expectSound } = await stage.payerOf([MONTHLY], {
      change: { description: 'A long text. '.repeat(200) },
      has: 4_000_000n,
      ...view,
    });
    const inView = (element: Locator) => expectInView(page, element);
    // The only price and the only token are no choice.
    expect(await page.getByRole('radio').count()).toBe(0);
    await connect(page);
    await inView(page.getByText('This wallet has 4.00 USDC. 6.00 USDC is missing.'));
    expect(await page.getByRole('button', { name: 'Agree and approve' }).count()).toBe(0);
    expect(await page.getByText('Your wallet asks').count()).toBe(0);
    const top = async (part: string) => (await page.locator(`[data-part=${part}]`).boundingBox())?.y ?? Number.NaN;
    expect(await top('balance')).toBeLessThan(await top('consent'));
    await page.getByRole('button', { name: 'Add 6.00 USDC' }).click();
    await inView(page.getByRole('button', { name: 'Copy the address' }));
    expect(await page.getByRole('img', { name: 'QR code of this amount' }).count()).toBe(0);
    await expectSound();

    await stage.chain.give(wallet.address, 6_000_000n);
    await page.locator('[data-part=missing]').waitFor({ state: 'detached' });
    await page.getByText('Both are free of network fees').waitFor();
    owner.declines = [MANDATE];
    await agree(page);
    await inView(page.getByRole('alert'));
    await inView(page.getByRole('button', { name: 'Agree and approve' }));
    await page.getByRole('button', { name: 'Use another' }).click();
    await page.getByRole('button', { name: 'Connect Pocket' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);

    owner.declines = [PERMIT];
    await signUp(page);
    await inView(page.getByRole('alert'));
    await inView(page.getByRole('button', { name: 'Sign the approval' }));
    // It has happened elsewhere.
    await stage.chain.approve(wallet, await stage.operatorOf({ offerId }), 120_000_000n);
    await waitUntilActive(page);
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByText('End it without').click();
    owner.declines = ['eth_sendTransaction'];
    await takeBack(page);
    await inView(page.getByRole('alert'));
  });

  it('asks a wallet on another chain to switch, and explains a declined signature', async () => {
    const { page, owner, wallet, expectSound, merchant } = await stage.payerOf([MONTHLY, ONCE], { has: 100_000_000n });
    owner.chainId = 1;
    owner.knows = [1];
    owner.declines = ['wallet_switchEthereumChain'];
    await connect(page);
    await page.getByText('Your wallet is on another network than Local EVM').waitFor();
    await expectSound();
    await agree(page);
    await waitUntilDeclined(page);
    const subscriptions = async () => (await merchant.call('GET', '/subscriptions'))['subscriptions'];
    expect(await subscriptions()).toEqual([]);
    await page.getByRole('button', { name: 'Switch to Local EVM' }).click();
    await waitUntilDeclined(page);

    // The wallet refuses typed data of another chain, so the page switches it before it asks.
    owner.declines = [MANDATE];
    await agree(page);
    await page.getByText('Your wallet is on another network').waitFor({ state: 'detached' });
    await waitUntilDeclined(page);
    owner.declines = [];
    expect([await subscriptions(), owner.mandates]).toEqual([[], []]);
    expect([owner.chainId, owner.asked.includes('wallet_addEthereumChain')]).toEqual([31_337, true]);

    // A later choice is paid with the same wallet, without another connection.
    await page.getByLabel('Once').check();
    await page.getByText('enough for 1 charge').waitFor();
    await agree(page);
    await page.locator(RESULT).getByText('Paid', { exact: true }).waitFor();
    await expectSound();
    expect(await stage.chain.movedFrom(wallet.address)).toEqual([25_000_000n]);
    expect(await subscriptions()).toEqual([]);

    await page.getByRole('button', { name: 'Start again' }).click();
    await page.getByRole('button', { name: 'Connect Pocket' }).waitFor();
    expect(new URL(page.url()).hash).toBe('');
  });

  it('adds the local network to a wallet that was connected before the page knew that network', async () => {
    const { url } = await stage.sale([MONTHLY]);
    const { page, owner } = await stage.payer({ has: 0n });
    owner.chainId = 1;
    owner.knows = [1];
    const asked = new Promise<Route>((resolve) => void page.route('**/devnet.json', resolve));
    await page.goto(url);
    await connect(page);
    await page.getByRole('button', { name: 'Switch to Local EVM' }).click();
    await until(
      'the wallet has been asked to switch',
      async () => owner.asked,
      (methods) => methods.includes('wallet_switchEthereumChain'),
    );
    await (await asked).continue();
    await page.getByText('Your wallet is on another network').waitFor({ state: 'detached' });
    expect([owner.chainId, owner.knows]).toEqual([31_337, [1, 31_337]]);
  });

  it('shows that the offer was sold out meanwhile', async () => {
    const { page, owner, expectSound, forgive, merchant, offerId } = await stage.payerOf([ONCE], {
      change: { availableQuantity: 1 },
      has: 100_000_000n,
    });
    await connect(page);
    await page.getByRole('heading', { name: 'What you approve' }).waitFor();
    await merchant.call('PATCH', `/offers/${offerId}`, { availableQuantity: 0 });
    await agree(page);
    await page.getByText('It is sold out. Nothing has been charged.').waitFor();
    // The offer's refusal, and the missing session.
    forgive(/40[04]/);
    await expectSound();
    expect(owner.asked).not.toContain(PERMIT);
    expect((await merchant.call('GET', '/payments'))['payments']).toEqual([]);
  });

  it('is paid by a transfer to an address, without any wallet in the browser, by the keyboard', async () => {
    const thanks = `${stage.url}/docs`;
    const { page, expectSound, forgive, merchant } = await stage.visitorOf([ONCE], {
      change: { afterCompletion: { redirect: thanks } },
      colorScheme: 'dark',
    });
    await chooseTransfer(page);
    expect(await page.title()).toMatch(/^Pay by a transfer – Coffee Club/);
    await page.getByRole('button', { name: 'Show the address' }).press('Enter');
    await focusIs(page, 'Waiting for your transfer');
    const address = await depositAddress(page);
    expect(await page.locator('[data-part=deposit-amount]').textContent()).toBe('25.00 USDC');
    expect(await page.locator('[data-part=countdown]').textContent()).toMatch(/^(60:00|59:\d\d) left/);
    await expectSound();
    // It does not start again if the service cannot report the result.
    await page.route('**/checkout/api/sessions/**', (route) => route.fulfill({ status: 503, json: { error: 'busy' } }));
    await page.reload();
    await page.getByRole('heading', { name: 'The service has a problem' }).waitFor();
    expect(await page.getByText('Nothing has been charged').count()).toBe(0);
    forgive(/503/);
    await page.unroute('**/checkout/api/sessions/**');
    await page.reload();
    expect(await page.locator('[data-part=deposit-address]').textContent()).toBe(address);
    await page.getByRole('img', { name: 'QR code of this transfer' }).waitFor();
    await page.getByRole('button', { name: 'Show a code for exchanges' }).click();
    await page.getByRole('img', { name: 'QR code of the address' }).waitFor();
    await expectSound();
    // As a wallet fills it in from the link (EIP-681).
    const link = (await page.locator('[data-part=transfer-link]').getAttribute('href')) ?? '';
    const [, token, chainId, to, value = '0'] =
      /^ethereum:(\w+)@(\d+)\/transfer\?address=(\w+)&uint256=(\d+)$/.exec(link) ?? [];
    expect([token, chainId, to]).toEqual([stage.chain.token, '31337', address]);
    await page.evaluate(`window.region = document.querySelector('.card [role=status]')`);
    await stage.chain.give(address, BigInt(value));
    await waitUntilReceived(page);
    expect(await page.title()).toMatch(/^Paid – Coffee Club/);
    expect(await page.evaluate('region.isConnected && region.innerText')).toContain('has received your payment');
    await page.getByRole('button', { name: 'Stay here' }).press('Enter');
    await focusIs(page, 'Receipt');
    await expectSound();
    const kept = await visitReceipt(page);
    expect(await kept.page.locator('dl').textContent()).toMatch(/25\.00 USDC.+Your transfer0x.+Transaction0x/);
    await page.getByRole('link', { name: /^Continue to/ }).click();
    // The merchant's page gets the ids, and can ask the API for them.
    await page.waitForURL(`${thanks}?sessionId=*`);
    const { searchParams } = new URL(page.url());
    const paid = await merchant.call('GET', `/payments/${searchParams.get('paymentId')}`);
    expect(paid).toMatchObject({ status: 'settled', idempotencyKey: `checkout:${searchParams.get('sessionId')}` });
  });

  it('finds a transfer again in the same browser, until its end was seen', async () => {
    const visit = await stage.visitorOf([ONCE], PHONE_390);
    const { page, url, merchant } = visit;
    await chooseTransfer(page);
    const address = await openTransfer(page);
    await page.getByText('Open the same link again in this browser').waitFor();
    // A phone cannot scan its own screen.
    expect(await page.locator('svg.qr').count()).toBe(0);
    await page.getByRole('link', { name: 'Open in your wallet' }).waitFor();
    await page.close();

    const second = await chromium.tab(visit);
    await second.page.goto(url);
    await second.page.getByText(/25\.00 USDC for Coffee Club\. Nothing has arrived yet\./).waitFor();
    await second.expectSound();
    await continueTransfer(second.page);
    expect(await depositAddress(second.page)).toBe(address);
    const { hash } = new URL(second.page.url());
    await second.page.close();
    const third = await chromium.tab(visit);
    await third.page.goto(url);
    await third.page.getByRole('button', { name: 'Begin a new purchase' }).click();
    await third.page.getByRole('button', { name: 'Show the address' }).waitFor();
    await third.page.close();

    // While no tab is open.
    await stage.chain.give(address, 25_000_000n);
    await until(
      'the payment is settled',
      async () => (await merchant.api.payments.list()).payments,
      ([payment]) => payment?.status === 'settled',
    );
    const fourth = await chromium.tab(visit);
    await fourth.page.goto(url);
    await fourth.page.getByRole('heading', { name: 'Your earlier transfer' }).waitFor();
    await fourth.expectSound();
    await fourth.page.getByRole('button', { name: 'Continue this transfer' }).click();
    await waitUntilReceived(fourth.page);
    expect(new URL(fourth.page.url()).hash).toBe(hash);
    await fourth.page.close();
    const fifth = await chromium.tab(visit);
    await fifth.page.goto(url);
    await fifth.page.getByRole('button', { name: 'Show the address' }).waitFor();
  });

  it('tells who has closed the tab between signature and approval what is paid, not of an earlier subscription', async () => {
    const { page, owner, wallet, url, ...visit } = await stage.payerOf([MONTHLY]);
    owner.declines = [PERMIT];
    await signUp(page);
    await waitUntilDeclined(page);
    const second = await chromium.tab({ page, ...visit });
    await page.close();
    owner.declines = [];
    await subscribe(second.page, url);
    await second.page.locator('[data-part=receipt]').getByText('10.00 USDC on').waitFor();
    await second.expectSound();
    expect(await stage.chain.movedFrom(wallet.address)).toEqual([10_000_000n]);
  });

  it('helps somebody who has none of the four wallet apps on their phone', async () => {
    const { page, url, expectSound } = await stage.visitorOf([MONTHLY], {
      ...PHONE_390,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.getByText('I use another wallet app').click();
    const okx = (await page.getByRole('link', { name: 'Open in OKX Wallet' }).getAttribute('href')) ?? '';
    const opened = new URL(new URL(okx).searchParams.get('deeplink') ?? '').searchParams.get('dappUrl') ?? '';
    expect(opened.startsWith(`${url}#session=`)).toBe(true);
    await page.getByRole('button', { name: 'Copy the link' }).click();
    await page.getByText('Copied the link.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(opened);
    await page.getByText('I have no wallet yet').click();
    await page.getByText('put USDC on Local EVM into it').waitFor();
    expect(await page.getByRole('link', { name: 'MetaMask', exact: true }).getAttribute('href')).toBe(
      'https://metamask.io/download',
    );
    expect(await page.locator('svg.qr').count()).toBe(0);
    await expectSound();
  });

  it('shows the code for a phone above the bar of a computer, with its link', async () => {
    const { page, expectSound } = await stage.visitorOf([MONTHLY, MORE], {
      ...DESKTOP_800,
      change: { collectFields: { email: true, name: true } },
    });
    await page.getByRole('button', { name: 'Continue on your phone' }).click();
    const code = page.getByRole('img', { name: 'QR code of this page' });
    await expectInView(page, code);
    const { y = Number.NaN, height = 0 } = (await code.boundingBox()) ?? {};
    const bar = await page.locator('[data-part=order-bar]').boundingBox();
    expect(y + height).toBeLessThanOrEqual(bar?.y ?? 0);
    await page.getByRole('button', { name: 'Copy the link' }).waitFor();
    await expectSound();
  });

  it('keeps what a transfer brings too much until the payer names an address, and sends it there', async () => {
    const { page, expectSound, forgive } = await stage.visitorOf([ONCE]);
    const own = Wallet.createRandom().address;
    await chooseTransfer(page);
    const field = page.getByLabel('Your address for refunds');
    await field.fill('not an address');
    await page.getByRole('button', { name: 'Show the address' }).click();
    await page.getByText('The address must be').waitFor();
    forgive(/400 .*\/payments/);
    await expectSound();
    await field.fill('');
    const address = await openTransfer(page);
    await page.getByText('You have named no address for refunds.').waitFor();
    await stage.chain.give(address, 30_000_000n);
    await waitUntilReceived(page);
    await page.getByText('5.00 USDC is kept for you.').waitFor();
    await expectSound();

    // The same after a reload.
    await page.reload();
    await field.fill(address);
    await page.getByRole('button', { name: 'Save the address' }).click();
    await page.getByText('This is the address that you pay to.').waitFor();
    forgive(/400 .*\/refund-wallet/);
    await field.fill(own);
    await page.getByRole('button', { name: 'Save the address' }).click();
    await page.getByText(`5.00 USDC was sent to ${own}.`).waitFor();
    await expectSound();
    expect(await stage.chain.movedTo(own)).toEqual([5_000_000n]);
  });

  it('says that the offer was sold out before the transfer arrived, and what happens to the money', async () => {
    const { page, expectSound, merchant, offerId } = await stage.visitorOf([ONCE], {
      change: { availableQuantity: 1 },
    });
    const own = Wallet.createRandom().address;
    await chooseTransfer(page);
    const address = await openTransfer(page);
    await merchant.call('PATCH', `/offers/${offerId}`, { availableQuantity: 0 });
    await page.getByText('Do not send anything now.').waitFor();
    expect(await page.locator('[data-part=deposit-address]').count()).toBe(0);
    await expectSound();
    await stage.chain.give(address, 25_000_000n);
    await page.getByText('The last one was sold before your transfer arrived.').waitFor();
    await page.getByText('25.00 USDC is kept for you.').waitFor();
    await expectSound();
    await saveRefundAddress(page, own);
    await page.getByText(`25.00 USDC was sent to ${own}.`).waitFor();
    expect([await stage.chain.movedTo(own), await stage.chain.movedFrom(address)]).toEqual([
      [25_000_000n],
      [25_000_000n],
    ]);
  });

  it('asks before it uses the session that a link names, and sends the excess to the address that the payer corrected', async () => {
    const { url } = await stage.sale([ONCE]);
    const strangersKey = 'a'.repeat(43);
    const { page, expectSound } = await chromium.visit({ at: `${url}#session=${strangersKey}` });
    await page.getByRole('heading', { name: 'Did you begin this payment?' }).waitFor();
    await expectSound();
    await page.getByRole('button', { name: 'No, begin a new one' }).click();
    const [first, own] = [Wallet.createRandom().address, Wallet.createRandom().address];
    await chooseTransfer(page);
    await page.getByLabel('Your address for refunds').fill(first);
    const address = await openTransfer(page);
    await page.locator('[data-part=refund]').getByText(first).waitFor();
    await page.getByRole('button', { name: 'Change the address for refunds' }).click();
    await saveRefundAddress(page, own);
    await page.locator('[data-part=refund]').getByText(own).waitFor();

    const strangers = `${stage.url}/checkout/api/sessions/${strangersKey}`;
    const named = await fetch(`${strangers}/refund-wallet`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ refundWallet: stage.chain.wallet('merchant').address }),
    });
    expect([named.status, await (await fetch(`${strangers}/found`)).json()]).toEqual([404, { session: null }]);
    await stage.chain.give(address, 26_000_000n);
    await page.getByText(`1.00 USDC was sent to ${own}.`).waitFor();
    expect([await stage.chain.movedTo(own), await stage.chain.movedTo(first)]).toEqual([[1_000_000n], []]);
    await page.reload();
    await page.getByText(`1.00 USDC was sent to ${own}.`).waitFor();
  });

  it('works completely with a test wallet, which signs in the page', async () => {
    const { page, expectSound, merchant, offerId } = await stage.visitorOf([MONTHLY]);
    await useTestWallet(page, 'payer-1');
    await agree(page);
    await waitUntilActive(page);
    await expectSound();
    const payerWallet = stage.chain.addressOf('payer-1');
    expect(await onlySubscription(merchant)).toMatchObject({ status: 'active', payerWallet });

    // After a cancel, it offers the exact transaction that revokes the allowance.
    const operator = await stage.operatorOf({ offerId });
    expect(await stage.chain.allowance(payerWallet, operator)).toBe(110_000_000n);
    await cancelSubscription(merchant);
    await page.reload();
    await page.getByText('This subscription has ended').waitFor();
    await page.locator('[data-part=wallet]').getByText('Test wallet payer-1').waitFor();
    const data = await page.locator('[data-part=revocation]').textContent();
    expect(data).toBe(`0x095ea7b3${operator.slice(2).toLowerCase().padStart(64, '0')}${'0'.repeat(64)}`);
    await expectSound();
    await page.getByRole('button', { name: /^Take it back/ }).click();
    await page.getByText('The approval is taken back').waitFor();
    expect(await stage.chain.allowance(payerWallet, operator)).toBe(0n);
  });

  it('shows the mandate before the signature, and ends the agreement on the contract afterwards', async () => {
    const { page, owner, wallet, expectSound, offerId } = await stage.payerOf([{ ...MONTHLY, maxCycles: 5 }]);
    await connect(page);
    const agreement = page.locator('[data-part=agreement]');
    await agreement.getByText('a contract on the chain keeps them').waitFor();
    expect(await agreement.getByText('At most 5 charges').isVisible()).toBe(true);
    await agreement.getByText('The exact text').click();
    const shown = await agreement.locator('pre').allInnerTexts();
    await expectSound();
    await agree(page);
    await waitUntilActive(page);
    const [signed] = owner.mandates;
    expect(shown[0]).toContain('I let ');
    expect(JSON.parse(shown[1] ?? '')).toEqual(signed);
    for (const payee of signed?.payees ?? []) expect(shown[1]).toContain(payee);

    // The payer needs nobody for it: the subscription is still active.
    await page.getByText('End it without').click();
    const data = await page.locator('[data-part=ending]').textContent();
    await expectSound();
    owner.declines = ['eth_sendTransaction'];
    await page.getByRole('button', { name: 'End the agreement with Pocket' }).click();
    await waitUntilDeclined(page);
    owner.declines = [];
    await page.getByRole('button', { name: 'End the agreement with Pocket' }).click();
    await page.getByText('The agreement has ended').waitFor();
    await takeBack(page);
    await page.getByText('The approval is taken back').waitFor();
    expect(await page.getByText('The agreement has ended').isVisible()).toBe(true);
    await expectSound();
    const ended = await stage.chain.provider.getLogs({ topics: [AGREEMENT_REVOKED], fromBlock: 0 });
    const [log] = ended.filter(({ topics }) => topics[1] === zeroPadValue(wallet.address, 32).toLowerCase());
    expect([log?.topics[2], log?.topics[3]]).toEqual([signed?.['merchant'], signed?.['agreement']]);
    const sent = log && (await stage.chain.provider.getTransaction(log.transactionHash));
    expect([sent?.to, sent?.data]).toEqual([log?.address, data]);
    expect(await stage.chain.allowance(wallet.address, await stage.operatorOf({ offerId }))).toBe(0n);

    // The service has seen it, so the page asks for no approval that would allow nothing.
    await until(
      'the service knows',
      async () => {
        await page.reload();
        return page.locator('[data-part=pay] h2').first().textContent();
      },
      (title) => title === 'The agreement has ended',
    );
    await page.getByRole('button', { name: 'Take it back with Pocket' }).waitFor();
    expect(await page.getByRole('button', { name: /^(Approve|Sign the approval|End the agreement)/ }).count()).toBe(0);
    await expectSound();
  });

  it('says calmly that nobody can sign while the merchant has no payout wallet', async () => {
    const merchant = await stage.merchant();
    const { checkoutUrl } = await merchant.call('POST', '/offers', { name: 'Coffee Club', pricing: [MONTHLY] });
    const { page, owner, expectSound, forgive } = await stage.payer({ has: 0n, at: String(checkoutUrl) });
    await connect(page);
    await page.getByText('This cannot be paid yet').waitFor();
    expect(await page.getByText('no payout wallet for USDC yet').isVisible()).toBe(true);
    expect(await page.getByRole('alert').count()).toBe(0);
    forgive(/400 .*\/challenges/);
    await expectSound();
    expect(owner.mandates).toEqual([]);

    const receiverWallet = stage.chain.wallet('payer-8').address;
    await merchant.call('POST', '/wallets', { tokenKey: TOKEN_KEY, receiverWallet });
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'What you sign' }).waitFor();
  });

  it('blocks other choices while the wallet is asked about the present one', async () => {
    const { page, owner, wallet, merchant } = await stage.payerOf([MONTHLY, MORE]);
    const answer = pondersMandate(owner);
    await signUp(page);
    await answer.asked;
    const other = page.getByLabel('More');
    if (await other.isEnabled()) await other.check();
    answer.give();
    await waitUntilActive(page);
    expect(await onlySubscription(merchant)).toMatchObject({ status: 'active' });
    expect(await stage.chain.movedFrom(wallet.address)).toEqual([10_000_000n]);
    expect(owner.mandates).toHaveLength(1);
  });

  it('continues with the last unit that was bought although its answer was lost', async () => {
    const { page, forgive } = await stage.payerOf([ONCE], { change: { availableQuantity: 1 }, has: 100_000_000n });
    await page.route('**/payments', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await signUp(page);
    await page.getByText('Waiting for your approval').waitFor();
    forgive(/ERR_FAILED/);
    await page.unroute('**/payments');
    await page.getByRole('button', { name: 'Sign the approval' }).click();
    await waitUntilReceived(page);
  });

  it("asks the wallet's present account, not the one at the time of the request", async () => {
    const { page, owner, merchant } = await stage.payerOf([MONTHLY]);
    const latter = await stage.chain.newWallet(500_000_000n);
    const asked = new Promise<Route>((resolve) => void page.route('**/challenges', resolve, { times: 1 }));
    await connect(page);
    const late = await asked;
    owner.wallet = latter;
    await page.evaluate(`dispatchEvent(new Event('accountsChangedOfTest'))`);
    await connect(page);
    await page.getByRole('button', { name: 'Agree and approve' }).waitFor();
    const answer = page.waitForResponse('**/challenges');
    await late.continue();
    await (await answer).finished();
    await agree(page);
    await waitUntilActive(page);
    expect(owner.mandates.map(({ payer }) => payer)).toEqual([latter.address]);
    expect(await onlySubscription(merchant)).toMatchObject({ status: 'active', payerWallet: latter.address });
  });

  it('lets only the signing account approve', async () => {
    const { page, owner, wallet: former } = await stage.payerOf([MONTHLY]);
    const latter = await stage.chain.newWallet(500_000_000n);
    const answer = pondersMandate(owner);
    await signUp(page);
    await answer.asked;
    owner.wallet = latter;
    await page.evaluate(`dispatchEvent(new Event('accountsChangedOfTest'))`);
    await connect(page);
    await page.getByRole('button', { name: 'Agree and approve' }).waitFor();
    const signed = page.waitForResponse('**/subscriptions', { timeout: 3_000 }).catch(() => null);
    answer.give();
    await signed;
    await agree(page);
    await waitUntilActive(page);
    expect(owner.mandates.map(({ payer }) => payer)).toEqual([former.address, latter.address]);
  });

  it('continues after a reload with the choices and the wallet, without asking it again', async () => {
    const change = { collectFields: { email: true } };
    const { page, owner, expectSound } = await stage.payerOf([MONTHLY, MORE], { change });
    await page.getByLabel('More').check();
    await page.getByLabel('Email').fill('ada@example.com');
    await connect(page);
    await chooseAmount(page, '60');
    await page.reload();
    await page.getByRole('heading', { name: 'What you approve' }).waitFor();
    expect(await page.getByLabel('More').isChecked()).toBe(true);
    expect(await page.getByLabel('Email').inputValue()).toBe('ada@example.com');
    expect(await page.getByLabel('Amount in USDC').inputValue()).toBe('60');
    expect(owner.asked.filter((method) => method === 'eth_requestAccounts')).toHaveLength(1);
    await expectSound();

    // Another price has its own number, and the owner must connect another account.
    await page.getByLabel('Subscription').check();
    await page.getByText('enough for 12 charges').waitFor();
    owner.wallet = await stage.chain.newWallet(0n);
    await page.reload();
    await page.getByRole('button', { name: 'Connect Pocket' }).waitFor();
    expect(await page.getByLabel('Subscription').isChecked()).toBe(true);
    await connect(page);
    expect(await page.getByLabel('Another amount').isChecked()).toBe(false);
  });

  it('leads the keyboard from step to step, names each in its title, and announces the result', async () => {
    const { page, owner, expectSound } = await stage.payerOf([ONCE], { has: 100_000_000n });
    owner.declines = [PERMIT];
    const connect = page.getByRole('button', { name: 'Connect Pocket' });
    await connect.waitFor();
    expect(await focusOf(page)).toBe('body');
    expect(await page.title()).toMatch(/^Choose a wallet – Coffee Club – /);
    await page.evaluate(`window.region = document.querySelector('[data-part=pay] [role=status]')`);
    await connect.press('Enter');
    await focusIs(page, 'What you approve');
    expect(await page.title()).toMatch(/^What you approve – Coffee Club/);
    await page.getByRole('button', { name: 'Agree and approve' }).press('Enter');
    await focusIs(page, 'Waiting for your approval');
    await waitUntilDeclined(page);
    owner.declines = [];
    await page.getByRole('button', { name: 'Sign the approval' }).press('Enter');
    await focusIs(page, 'Paid');
    expect(await page.title()).toMatch(/^Paid – Coffee Club/);
    expect(await page.evaluate('region.isConnected && region.innerText')).toContain('has received your payment');
    await expectSound();
    await page.getByRole('button', { name: 'Start again' }).press('Enter');
    await focusIs(page, 'Coffee Club');
  });

  it.each(['offer_00000000000000000000000000', `authorize/${'a'.repeat(43)}`])(
    'shows what to do about the invalid link /checkout/%s',
    async (link) => {
      const { page, expectSound, forgive } = await chromium.visit({ at: `${stage.url}/checkout/${link}` });
      await page.getByRole('heading', { name: 'This address does not work' }).waitFor();
      forgive(/404/);
      await expectSound();
    },
  );

  it('requests an approval again that the wallet has canceled, or lowered: with both amounts and one button', async () => {
    const { page, owner, wallet, expectSound, offerId } = await stage.payerOf([MONTHLY]);
    owner.declines = [PERMIT];
    await signUp(page);
    await waitUntilDeclined(page);
    await page.getByLabel('Approve with a transaction').check();
    owner.replaces = true;
    await approve(page);
    await page.getByText('Your approval is on its way').waitFor();
    await expectSound();
    await page.getByRole('button', { name: 'Approve again' }).click();
    await approve(page);
    await page.getByText('Your approval is on its way').waitFor();
    await stage.chain.approve(wallet, await stage.operatorOf({ offerId }), 5_000_000n);
    await page.getByText('It is for 5.00 USDC, but the next charges need 10.00 USDC. Approve again').waitFor();
    await page.getByText('Your approval is on its way').waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: /approv/i }).allTextContents()).toEqual(['Approve']);
    await expectSound();
    owner.replaces = false;
    await approve(page);
    await waitUntilActive(page);
  });

  it('sends a revocation again that was declined or canceled in the wallet, sees one that was sped up, and can be subscribed to again', async () => {
    const { page, owner, wallet, url, expectSound, merchant, offerId } = await stage.payerOf([MONTHLY]);
    await subscribe(page);
    await cancelSubscription(merchant);
    // The tab remembers it.
    await page.goto('about:blank');
    await page.goto(url);
    await page.getByText('This subscription has ended').waitFor();
    owner.declines = ['eth_sendTransaction'];
    await takeBack(page);
    await waitUntilDeclined(page);
    expect(await page.getByText('Nothing has been charged').count()).toBe(0);
    owner.declines = [];
    owner.replaces = true;
    await takeBack(page);
    await page.getByText('The transaction is on its way').waitFor();
    await expectSound();
    await page.getByRole('button', { name: 'Take it back again' }).click();
    await takeBack(page);
    await page.getByText('The transaction is on its way').waitFor();
    // A sped up transaction is another one, whose hash the page never gets.
    await stage.chain.approve(wallet, await stage.operatorOf({ offerId }), 0n);
    await page.getByText('The approval is taken back').waitFor();

    owner.replaces = false;
    await page.getByRole('button', { name: 'Start again' }).click();
    await connect(page);
    await agree(page);
    await waitUntilActive(page);
    const { subscriptions } = await merchant.api.subscriptions.list();
    expect(subscriptions.map(({ status }) => status).sort()).toEqual(['active', 'canceled']);
  });

  it("counts the time for a transfer by the service's clock, and shows that copying failed, and what to do instead", async () => {
    const { url } = await stage.sale([ONCE]);
    const inject = `Object.defineProperty(navigator, 'clipboard', { value: undefined });`;
    const { page } = await chromium.visit({ inject });
    await page.clock.setFixedTime(Date.now() + 2 * 3_600_000);
    await page.goto(url);
    await chooseTransfer(page);
    await page.getByRole('button', { name: 'Show the address' }).click();
    expect(await page.locator('[data-part=countdown]').textContent()).toMatch(/^(60:00|59:\d\d) left/);
    await page.getByRole('button', { name: 'Copy the address' }).click();
    await page.getByText('could not be copied').waitFor();
  });

  it('leads the keyboard to the error, not to the first field', async () => {
    const { page } = await stage.visitorOf([ONCE], {
      change: { collectFields: { email: true, name: true, country: true } },
    });
    await chooseTransfer(page);
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByRole('button', { name: 'Show the address' }).click();
    await page.getByText('Name is needed.').waitFor();
    expect(await page.getByLabel('Name').evaluate((field) => field.matches(':focus'))).toBe(true);
    await page.getByLabel('Name').fill('Ada');
    await page.getByRole('button', { name: 'Show the address' }).click();
    await page.getByText('Country is needed.').waitFor();
    expect(await page.getByLabel('Country').evaluate((field) => field.matches(':focus'))).toBe(true);
  });

  it('lowers a one-time price by a code, from a wallet and by a transfer, and shows both prices before', async () => {
    const sale = await stage.sale([ONCE]);
    const { coupons } = sale.merchant.api;
    const { id: couponId } = await coupons.create({ code: 'WELCOME', percentOff: '20', cycles: 3 });
    const shop = await stage.payer({ at: `${sale.url}?coupon=welcome`, ...PHONE_390 });
    const { page } = shop;
    const less = (of: Page) => of.locator('[data-part=coupon]').getByText('20% off', { exact: true });
    await less(page).waitFor();
    const order = page.locator('[data-part=order]');
    await order.getByText('full price 25.00 USDC').waitFor();
    expect(await order.textContent()).toBe('Today 20.00 USDC (20% off; full price 25.00 USDC)');
    await chooseTransfer(page);
    expect(await order.textContent()).toContain('full price 25.00 USDC');
    await page.getByLabel('A wallet in this browser').check();
    await connect(page);
    await agree(page);
    await waitUntilReceived(page);
    await shop.expectSound();
    expect(await stage.chain.movedFrom(shop.wallet.address)).toEqual([20_000_000n]);
    const { redemptions } = await coupons.redemptions(couponId);
    expect(redemptions).toMatchObject([{ subscriptionId: null, releasedAt: null }]);
    const other = await stage.payer({ at: `${sale.url}?coupon=welcome` });
    await less(other.page).waitFor();
    await chooseTransfer(other.page);
    await openTransfer(other.page);
    expect(await other.page.locator('[data-part=deposit-amount]').textContent()).toBe('20.00 USDC');
  });

  it('shows what happens to a transfer that was too small', async () => {
    const { page } = await stage.visitorOf([ONCE]);
    await page.route('**/checkout/api/sessions/**', async (route) => {
      const response = await route.fetch();
      const { deposit, outcome, ...session } = await response.json();
      const payment = { ...outcome.payment, status: 'failed', failureReason: 'insufficient_balance' };
      const over = { ...outcome, progress: 'ended', waitsFor: null, payment };
      await route.fulfill({
        response,
        json: { ...session, deposit: { ...deposit, address: null, arrived: '4.00', confirmed: '4.00' }, outcome: over },
      });
    });
    await chooseTransfer(page);
    await page.getByRole('button', { name: 'Show the address' }).click();
    await page.getByText('The payment has failed').waitFor();
    expect(await page.getByText('4.00 of 25.00 USDC').count()).toBe(1);
    expect(await page.getByText('Send more to it').count()).toBe(0);
  });
});

/** The owner ponders a mandate, from `asked` until `give`. */
function pondersMandate(owner: Owner) {
  let give = () => {};
  const answered = new Promise<void>((resolve) => {
    give = resolve;
  });
  const asked = new Promise<void>((resolve) => {
    owner.ponders = async (method) => {
      if (method !== MANDATE) return;
      resolve();
      await answered;
    };
  });
  return { asked, give: () => give() };
}
