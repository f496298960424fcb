import type { Page } from 'playwright-core';
import { freePort } from '../../scripts/lib/free-port.ts';
import { until } from '../../stage/until.ts';
import { CHROMIUM, describeInChromium, PHONE } from '../support/browser.ts';
import { agree, approve, waitUntilActive, waitUntilDeclined } from './support/checkout-page.ts';
import { confirm, showPage, visitDashboard } from './support/dashboard-page.ts';
import { MONTHLY, ONCE, PageStage } from './support/page-stage.ts';
import { MANDATE, PERMIT } from './support/page-wallet.ts';
import { RemoteWallet } from './support/remote-wallet.ts';
import { WalletConnectRelay } from './support/walletconnect-relay.ts';

/**
 * Wallets on another device than the page. The relay is a stand-in for the public one, the wallet is the real library
 * with a real key, and the judge of the money is the chain.
 */
const port = CHROMIUM === null ? 0 : await freePort();
const RELAY_URL = `ws://127.0.0.1:${port}`;
const stage = new PageStage({ WALLETCONNECT_PROJECT_ID: 'of-the-operator', WALLETCONNECT_RELAY_URL: RELAY_URL });
const { chromium } = stage;

let relay: WalletConnectRelay | null = null;
const wallets: RemoteWallet[] = [];

beforeAll(async () => {
  if (CHROMIUM !== null) relay = await WalletConnectRelay.listen(port);
});
afterEach(async () => {
  for (const wallet of wallets.splice(0)) await wallet.close();
});
afterAll(() => relay?.close());

async function remoteWallet() {
  const wallet = await stage.chain.newWallet('500');
  const remote = await RemoteWallet.open(RELAY_URL, wallet);
  wallets.push(remote);
  return { remote, wallet };
}

async function codeOn(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'WalletConnect', exact: true }).click();
  const uri = await page.locator('a[href^="wc:"]').getAttribute('href');
  expect(uri).toMatch(/^wc:[0-9a-f]{64}@2\?/);
  return uri ?? '';
}

