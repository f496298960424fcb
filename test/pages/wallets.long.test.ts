import { Interface, type Wallet } from 'ethers';
import { z } from 'zod';
import { tokenNamed } from '../../scripts/lib/devnet-facts.ts';
import { receiptOf } from '../../stage/receipt.ts';
import { Chromium, describeInChromium } from '../support/browser.ts';
import {
  agree,
  chooseTransfer,
  connect,
  openTransfer,
  signUp,
  subscribe,
  waitUntilActive,
  waitUntilReceived,
} from './support/checkout-page.ts';
import { MANDATE, PERMIT, visitWithWallet } from './support/page-wallet.ts';
import { MONTHLY, ONCE, Town } from './support/town.ts';

/** A page's requests to a wallet: earlier facts can change, and it requests nothing that a call shows to be refused. */
const town = new Town();
const chromium = new Chromium();

const USDT = 'usdt-ethereum';
const MONTHLY_USDT = { ...MONTHLY, acceptedTokens: [USDT] };

const strict = new Interface(['function setBlocked(address account, bool value)']);
const subscriptions = z.object({ subscriptions: z.array(z.looseObject({ id: z.string() })) });

async function usdtPayer(usdt: string): Promise<Wallet> {
  const wallet = await town.newPayer(0n);
  await town.transfer(town.payer('payer-9'), wallet.address, 500_000_000n, usdt);
  return wallet;
}

async function block(wallet: Wallet, usdt: string): Promise<void> {
  const data = strict.encodeFunctionData('setBlocked', [wallet.address, true]);
  const { hash } = await town.payer('payer-9').sendTransaction({ to: usdt, data });
  await receiptOf(town.provider, hash);
}

/** The number of the wallet's successful transactions. */
async function sentBy({ address }: Wallet): Promise<number> {
  return town.provider.getTransactionCount(address);
}

const isSend = (method: string) => method === 'eth_sendTransaction';

