import { Interface } from 'ethers';
import { tokenNamed } from '../../scripts/lib/devnet-facts.ts';
import { describeInChromium } from '../support/browser.ts';
import { counterfactualWallet } from '../support/counterfactual.ts';
import {
  agree,
  approve,
  chooseAmount,
  chooseTransfer,
  connect,
  openTransfer,
  signUp,
  subscribe,
  takeBack,
  waitUntilActive,
  waitUntilDeclined,
  waitUntilReceived,
} from './support/checkout-page.ts';
import { cancelSubscription, MONTHLY, ONCE, PageStage } from './support/page-stage.ts';
import { MANDATE, PERMIT } from './support/page-wallet.ts';

/** A page's requests to a wallet: earlier facts can change, and it requests nothing that a call shows to be refused. */
const stage = new PageStage();

const USDT = 'usdt-ethereum';
const MONTHLY_USDT = { ...MONTHLY, acceptedTokens: [USDT] };

const strict = new Interface(['function setBlocked(address account, bool value)']);

const isSend = (method: string) => method === 'eth_sendTransaction';

/** A payer of USDT that accepts an approval only from 0, at the address of a checkout. */
async function usdtPayer() {
  const { chain } = stage;
  const usdt = await stage.makeUsdtStrict();
  const sale = await stage.sale([MONTHLY_USDT], {}, USDT);
  const operator = await stage.operatorOf(sale);
  const payer = await stage.payer({ has: 0n });
  const { wallet, page } = payer;
  await chain.transfer(chain.wallet('payer-9'), wallet.address, '500', usdt);
  return {
    ...payer,
    ...sale,
    /** From 0, or another amount. */
    approveFive: () => chain.approve(wallet, operator, '5', usdt),
    block: async () => {
      const data = strict.encodeFunctionData('setBlocked', [wallet.address, true]);
      await chain.send(chain.wallet('payer-9'), { to: usdt, data });
    },
    connected: async () => {
      await page.goto(sale.url);
      await connect(page);
    },
    allowance: () => chain.allowance(wallet.address, operator, usdt),
    /** The number of the wallet's successful transactions. */
    sent: () => chain.provider.getTransactionCount(wallet.address),
  };
}

describeInChromium('a wallet whose account has no code yet', () => {
  it('is created by its own approval (EIP-5792), or the page says what to do', async () => {
    const { page, owner, wallet, expectSound } = await stage.payerOf([MONTHLY]);
    const account = await counterfactualWallet(wallet.address);
    await stage.chain.transfer(wallet, account.address, '100');
    Object.assign(owner, { account, lacks: ['eth_sendTransaction', 'wallet_sendCalls'] });
    await signUp(page);
    await approve(page);
    await page.getByText('send any transaction from it there first, which creates it').waitFor();
    await expectSound();
    owner.lacks = ['eth_sendTransaction'];
    await approve(page);
    await waitUntilActive(page);
    expect(owner.asked).not.toContain(PERMIT);
    expect(await stage.chain.movedFrom(account.address)).toEqual([10_000_000n]);
  });
});

