import { Interface, type Wallet } from 'ethers';
import { z } from 'zod';
import { solanaWorld } from '../../devnet/solana-world.ts';
import type { MerchantClient } from '../../stage/merchant-client.ts';
import { until } from '../../stage/until.ts';
import { Chromium, describeInChromium, focusOf, NARROW, type VisitOptions } from '../support/browser.ts';
import { SolanaUser } from '../support/solana.ts';
import { agree, connect, subscribe, waitUntilActive } from './support/checkout-page.ts';
import { visitWithWallet } from './support/page-wallet.ts';
import { visitWithSolanaWallet } from './support/solana-wallet.ts';
import { MONTHLY, type Sale, Town } from './support/town.ts';

const town = new Town({ LOCAL_DEVNETS: 'on' });
const chromium = new Chromium();

const subscriptionsSchema = z.object({ subscriptions: z.array(z.looseObject({ id: z.string() })) });
const eventsSchema = z.object({ events: z.array(z.looseObject({ event: z.string() })) });

const SOLANA_KEY = 'usdc-solana';

const LOOKS: readonly VisitOptions[] = [
  { colorScheme: 'light' },
  { colorScheme: 'dark' },
  { colorScheme: 'light', viewport: NARROW },
  { colorScheme: 'dark', viewport: NARROW },
];

/** A wallet that has paid its first cycle at the checkout. */
async function subscriber(sale: Sale): Promise<Wallet> {
  const wallet = await town.newPayer(500_000_000n);
  const { page } = await visitWithWallet(chromium, wallet);
  await subscribe(page, sale.url);
  expect(await town.movedFrom(wallet.address)).toEqual([10_000_000n]);
  return wallet;
}

async function visitPortal(wallet: Wallet, options: VisitOptions = {}) {
  const visit = await visitWithWallet(chromium, wallet, options);
  await visit.page.goto(`${town.service.url}/portal`);
  await visit.page.getByRole('button', { name: 'Connect Pocket' }).waitFor();
  return visit;
}

async function seenBy(merchant: MerchantClient) {
  const { subscriptions } = subscriptionsSchema.parse(await merchant.call('GET', '/subscriptions'));
  const [subscription] = subscriptions;
  if (subscription === undefined || subscriptions.length > 1) throw new Error('the merchant has not one subscription');
  return subscription;
}

async function solanaUrl(): Promise<string> {
  const described = await (await fetch(`${town.service.url}/devnet.json`)).json();
  return z.object({ solana: z.object({ rpcUrl: z.string() }) }).parse(described).solana.rpcUrl;
}

async function canceledEvents(merchant: MerchantClient) {
  const { events } = eventsSchema.parse(await merchant.call('GET', '/events'));
  return events.filter(({ event }) => event === 'subscription.canceled');
}

