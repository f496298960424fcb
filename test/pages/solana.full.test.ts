import { describeInChromium } from '../support/browser.ts';
import { agree, connect, useTestWallet, waitUntilActive } from './support/checkout-page.ts';
import { cancelSubscription, MONTHLY, onlySubscription, PageStage } from './support/page-stage.ts';

const stage = new PageStage({ LOCAL_DEVNETS: 'on' });
const { chromium } = stage;

const TOKEN_KEY = 'usdc-solana';
const SOLANA_MONTHLY = { ...MONTHLY, acceptedTokens: [TOKEN_KEY] };

describeInChromium('the checkout on Solana in Chromium', () => {
  it("subscribes with a wallet of the Wallet Standard, and warns before it replaces another service's delegate", async () => {
    const first = await stage.sale([SOLANA_MONTHLY], {}, TOKEN_KEY);
    const second = await stage.sale([SOLANA_MONTHLY], {}, TOKEN_KEY);
    const { page, expectSound } = await stage.solanaPayer('payer-1', { at: first.url });
    await connect(page, 'Sunny');
    await page.getByText('The service checks the limits that you sign before each charge.').waitFor();
    expect(await page.getByText('contract').count()).toBe(0);
    await expectSound();
    await agree(page);
    await waitUntilActive(page);

    await page.goto(second.url);
    await connect(page, 'Sunny');
    await agree(page);
    await page.getByText('Your account has approved another service').waitFor();
    await expectSound();
    const approve = page.getByRole('button', { name: 'Approve', exact: true });
    expect(await approve.getAttribute('aria-disabled')).toBe('true');
    await page.getByLabel('I understand this, and I want it').check();
    await approve.click();
    await waitUntilActive(page);
    expect(await onlySubscription(second.merchant)).toMatchObject({ status: 'active' });
  });

  it('works completely with a test wallet, up to the revoked approval', async () => {
    const { url, merchant } = await stage.sale([SOLANA_MONTHLY], {}, TOKEN_KEY);
    const { page, expectSound } = await chromium.visit({ at: url });
    await useTestWallet(page, 'payer-2');
    await agree(page);
    await waitUntilActive(page);
    expect(await onlySubscription(merchant)).toMatchObject({ status: 'active' });
    await cancelSubscription(merchant);
    await page.reload();
    await page.getByText('This subscription has ended').waitFor();
    await page.getByRole('button', { name: /^Take it back/ }).click();
    await page.getByText('The approval is taken back').waitFor();
    expect(await page.getByText('end the agreement').count()).toBe(0);
    await expectSound();
  });

  it('continues after a reload with the wallet, without asking it again', async () => {
    const { url } = await stage.sale([SOLANA_MONTHLY], {}, TOKEN_KEY);
    const { page } = await stage.solanaPayer('payer-4', { at: url });
    await connect(page, 'Sunny');
    await page.getByRole('heading', { name: 'What you approve' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'What you approve' }).waitFor();
    expect(await page.evaluate('connectsOfTest')).toEqual([{ silent: true }]);
  });

  it('connects a test wallet of the last chosen chain family', async () => {
    const both = { ...MONTHLY, acceptedTokens: ['usdc-base', TOKEN_KEY] };
    const { url } = await stage.sale([both], {}, TOKEN_KEY);
    const { page } = await chromium.visit({ at: url });
    await page.getByLabel('USDC on Base').check();
    await page.getByRole('button', { name: 'Use this test wallet' }).waitFor();
    await page.getByLabel('USDC on Solana').check();
    await page.getByRole('button', { name: 'Use this test wallet' }).click();
    await page.getByText('Test wallet payer-1').waitFor();
  });

  it('revokes an approval even if nobody knows whether the one before has landed', async () => {
    const { url, merchant } = await stage.sale([{ ...SOLANA_MONTHLY, amount: '900000000.00' }], {}, TOKEN_KEY);
    const { page } = await stage.solanaPayer('payer-3');
    // As if the chain did not answer: then nobody knows that the wallet has too little.
    await page.route('**/challenges', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), chain: null } });
    });
    await page.goto(url);
    await connect(page, 'Sunny');
    await agree(page);
    await page.getByText('The wallet has too little USDC').waitFor();
    await page.getByText('Approved').waitFor();
    await cancelSubscription(merchant);
    await page.getByText('This subscription has ended').waitFor();
    await page.getByRole('button', { name: /^Take it back/ }).click();
    await page.getByText('The approval is taken back').waitFor();
  });
});