describeInChromium('a token that a call shows to refuse', () => {
  it('takes its approval from 0 after another amount: the page says why, and requests both', async () => {
    const { page, owner, expectSound, ...payer } = await usdtPayer();
    await payer.approveFive();
    await payer.connected();
    await page.getByText('USDT accepts a new approval only when the old one is 0').waitFor();
    expect(await page.getByText('Your wallet asks three times').isVisible()).toBe(true);
    expect(owner.asked.filter(isSend)).toEqual([]);
    await expectSound();
    await agree(page);
    await waitUntilActive(page);
    expect(owner.asked.filter(isSend)).toHaveLength(2);
    expect([await payer.sent(), await payer.allowance()]).toEqual([3, 110_000_000n]);
  });

  it('sets the approval to 0 and approves in one confirmation if the wallet can (EIP-5792)', async () => {
    const { page, owner, expectSound, ...payer } = await usdtPayer();
    await payer.approveFive();
    owner.atomic = 'supported';
    await payer.connected();
    await page.getByText('Your wallet does both in one confirmation').waitFor();
    expect(await page.getByText('Your wallet asks twice').isVisible()).toBe(true);
    await expectSound();
    await agree(page);
    await waitUntilActive(page);
    const prompts = owner.asked.filter(
      (method) => method === MANDATE || method === 'wallet_sendCalls' || isSend(method),
    );
    expect(prompts).toEqual([MANDATE, 'wallet_sendCalls']);
    expect(await payer.allowance()).toBe(110_000_000n);
  });

  it('asks twice, and says so first, if the wallet refuses the batch that it promised', async () => {
    const { page, owner, ...payer } = await usdtPayer();
    await payer.approveFive();
    owner.atomic = 'supported';
    owner.ponders = async (method) => {
      if (method === 'wallet_sendCalls') owner.atomic = 'unsupported';
    };
    await payer.connected();
    await page.getByText('Your wallet does both in one confirmation').waitFor();
    await agree(page);
    await page.getByText('Your wallet therefore asks for two confirmations').waitFor();
    expect(owner.asked.filter(isSend)).toEqual([]);
    await approve(page);
    await waitUntilActive(page);
    expect(owner.asked.filter(isSend)).toHaveLength(2);
    expect(await payer.allowance()).toBe(110_000_000n);
  });

  it('announces the reset before the request even if the page learns of it after the signature', async () => {
    const { page, owner, ...payer } = await usdtPayer();
    owner.ponders = async (method) => {
      if (method === MANDATE) await payer.approveFive();
    };
    await payer.connected();
    await agree(page);
    await page.getByText('USDT accepts a new approval only when the old one is 0').waitFor();
    expect(owner.asked.filter(isSend)).toEqual([]);
    // A smaller amount than requested, but still another one.
    await chooseAmount(page, '10', 'USDT');
    await approve(page);
    await waitUntilActive(page);
    expect(owner.asked.filter(isSend)).toHaveLength(2);
    expect(await payer.allowance()).toBe(0n);
  });

  it('requests a reset again that was canceled in the wallet', async () => {
    const { page, owner, ...payer } = await usdtPayer();
    await payer.approveFive();
    owner.replaces = true;
    await payer.connected();
    await agree(page);
    await page.getByText('Your approval is being set to 0').waitFor();
    owner.replaces = false;
    await page.getByRole('button', { name: 'Approve again' }).click();
    await approve(page);
    await waitUntilActive(page);
  });

  it('refuses for good: the page says so before anything is signed or sent', async () => {
    const { page, owner, expectSound, ...payer } = await usdtPayer();
    await payer.block();
    await payer.connected();
    await page.getByText('The token refuses this approval').waitFor();
    expect(await page.getByText('account is blocked').isVisible()).toBe(true);
    await expectSound();
    await agree(page);
    await page.getByText('The token refuses this approval').waitFor();
    expect([owner.mandates, await payer.sent()]).toEqual([[], 0]);
  });

  it('refuses a revocation: the wallet is not asked for it', async () => {
    const { page, owner, url, merchant, block } = await usdtPayer();
    await subscribe(page, url);
    await cancelSubscription(merchant);
    await block();
    await page.reload();
    await takeBack(page);
    await page.getByText('The token refuses this approval').waitFor();
    expect(owner.asked.filter(isSend)).toHaveLength(1);
  });
});

describeInChromium('a wallet that cannot sign typed data', () => {
  it('is told so in plain words, and signs nothing else', async () => {
    const { page, owner, expectSound, merchant } = await stage.payerOf([MONTHLY], { has: 100_000_000n });
    owner.lacks = ['eth_signTypedData_v4'];
    await signUp(page);
    await page.getByText('Pocket cannot sign typed data (EIP-712)').waitFor();
    await expectSound();
    expect([owner.asked.includes('personal_sign'), owner.asked.filter(isSend)]).toEqual([false, []]);
    expect(await merchant.call('GET', '/subscriptions')).toMatchObject({ subscriptions: [] });
  });
});