describeInChromium('the portal in Chromium', () => {
  it('signs a wallet in, and ends its subscription: at the end of the period, not at all, and now', async () => {
    const sale = await town.sale([MONTHLY]);
    const { merchant } = sale;
    const wallet = await subscriber(sale);
    const visit = await visitPortal(wallet, { viewport: NARROW });
    const { page, owner } = visit;
    expect(await page.title()).toBe('Sign in with your wallet');
    await visit.expectSound();

    owner.declines = ['personal_sign'];
    await connect(page);
    await page.getByText('You are not signed in.').waitFor();
    owner.declines = [];
    await connect(page);
    await page.getByRole('heading', { name: 'Your subscriptions' }).waitFor();
    await page.getByText('Next charge: 10.00 USD on').waitFor();
    expect([await focusOf(page), await page.title()]).toEqual(['Your subscriptions', 'Your subscriptions']);
    await visit.expectSound();

    await page.getByRole('button', { name: 'Manage Coffee Club' }).click();
    await page.getByRole('heading', { name: 'Coffee Club', exact: true }).waitFor();
    await page.locator('[data-part=receipts]').getByText('10.00 USDC').waitFor();
    expect(await page.locator('[data-part=receipts]').getByText('Paid', { exact: true }).count()).toBe(1);
    expect(await page.locator('[data-part=allowance-left]').textContent()).toBe('110.00 USDC');
    await page.getByText('The limits that you have signed').click();
    await page.getByText('Most for one charge').waitFor();
    expect(await page.title()).toMatch(/^Active – Coffee Club – /);
    await visit.expectSound();

    await page.getByRole('button', { name: /^End on / }).click();
    await page.getByRole('dialog').getByText('you can take this back').waitFor();
    await visit.expectSound();
    await page.getByRole('button', { name: /^End it on / }).click();
    await page
      .locator('[data-part=state]')
      .getByText(/^Ends on /)
      .waitFor();
    const scheduled = await seenBy(merchant);
    expect(scheduled).toMatchObject({ status: 'active', cancelAt: scheduled['currentPeriodEnd'] });
    expect([scheduled['cancelAt'], await page.title()]).toEqual([
      expect.any(String),
      expect.stringMatching(/^Ends on .* – Coffee Club – /),
    ]);
    await visit.expectSound();

    await page.reload();
    await page.getByRole('button', { name: 'Keep the subscription' }).click();
    await page.locator('[data-part=state]').getByText('Active', { exact: true }).waitFor();
    expect(await seenBy(merchant)).toMatchObject({ status: 'active', cancelAt: null });
    expect(await canceledEvents(merchant)).toEqual([]);

    await page.getByRole('button', { name: 'End now' }).click();
    await page.getByRole('button', { name: 'End it now' }).click();
    await page.locator('[data-part=state][data-status=canceled]').waitFor();
    expect(await page.locator('[data-part=end]').count()).toBe(0);
    expect(await focusOf(page)).not.toBe('body');
    expect(await seenBy(merchant)).toMatchObject({ status: 'canceled' });
    await until(
      'the merchant has the event',
      () => canceledEvents(merchant),
      (events) => events.length === 1,
    );
    await visit.expectSound();
    expect(owner.asked).not.toContain('eth_sendTransaction');

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in with your wallet' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Connect Pocket' }).waitFor();
    expect(await town.movedFrom(wallet.address)).toEqual([10_000_000n]);
  });

  it('takes the approval back on the chain, without the merchant', async () => {
    const sale = await town.sale([MONTHLY]);
    const wallet = await subscriber(sale);
    const operator = await town.operatorOf(sale);
    expect(await town.allowance(wallet.address, operator)).toBe(110_000_000n);
    const visit = await visitPortal(wallet);
    const { page } = visit;
    await connect(page);
    await page.getByRole('button', { name: 'Manage Coffee Club' }).click();
    await page.getByText('without this service').click();
    await connect(page);
    await page.getByRole('button', { name: 'Take it back with Pocket' }).click();
    await page.getByText('The approval is taken back').waitFor();
    expect(await town.allowance(wallet.address, operator)).toBe(0n);
    await page.locator('[data-part=allowance-left]').getByText('0.00 USDC', { exact: true }).waitFor();
    await visit.expectSound();

    await page.getByRole('button', { name: 'End the agreement with Pocket' }).click();
    await page.getByText('The agreement is ended').waitFor();
    const revoked = new Interface(['event AgreementRevoked(address indexed, bytes32 indexed, bytes32 indexed)']);
    const topics = revoked.encodeFilterTopics('AgreementRevoked', [wallet.address]);
    expect(await town.provider.getLogs({ topics, fromBlock: 0 })).toHaveLength(1);
    await visit.expectSound();
  });

  it('leads to the page on which a wallet authorizes the subscription again', async () => {
    const sale = await town.sale([MONTHLY]);
    const visit = await visitPortal(await subscriber(sale));
    const { page } = visit;
    await connect(page);
    await page.getByRole('button', { name: 'Manage Coffee Club' }).click();
    await page.getByRole('button', { name: 'Approve more, or pay with another wallet' }).click();
    await page.waitForURL(/\/checkout\/authorize\/[\w-]{43}$/);
    await page.getByRole('heading', { name: 'Coffee Club' }).waitFor();
  });

  it.each(LOOKS)('has no fault and leads back to the merchant, from a link: %j', async (look) => {
    const sale = await town.sale([MONTHLY]);
    const { merchant } = sale;
    await subscriber(sale);
    const { customerId } = await seenBy(merchant);
    const returnUrl = `${town.service.url}/docs`;
    const made = await merchant.call('POST', `/customers/${String(customerId)}/portal-session`, { returnUrl });
    const { url } = z.object({ url: z.string() }).parse(made);
    const visit = await chromium.visit(look);
    const { page } = visit;
    await page.goto(url);
    await page.getByRole('heading', { name: 'Your subscriptions' }).waitFor();
    await page.getByText('Next charge: 10.00 USD on').waitFor();
    expect(page.url()).toBe(`${town.service.url}/portal`);
    await visit.expectSound();
    await page.getByRole('button', { name: 'Manage Coffee Club' }).click();
    await page.locator('[data-part=receipts]').getByText('10.00 USDC').waitFor();
    await page.getByText('The limits that you have signed').click();
    await page.getByText('without this service').click();
    await visit.expectSound();
    await page.goBack();
    await page.getByRole('heading', { name: 'Your subscriptions' }).waitFor();
    await page.getByRole('link', { name: /^Back to / }).click();
    await page.waitForURL(returnUrl);
  });

  it('says that a link does not work any more', async () => {
    const visit = await chromium.visit();
    const { page } = visit;
    await page.goto(`${town.service.url}/portal#session=${'a'.repeat(43)}`);
    await page.getByText('This link does not work any more').waitFor();
    visit.forgive(/400 .*\/session\/link/);
    await visit.expectSound();
  });

  it('signs a Solana wallet in, which sees nothing of others', async () => {
    const visit = await visitWithSolanaWallet(chromium, town.service.url, 'payer-1');
    const { page } = visit;
    await page.goto(`${town.service.url}/portal`);
    await page.getByRole('button', { name: 'Connect Sunny' }).click();
    await page.getByText('There are no subscriptions here.').waitFor();
    await visit.expectSound();
  });

  it('takes the approval of a Solana wallet back on the chain', async () => {
    const { url } = await town.solanaSale([{ ...MONTHLY, acceptedTokens: [SOLANA_KEY] }], SOLANA_KEY);
    const visit = await visitWithSolanaWallet(chromium, town.service.url, 'payer-2');
    const { page } = visit;
    await page.goto(url);
    await page.getByRole('button', { name: 'Connect Sunny' }).click();
    await agree(page);
    await waitUntilActive(page);
    const user = new SolanaUser(solanaWorld(await solanaUrl(), ''));
    const payer = user.wallet('payer-2').publicKey;
    expect(await user.token(payer)).toMatchObject({ delegatedAmount: 110_000_000n });

    await page.goto(`${town.service.url}/portal`);
    await page.getByRole('button', { name: 'Connect Sunny' }).click();
    await page.getByRole('button', { name: 'Manage Coffee Club' }).click();
    await page.getByText('without this service').click();
    await page.getByText('Revoke of the token program').waitFor();
    await page.getByRole('button', { name: 'Connect Sunny' }).click();
    await page.getByRole('button', { name: 'Take it back with Sunny' }).click();
    await page.getByText('The approval is taken back').waitFor();
    expect(await user.token(payer)).toMatchObject({ delegate: null, delegatedAmount: 0n });
    await page.locator('[data-part=allowance-left]').getByText('0.00 USDC', { exact: true }).waitFor();
    // No contract keeps the agreement there.
    expect(await page.getByRole('button', { name: /^End the agreement/ }).count()).toBe(0);
    await visit.expectSound();
  });
});