describeInChromium('a token that a call shows to refuse', () => {
  it('takes its approval from 0 after another amount: the page says why, and requests both', async () => {
    const usdt = await town.makeUsdtStrict();
    const sale = await town.sale([MONTHLY_USDT], {}, USDT);
    const { url } = sale;
    const wallet = await usdtPayer(usdt);
    const operator = await town.operatorOf(sale);
    await town.approve(wallet, operator, 5_000_000n, usdt);
    const visit = await visitWithWallet(chromium, wallet);
    const { page, owner } = visit;
    await page.goto(url);
    await connect(page);
    await page.getByText('USDT accepts a new approval only when the old one is 0').waitFor();
    expect(await page.getByText('Your wallet asks three times').isVisible()).toBe(true);
    expect(owner.asked.filter(isSend)).toEqual([]);
    await visit.expectSound();
    await agree(page);
    await waitUntilActive(page);
    expect(owner.asked.filter(isSend)).toHaveLength(2);
    expect([await sentBy(wallet), await town.allowance(wallet.address, operator, usdt)]).toEqual([3, 110_000_000n]);
  });

  it('sets the approval to 0 and approves in one confirmation if the wallet can (EIP-5792)', async () => {
    const usdt = await town.makeUsdtStrict();
    const sale = await town.sale([MONTHLY_USDT], {}, USDT);
    const wallet = await usdtPayer(usdt);
    const operator = await town.operatorOf(sale);
    await town.approve(wallet, operator, 5_000_000n, usdt);
    const visit = await visitWithWallet(chromium, wallet);
    const { page, owner } = visit;
    owner.atomic = 'supported';
    await page.goto(sale.url);
    await connect(page);
    await page.getByText('Your wallet does both in one confirmation').waitFor();
    expect(await page.getByText('Your wallet asks twice').isVisible()).toBe(true);
    await visit.expectSound();
    await agree(page);
    await waitUntilActive(page);
    const prompts = owner.asked.filter(
      (method) => method === MANDATE || method === 'wallet_sendCalls' || isSend(method),
    );
    expect(prompts).toEqual([MANDATE, 'wallet_sendCalls']);
    expect(await town.allowance(wallet.address, operator, usdt)).toBe(110_000_000n);
  });

  it('asks twice, and says so first, if the wallet refuses the batch that it promised', async () => {
    const usdt = await town.makeUsdtStrict();
    const sale = await town.sale([MONTHLY_USDT], {}, USDT);
    const wallet = await usdtPayer(usdt);
    const operator = await town.operatorOf(sale);
    await town.approve(wallet, operator, 5_000_000n, usdt);
    const { page, owner } = await visitWithWallet(chromium, wallet);
    owner.atomic = 'supported';
    owner.ponders = async (method) => {
      if (method === 'wallet_sendCalls') owner.atomic = 'unsupported';
    };
    await page.goto(sale.url);
    await connect(page);
    await page.getByText('Your wallet does both in one confirmation').waitFor();
    await agree(page);
    await page.getByText('Your wallet therefore asks for two confirmations').waitFor();
    expect(owner.asked.filter(isSend)).toEqual([]);
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await waitUntilActive(page);
    expect(owner.asked.filter(isSend)).toHaveLength(2);
    expect(await town.allowance(wallet.address, operator, usdt)).toBe(110_000_000n);
  });

  it('does not ask a wallet to turn its account into a contract first', async () => {
    const usdt = await town.makeUsdtStrict();
    const sale = await town.sale([MONTHLY_USDT], {}, USDT);
    const wallet = await usdtPayer(usdt);
    await town.approve(wallet, await town.operatorOf(sale), 5_000_000n, usdt);
    const { page, owner } = await visitWithWallet(chromium, wallet);
    owner.atomic = 'ready';
    await page.goto(sale.url);
    await connect(page);
    await page.getByText('Your wallet asks three times').waitFor();
  });

  it('announces the reset before the request even if the page learns of it after the signature', async () => {
    const usdt = await town.makeUsdtStrict();
    const sale = await town.sale([MONTHLY_USDT], {}, USDT);
    const { url } = sale;
    const wallet = await usdtPayer(usdt);
    const operator = await town.operatorOf(sale);
    const { page, owner } = await visitWithWallet(chromium, wallet);
    owner.ponders = async (method) => {
      if (method === MANDATE) await town.approve(wallet, operator, 5_000_000n, usdt);
    };
    await signUp(page, url);
    await page.getByText('USDT accepts a new approval only when the old one is 0').waitFor();
    expect(owner.asked.filter(isSend)).toEqual([]);
    // A smaller amount than requested, but still another one.
    await page.getByText('Change the amount').click();
    await page.getByLabel('Another amount').check();
    await page.getByLabel('Amount in USDT').fill('10');
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await waitUntilActive(page);
    expect(owner.asked.filter(isSend)).toHaveLength(2);
    expect(await town.allowance(wallet.address, operator, usdt)).toBe(0n);
  });

  it('requests a reset again that was canceled in the wallet', async () => {
    const usdt = await town.makeUsdtStrict();
    const sale = await town.sale([MONTHLY_USDT], {}, USDT);
    const { url } = sale;
    const wallet = await usdtPayer(usdt);
    await town.approve(wallet, await town.operatorOf(sale), 5_000_000n, usdt);
    const { page, owner } = await visitWithWallet(chromium, wallet);
    owner.replaces = true;
    await signUp(page, url);
    await page.getByText('Your approval is being set to 0').waitFor();
    owner.replaces = false;
    await page.getByRole('button', { name: 'Approve again' }).click();
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await waitUntilActive(page);
  });

  it('refuses for good: the page says so before anything is signed or sent', async () => {
    const usdt = await town.makeUsdtStrict();
    const { url } = await town.sale([MONTHLY_USDT], {}, USDT);
    const wallet = await usdtPayer(usdt);
    await block(wallet, usdt);
    const visit = await visitWithWallet(chromium, wallet);
    const { page, owner } = visit;
    await page.goto(url);
    await connect(page);
    await page.getByText('The token refuses this approval').waitFor();
    expect(await page.getByText('account is blocked').isVisible()).toBe(true);
    await visit.expectSound();
    await agree(page);
    await page.getByText('The token refuses this approval').waitFor();
    expect([owner.mandates, await sentBy(wallet)]).toEqual([[], 0]);
  });

  it('refuses a revocation: the wallet is not asked for it', async () => {
    const usdt = await town.makeUsdtStrict();
    const { url, merchant } = await town.sale([MONTHLY_USDT], {}, USDT);
    const wallet = await usdtPayer(usdt);
    const { page, owner } = await visitWithWallet(chromium, wallet);
    await subscribe(page, url);
    const found = subscriptions.parse(await merchant.call('GET', '/subscriptions')).subscriptions;
    await merchant.call('POST', `/subscriptions/${found[0]?.id}/cancel`, {});
    await block(wallet, usdt);
    await page.reload();
    await page.getByRole('button', { name: 'Take it back with Pocket' }).click();
    await page.getByText('The token refuses this approval').waitFor();
    expect(owner.asked.filter(isSend)).toHaveLength(1);
  });
});

