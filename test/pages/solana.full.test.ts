import { z } from 'zod';
import { Chromium, describeInChromium } from '../support/browser.ts';
import { agree, waitUntilActive } from './support/checkout-page.ts';
import { visitWithSolanaWallet } from './support/solana-wallet.ts';
import { Town } from './support/town.ts';

const idsSchema = z.tuple([z.looseObject({ id: z.string() })]);

const town = new Town({ LOCAL_DEVNETS: 'on' });
const chromium = new Chromium();

const TOKEN_KEY = 'usdc-solana';
const MONTHLY = { amount: '10.00', acceptedTokens: [TOKEN_KEY], billing: { type: 'recurring', interval: 'month' } };

describeInChromium('the checkout on Solana in Chromium', () => {
  it("subscribes with a wallet of the Wallet Standard, and warns before it replaces another service's delegate", async () => {
    const [first, second] = [await town.solanaSale([MONTHLY], TOKEN_KEY), await town.solanaSale([MONTHLY], TOKEN_KEY)];
    const visit = await visitWithSolanaWallet(chromium, town.service.url, 'payer-1');
    const { page } = visit;
    await page.goto(first.url);
    await page.getByRole('button', { name: 'Connect Sunny' }).click();
    await page.getByText('The service checks the limits that you sign before each charge.').waitFor();
    expect(await page.getByText('contract').count()).toBe(0);
    await visit.expectSound();
    await agree(page);
    await waitUntilActive(page);

    await page.goto(second.url);
    await page.getByRole('button', { name: 'Connect Sunny' }).click();
    await agree(page);
    await page.getByText('Your account has approved another service').waitFor();
    await visit.expectSound();
    const approve = page.getByRole('button', { name: 'Approve', exact: true });
    expect(await approve.getAttribute('aria-disabled')).toBe('true');
    await page.getByLabel('I understand this, and I want it').check();
    await approve.click();
    await waitUntilActive(page);
    expect(await second.merchant.call('GET', '/subscriptions')).toMatchObject({
      subscriptions: [{ status: 'active' }],
    });
  });

  it('works completely with a test wallet, up to the revoked approval', async () => {
    const { url, merchant } = await town.solanaSale([MONTHLY], TOKEN_KEY);
    const visit = await chromium.visit();
    const { page } = visit;
    await page.goto(url);
    await page.getByLabel('Test wallet', { exact: true }).selectOption('payer-2');
    await page.getByRole('button', { name: 'Use this test wallet' }).click();
    await agree(page);
    await waitUntilActive(page);
    const { subscriptions } = await merchant.call('GET', '/subscriptions');
    expect(subscriptions).toMatchObject([{ status: 'active' }]);
    const [{ id }] = idsSchema.parse(subscriptions);
    await merchant.call('POST', `/subscriptions/${id}/cancel`, {});
    await page.reload();
    await page.getByText('This subscription is canceled').waitFor();
    await page.getByRole('button', { name: /^Take it back/ }).click();
    await page.getByText('The approval is taken back').waitFor();
    expect(await page.getByText('end the agreement').count()).toBe(0);
    await visit.expectSound();
  });

  it('continues after a reload with the wallet, without asking it again', async () => {
    const { url } = await town.solanaSale([MONTHLY], TOKEN_KEY);
    const { page } = await visitWithSolanaWallet(chromium, town.service.url, 'payer-4');
    await page.goto(url);
    await page.getByRole('button', { name: 'Connect Sunny' }).click();
    await page.getByRole('heading', { name: 'What you approve' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'What you approve' }).waitFor();
    expect(await page.evaluate('connectsOfTest')).toEqual([{ silent: true }]);
  });

  it('connects a test wallet of the last chosen chain family', async () => {
    const both = { ...MONTHLY, acceptedTokens: ['usdc-base', TOKEN_KEY] };
    const { url } = await town.solanaSale([both], TOKEN_KEY);
    const { page } = await chromium.visit();
    await page.goto(url);
    await page.getByLabel('USDC on Base').check();
    await page.getByRole('button', { name: 'Use this test wallet' }).waitFor();
    await page.getByLabel('USDC on Solana').check();
    await page.getByRole('button', { name: 'Use this test wallet' }).click();
    await page.getByText('Test wallet payer-1').waitFor();
  });

  it('revokes an approval even if nobody knows whether the one before has landed', async () => {
    const { url, merchant } = await town.solanaSale([{ ...MONTHLY, amount: '900000000.00' }], TOKEN_KEY);
    const { page } = await visitWithSolanaWallet(chromium, town.service.url, 'payer-3');
    // As if the chain did not answer: then nobody knows that the wallet has too little.
    await page.route('**/challenges', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), chain: null } });
    });
    await page.goto(url);
    await page.getByRole('button', { name: 'Connect Sunny' }).click();
    await agree(page);
    await page.getByText('The wallet has too little USDC').waitFor();
    await page.getByText('Approved').waitFor();
    const [{ id }] = idsSchema.parse((await merchant.call('GET', '/subscriptions'))['subscriptions']);
    await merchant.call('POST', `/subscriptions/${id}/cancel`, {});
    await page.getByText('This subscription is canceled').waitFor();
    await page.getByRole('button', { name: /^Take it back/ }).click();
    await page.getByText('The approval is taken back').waitFor();
  });
});