describeInChromium('a wallet whose first answer is not its last', () => {
  it.each(['late', 'late_legacy'] as const)('is offered although it comes after the page: %s', async (arrives) => {
    const { page } = await stage.payerOf([MONTHLY], { has: 0n, arrives });
    await page.getByText('No wallet was found in this browser').waitFor();
    await page.evaluate('arriveOfTest()');
    await page.getByRole('button', { name: /^Connect / }).click();
    await page.getByRole('heading', { name: 'What you approve' }).waitFor();
  });

  it('replaces itself when it announces itself again, connected or not', async () => {
    const { page } = await stage.payerOf([MONTHLY], { has: 100_000_000n });
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
    const { url } = await stage.sale([MONTHLY]);
    const { page, owner } = await stage.payer({ has: 0n });
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
  const shown = new Set();
  window.shownOfTest = () => [...shown].join('\\n');
  new MutationObserver(() => shown.add(document.body?.innerText ?? ''))
    .observe(document, { subtree: true, childList: true, characterData: true });
})();`;

describeInChromium('money that is short', () => {
  it('is announced before anything is signed, and the payer continues when it has arrived', async () => {
    const { page, owner, wallet, expectSound } = await stage.payerOf([ONCE], { has: 4_000_000n });
    await connect(page);
    await page.getByText('It has 4.00 USDC and needs 21.00 USDC more on Local EVM').waitFor();
    const agree = page.getByRole('button', { name: 'Agree and approve' });
    expect(await agree.count()).toBe(0);
    expect(await page.locator('p.exact').textContent()).toBe(wallet.address);
    await expectSound();
    await stage.chain.give(wallet.address, 21_000_000n);
    await page.getByText('The wallet has too little USDC').waitFor({ state: 'detached' });
    expect(owner.mandates).toEqual([]);
    await agree.click();
    await waitUntilReceived(page);
    // A permit, as of a wallet that could pay from the beginning.
    expect(owner.asked.filter(isSend)).toEqual([]);
  });

  it('can be paid in another token that the wallet holds enough of', async () => {
    const tokens = ['usdc-base', USDT, 'usdc-polygon'];
    const { url, merchant } = await stage.sale([{ ...ONCE, acceptedTokens: tokens }]);
    const receiverWallet = stage.chain.wallet('merchant').address;
    await merchant.call('POST', '/wallets', { tokenKey: USDT, receiverWallet });
    const { page, owner, wallet, expectSound } = await stage.payer({ has: '4' });
    const usdt = tokenNamed(stage.chain.facts, 'usdt-local-evm');
    await stage.chain.transfer(stage.chain.wallet('payer-9'), wallet.address, 30_500_000n, usdt);
    await page.goto(url);
    await connect(page);
    const instead = page.getByRole('button', { name: /pay with that instead$/ });
    await instead.waitFor();
    // The wallet has too little of both kinds of USDC.
    expect(await instead.allTextContents()).toEqual(['You have 30.50 USDT on Local EVM: pay with that instead']);
    await expectSound();
    await instead.click();
    await page.getByText('The wallet has too little USDC').waitFor({ state: 'detached' });
    expect(await page.getByRole('radio', { name: /^USDT on / }).isChecked()).toBe(true);
    expect(owner.mandates).toEqual([]);
    await agree(page);
    await waitUntilReceived(page);
    expect([await stage.chain.movedFrom(wallet.address, usdt), await stage.chain.movedFrom(wallet.address)]).toEqual([
      [25_000_000n],
      [],
    ]);
  });

  it('is not requested if a trial comes first', async () => {
    const { page, owner } = await stage.payerOf([{ ...MONTHLY, trialDays: 14 }], { has: 0n });
    await signUp(page);
    await page.getByText('Your trial has begun').waitFor();
    expect(owner.asked.filter(isSend)).toHaveLength(1);
  });

  it('is never called tried if nothing has failed', async () => {
    for (const wantsPermit of [true, false]) {
      const sale = await stage.sale([MONTHLY]);
      const { page, owner } = await stage.payer();
      await page.addInitScript(RECORDER);
      if (!wantsPermit) owner.declines = [PERMIT];
      await page.goto(sale.url);
      await signUp(page);
      if (!wantsPermit) {
        await waitUntilDeclined(page);
        await page.getByLabel('Approve with a transaction').check();
        await approve(page);
      }
      await waitUntilActive(page);
      const shown = String(await page.evaluate('shownOfTest()'));
      expect(shown).toContain('Your subscription is active');
      expect(shown).not.toContain('another try');
    }
  });

  it('is requested for the rest of a partial transfer', async () => {
    const { page, expectSound } = await stage.visitorOf([ONCE]);
    await chooseTransfer(page);
    const address = await openTransfer(page);
    await stage.chain.give(address, 10_000_000n);
    await page.getByText('10.00 of 25.00 USDC has arrived').waitFor();
    expect(await page.locator('[data-part=deposit-amount]').textContent()).toBe('15.00 USDC');
    await expectSound();
    await stage.chain.give(address, 15_000_000n);
    await waitUntilReceived(page);
  });
});