describeInChromium('a wallet that cannot sign typed data', () => {
  it('is told so in plain words, and signs nothing else', async () => {
    const { url, merchant } = await town.sale([MONTHLY]);
    const visit = await visitWithWallet(chromium, await town.newPayer(100_000_000n));
    const { page, owner } = visit;
    owner.lacks = ['eth_signTypedData_v4'];
    await signUp(page, url);
    await page.getByText('Pocket cannot sign typed data (EIP-712)').waitFor();
    await visit.expectSound();
    expect([owner.asked.includes('personal_sign'), owner.asked.filter(isSend)]).toEqual([false, []]);
    expect(await merchant.call('GET', '/subscriptions')).toMatchObject({ subscriptions: [] });
  });
});

describeInChromium('a wallet whose first answer is not its last', () => {
  it.each(['late', 'late_legacy'] as const)('is offered although it comes after the page: %s', async (arrives) => {
    const { url } = await town.sale([MONTHLY]);
    const { page } = await visitWithWallet(chromium, await town.newPayer(0n), { arrives });
    await page.goto(url);
    await page.getByText('No wallet was found in this browser').waitFor();
    await page.evaluate('arriveOfTest()');
    await page.getByRole('button', { name: /^Connect / }).click();
    await page.getByRole('heading', { name: 'What you approve' }).waitFor();
  });

  it('replaces itself when it announces itself again, connected or not', async () => {
    const { url } = await town.sale([MONTHLY]);
    const { page } = await visitWithWallet(chromium, await town.newPayer(100_000_000n));
    await page.goto(url);
    await page.getByRole('button', { name: 'Connect Pocket' }).waitFor();
    await page.evaluate('replaceOfTest()');
    expect(await page.getByRole('button', { name: 'Connect Pocket' }).count()).toBe(1);
    await connect(page);
    await page.getByRole('heading', { name: 'What you approve' }).waitFor();
    // The page itself connects again, to the extension as it is now.
    await page.reload();
    await page.getByRole('heading', { name: 'What you approve' }).waitFor();
    await page.evaluate('replaceOfTest()');
    await agree(page);
    await waitUntilActive(page);
  });

  it('may claim that it has switched before it has', async () => {
    const { url } = await town.sale([MONTHLY]);
    const { page, owner } = await visitWithWallet(chromium, await town.newPayer(0n));
    owner.chainId = 1;
    owner.knows.push(1);
    const switched: (() => void)[] = [];
    owner.switchesLate = (change) => switched.push(change);
    owner.ponders = async (method) => {
      // At the question it has not switched yet, and then it does.
      if (method === 'eth_chainId' && switched.length > 0) setTimeout(() => switched.pop()?.(), 300);
    };
    await page.goto(url);
    await connect(page);
    await page.getByRole('button', { name: 'Switch to Local EVM' }).click();
    await page.getByText('Your wallet is on another network').waitFor({ state: 'detached' });
    expect(await page.getByText('is still on another network').count()).toBe(0);
  });
});

/** Records everything that the page announces from now on. */
const RECORDER = `(() => {
  const said = new Set();
  window.saidOfTest = () => [...said].join('\\n');
  new MutationObserver(() => said.add(document.body?.innerText ?? ''))
    .observe(document, { subtree: true, childList: true, characterData: true });
})();`;