describeInChromium('WalletConnect at the checkout', () => {
  it('pairs by the code, survives a reload, and pays', async () => {
    const { url } = await stage.sale([MONTHLY]);
    const { remote, wallet } = await remoteWallet();
    // A wallet in the browser may be there too.
    const { page, expectSound } = await stage.payer({ has: 0n });
    const scripts: string[] = [];
    page.on('request', (request) => scripts.push(new URL(request.url()).pathname));
    const sockets: string[] = [];
    page.on('websocket', (socket) => sockets.push(new URL(socket.url()).origin));
    await page.goto(url);
    await page.getByRole('button', { name: 'Connect Pocket' }).waitFor();
    await page.getByRole('button', { name: 'WalletConnect', exact: true }).waitFor();
    const library = () => scripts.filter((path) => path.startsWith('/assets/walletconnect-client'));
    expect([library(), sockets]).toEqual([[], []]);

    remote.grant = null;
    await remote.pair(await codeOn(page));
    expect(library()).not.toEqual([]);
    await waitUntilDeclined(page);
    remote.grant = { chainIds: [31_337], methods: ['personal_sign', 'eth_signTypedData_v4', 'eth_sendTransaction'] };
    const uri = await codeOn(page);
    await page.getByRole('img', { name: 'QR code of WalletConnect' }).waitFor();
    await expectSound();
    await remote.pair(uri);
    await page.getByText('Satchel (WalletConnect)').waitFor();
    await page.getByRole('heading', { name: 'What you approve' }).waitFor();
    expect(remote.connected).toEqual([stage.url]);
    await page.reload();
    await page.getByText('Satchel (WalletConnect)').waitFor();
    remote.owner.declines = [MANDATE];
    await agree(page);
    await waitUntilDeclined(page);
    remote.owner.declines = [];
    await agree(page);
    await waitUntilActive(page);
    expect(remote.owner.asked).toEqual([MANDATE, MANDATE, PERMIT]);
    expect(await stage.chain.movedFrom(wallet.address)).toEqual([10_000_000n]);
    expect([...new Set(sockets)]).toEqual([RELAY_URL]);

    // The wallet reads no contract for the page, so the service says when the agreement is over.
    await page.getByText('End it without').click();
    await page.getByRole('button', { name: 'End the agreement with Satchel' }).click();
    await page.getByText('The agreement has ended').waitFor();
    expect(remote.owner.asked.at(-1)).toBe('eth_sendTransaction');
  });

  it('offers the apps of a phone, and sends the approval as a transaction', async () => {
    const { url } = await stage.sale([MONTHLY]);
    const { remote, wallet } = await remoteWallet();
    const { page, expectSound } = await chromium.visit({ at: url, ...PHONE });
    const uri = await codeOn(page);
    const links = page.locator('[data-part=pairing-apps] a');
    expect(await links.allTextContents()).toEqual(
      ['a wallet app', 'MetaMask', 'Trust Wallet', 'Rainbow'].map((name) => `Open ${name}`),
    );
    const [, ...apps] = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    expect(apps.map((href) => new URL(href).searchParams.get('uri'))).toEqual([uri, uri, uri]);
    await expectSound();
    await remote.pair(uri);
    remote.owner.declines = [PERMIT];
    await agree(page);
    await waitUntilDeclined(page);
    await page.getByLabel('Approve with a transaction instead of a signature').check();
    await approve(page);
    await waitUntilActive(page);
    expect(remote.owner.asked).toContain('eth_sendTransaction');
    // The wallet's library tells the relay about the transaction; the page does not.
    expect([...(relay?.told ?? [])]).toEqual(['of-the-wallet']);
    expect(await stage.chain.movedFrom(wallet.address)).toEqual([10_000_000n]);
  });

  it('says what a wallet cannot do, and forgets one that the payer does not want', async () => {
    const { url } = await stage.sale([MONTHLY]);
    const { remote } = await remoteWallet();
    const { page, expectSound } = await chromium.visit({ at: url });
    await codeOn(page);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.locator('a[href^="wc:"]').waitFor({ state: 'detached' });
    expect(await page.getByText('Declined in your wallet').count()).toBe(0);

    remote.grant = { chainIds: [31_337], methods: ['personal_sign'] };
    await remote.pair(await codeOn(page));
    await agree(page);
    await page.getByText('cannot sign typed data (EIP-712)').waitFor();
    await page.getByRole('button', { name: 'Use another' }).click();
    await until(
      'the connection has ended in the wallet',
      async () => remote.connected,
      (pages) => pages.length === 0,
    );

    remote.grant = { chainIds: [1], methods: ['personal_sign', 'eth_signTypedData_v4', 'eth_sendTransaction'] };
    await remote.pair(await codeOn(page));
    await page.getByRole('button', { name: /^Switch to / }).click();
    await page.getByText('Satchel has not granted this network').waitFor();
    expect(remote.owner.asked).toEqual([]);
    await expectSound();
  });

  it('signs a wallet in at the portal', async () => {
    const { remote } = await remoteWallet();
    const { page, expectSound } = await chromium.visit({ at: `${stage.url}/portal` });
    await remote.pair(await codeOn(page));
    await page.getByRole('heading', { name: 'Your subscriptions' }).waitFor();
    expect(remote.owner.asked).toEqual(['personal_sign']);
    await expectSound();
  });

  it('sends a refund from the dashboard', async () => {
    const { merchant, url } = await stage.sale([MONTHLY]);
    const payer = await stage.subscriber(url);
    const [payment] = (await merchant.api.payments.list()).payments;
    const { remote, wallet } = await remoteWallet();
    const { page, expectSound } = await visitDashboard(stage, merchant, 'member');
    await showPage(page, `test/payments/${payment?.id}`);
    await page.getByRole('button', { name: 'Refund', exact: true }).click();
    await page.getByRole('textbox', { name: 'Amount' }).fill('4');
    await confirm(page, 'Continue to your wallet');
    await remote.pair(await codeOn(page));
    await page.getByText('Satchel (WalletConnect)').waitFor();
    await expectSound();
    await page.getByRole('button', { name: 'Approve and send 4.00 USDC' }).click();
    await page.getByText('The payer has the money').waitFor();
    expect(remote.owner.asked).toEqual(['eth_sendTransaction', 'eth_sendTransaction']);
    expect(await stage.chain.movedFrom(wallet.address)).toEqual([4_000_000n]);
    expect(await stage.chain.movedTo(payer.address)).toContain(4_000_000n);
  });

  it('says that a code has expired, and that the relay does not answer', async () => {
    const { url } = await stage.sale([ONCE]);
    const { page, forgive } = await chromium.visit();
    await page.clock.install();
    await page.goto(url);
    await page.getByRole('radio', { name: 'A wallet, in this browser or on another device' }).waitFor();
    const first = await codeOn(page);
    // Before the five minutes of the library are over.
    await page.clock.fastForward('04:55');
    await page.getByText('The code has expired').waitFor();
    expect(await codeOn(page)).not.toBe(first);
    await page.getByRole('button', { name: 'Cancel' }).click();

    await relay?.close();
    await page.getByRole('button', { name: 'WalletConnect', exact: true }).click();
    await page.getByText('WalletConnect does not answer').waitFor();
    forgive(/WebSocket connection to 'ws:\/\/127\.0\.0\.1/);
    await page.close();
  });
});