describeInChromium('money that is short', () => {
  it('is announced before anything is signed, and the payer continues when it has arrived', async () => {
    const { url } = await town.sale([ONCE]);
    const wallet = await town.newPayer(4_000_000n);
    const visit = await visitWithWallet(chromium, wallet);
    const { page, owner } = visit;
    await page.goto(url);
    await connect(page);
    await page.getByText('It has 4.00 USDC and needs 21.00 USDC more on Local EVM').waitFor();
    const agree = page.getByRole('button', { name: 'Agree and approve' });
    expect(await agree.getAttribute('aria-disabled')).toBe('true');
    expect(await page.locator('.deposit-address').textContent()).toBe(wallet.address);
    await visit.expectSound();
    await town.transfer(town.payer('payer-9'), wallet.address, 21_000_000n);
    await page.getByText('The wallet has too little USDC').waitFor({ state: 'detached' });
    expect(owner.mandates).toEqual([]);
    await agree.click();
    await waitUntilReceived(page);
    // A permit, as of a wallet that could pay from the beginning.
    expect(owner.asked.filter(isSend)).toEqual([]);
  });

  it('can be paid in another token that the wallet holds enough of', async () => {
    const tokens = ['usdc-base', USDT, 'usdc-polygon'];
    const { url, merchant } = await town.sale([{ ...ONCE, acceptedTokens: tokens }]);
    const receiverWallet = town.payer('merchant').address;
    await merchant.call('POST', '/wallets', { tokenKey: USDT, receiverWallet });
    const wallet = await town.newPayer(4_000_000n);
    const usdt = tokenNamed(town.facts, 'usdt-local-evm');
    await town.transfer(town.payer('payer-9'), wallet.address, 30_500_000n, usdt);
    const visit = await visitWithWallet(chromium, wallet);
    const { page, owner } = visit;
    await page.goto(url);
    await connect(page);
    const instead = page.getByRole('button', { name: /pay with that instead$/ });
    await instead.waitFor();
    // The wallet has too little of both kinds of USDC.
    expect(await instead.allTextContents()).toEqual(['You have 30.50 USDT on Local EVM: pay with that instead']);
    await visit.expectSound();
    await instead.click();
    await page.getByText('The wallet has too little USDC').waitFor({ state: 'detached' });
    expect(await page.getByRole('radio', { name: /^USDT on / }).isChecked()).toBe(true);
    expect(owner.mandates).toEqual([]);
    await agree(page);
    await waitUntilReceived(page);
    expect([await town.movedFrom(wallet.address, usdt), await town.movedFrom(wallet.address)]).toEqual([
      [25_000_000n],
      [],
    ]);
  });

  it('is not requested if a trial comes first', async () => {
    const { url } = await town.sale([{ ...MONTHLY, trialDays: 14 }]);
    const wallet = await town.newPayer(0n);
    const { page, owner } = await visitWithWallet(chromium, wallet);
    await signUp(page, url);
    await page.getByText('Your trial has begun').waitFor();
    expect(owner.asked.filter(isSend)).toHaveLength(1);
  });

  it('is never called tried if nothing has failed', async () => {
    for (const wantsPermit of [true, false]) {
      const sale = await town.sale([MONTHLY]);
      const visit = await visitWithWallet(chromium, await town.newPayer(500_000_000n));
      const { page, owner } = visit;
      await page.addInitScript(RECORDER);
      if (!wantsPermit) owner.declines = [PERMIT];
      await signUp(page, sale.url);
      if (!wantsPermit) {
        await page.getByText('Declined in your wallet').waitFor();
        await page.getByLabel('Approve with a transaction').check();
        await page.getByRole('button', { name: 'Approve', exact: true }).click();
      }
      await waitUntilActive(page);
      const said = String(await page.evaluate('saidOfTest()'));
      expect(said).toContain('Your subscription is active');
      expect(said).not.toContain('another try');
    }
  });

  it('is requested for the rest of a partial transfer', async () => {
    const { url } = await town.sale([ONCE]);
    const visit = await chromium.visit();
    const { page } = visit;
    await page.goto(url);
    await chooseTransfer(page);
    const address = await openTransfer(page);
    await town.transfer(town.payer('payer-8'), address, 10_000_000n);
    await page.getByText('10.00 of 25.00 USDC has arrived').waitFor();
    expect(await page.locator('[data-part=deposit-amount]').textContent()).toBe('15.00 USDC');
    await visit.expectSound();
    await town.transfer(town.payer('payer-8'), address, 15_000_000n);
    await waitUntilReceived(page);
  });
});
