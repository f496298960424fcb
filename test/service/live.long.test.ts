import { Wallet } from 'ethers';
import { Merchant, type Plan, refusalOf } from '../../stage/merchant.ts';
import { receiptOf } from '../../stage/receipt.ts';
import { TOKEN_KEY, units } from '../../stage/tokens.ts';
import { until } from '../../stage/until.ts';
import { PLATFORM, type PlayedChain, playChain, SENDER, SENDING } from '../support/public-chain.ts';
import { useStage } from '../support/stage.ts';

/**
 * Live mode (docs/rules.md, "Local devnets and the embedded default"): one service with a chain that claims to be Base
 * and one that claims to be Base Sepolia. The chains' own logs show the charges.
 */
const BASE = 8453;
const SEPOLIA = 84532;
/** One letter more than a name may have, so no name server is ever asked. */
const LIVE_URL = `https://${'x'.repeat(64)}.invalid/hooks`;
const MONTHLY: Plan = { price: '10.00', every: 'month' };
const METERED: Plan = { price: '0.50', every: 'month', model: 'metered' };

let base: PlayedChain;
let sepolia: PlayedChain;

const stage = useStage(async () => {
  [base, sepolia] = await Promise.all([playChain(BASE), playChain(SEPOLIA)]);
  return { publicChain: sepolia, env: { ...base.env, ...SENDING, LOCAL_DEVNETS: 'auto' } };
});

/** The stage for live keys. */
const onBase = () => stage().on(base.chain);

/** The number of the sender's transactions and of blocks: nothing happens without either. */
async function marks({ chain: { provider } }: PlayedChain): Promise<readonly [sent: number, height: number]> {
  return [await provider.getTransactionCount(SENDER.address), await provider.getBlockNumber()];
}

interface Delivered {
  readonly event: string;
  readonly mode: string;
  /** The error of each attempt. */
  readonly attempts: readonly (string | null)[];
}

/** The deliveries of one subscription's events, in order. */
async function deliveries(resourceId: string): Promise<Delivered[]> {
  const store = await stage().store();
  const events = await store.records.find('events', { where: { resourceId }, sort: [['sequence', 1]], limit: 50 });
  return events.map(({ event, mode, attempts }) => ({ event, mode, attempts: attempts.map(({ error }) => error) }));
}

describe('a live key on a mainnet', () => {
  it('sells, is approved, charges real money in exact shares, and sends events to the live URL', async () => {
    const merchant = await Merchant.signUp(onBase(), 'Live', 'live');
    const endpoint = await merchant.api.webhooks.setEndpoint({ url: LIVE_URL });
    expect(endpoint).toMatchObject({ environment: 'live', url: LIVE_URL, effectiveUrl: LIVE_URL });
    const ada = await merchant.createPayer({ has: '100.00' });
    const before = await marks(sepolia);
    const club = await ada.subscribe(await merchant.createOffer(MONTHLY));
    await ada.approve('120.00');
    await club.expectStatus('active', { paid: 1 });
    const { lastInvoice, allowanceConfirmed } = await club.view();
    expect(allowanceConfirmed).toBe(true);
    expect(lastInvoice).toMatchObject({ status: 'settled', chainId: BASE, tokenKey: TOKEN_KEY });
    await ada.expectPaid(['10.00']);
    const { chain } = base;
    expect(await chain.movedTo(merchant.payoutWallet)).toEqual([units('9.90')]);
    expect(await chain.movedTo(PLATFORM)).toEqual([units('0.10')]);
    expect(await Promise.all([chain.router, merchant.operator].map((each) => chain.balanceOf(each)))).toEqual([0n, 0n]);
    expect(await marks(sepolia)).toEqual(before);

    const reported = await until(
      'the first attempts have been made',
      () => deliveries(club.id),
      (list) => list.length === 3 && list.every(({ attempts }) => attempts.length > 0),
    );
    // The name cannot be resolved, and the attempt says so.
    const unresolved = { mode: 'live', attempts: [expect.stringMatching(/resolve/i)] };
    const events = ['subscription.created', 'payment.succeeded', 'subscription.active'];
    expect(reported).toEqual(events.map((event) => ({ event, ...unresolved })));
  }, 120_000);

  it('pays once with POST /payments, and cannot use the sandbox', async () => {
    const merchant = await Merchant.signUp(onBase(), 'Live', 'live');
    const { api, payoutWallet: toWallet } = merchant;
    const ada = await merchant.createPayer({ has: '100.00' });
    await ada.approve('5.00');
    const order = { amount: '2.50', tokenKey: TOKEN_KEY, fromWallet: ada.address, toWallet, idempotencyKey: 'once' };
    const payment = await api.payments.create(order);
    expect(payment).toMatchObject({ status: 'settled', isSandbox: false, chainId: BASE });
    expect((await api.payments.create(order)).id).toBe(payment.id);
    expect(await base.chain.movedTo(toWallet)).toEqual([units('2.475')]);
    await ada.expectPaid(['2.50']);
    expect(await refusalOf(api.sandbox.charge({ subscriptionId: 'sub_x' }))).toMatch(/^403 /);
    const sandboxed = { ...order, idempotencyKey: 'other', tokenKey: 'usdc-base-sepolia' };
    expect(await refusalOf(api.payments.create(sandboxed))).toMatch(/^400 /);
  }, 120_000);
});

describe('a test key beside a mainnet', () => {
  it('sells the same for the same token, and charges on the playing testnet; the mainnet does not change', async () => {
    const merchant = await stage().createMerchant();
    const live = await merchant.inMode('live', onBase());
    await live.api.webhooks.setEndpoint({ url: LIVE_URL });
    expect(merchant.operator).not.toBe(live.operator);
    const ada = await merchant.createPayer({ has: '100.00' });
    // The same wallet has money on the mainnet too, and has approved everybody.
    const onMainnet = new Wallet(ada.wallet.privateKey, base.chain.provider);
    await base.chain.fund(ada.address, '100.00');
    for (const { operator } of [merchant, live]) await base.chain.approve(onMainnet, operator, '100.00');
    const before = await marks(base);

    const club = await ada.subscribe(await merchant.createOffer(MONTHLY));
    await ada.approve('120.00');
    await club.expectStatus('active', { paid: 1 });
    expect((await club.view()).lastInvoice).toMatchObject({ status: 'settled', chainId: BASE, tokenKey: TOKEN_KEY });
    expect(await merchant.api.sandbox.charge({ subscriptionId: club.id })).toMatchObject({ outcome: 'settled' });
    await ada.expectPaid(['10.00', '10.00']);
    expect(await sepolia.chain.movedTo(merchant.payoutWallet)).toEqual([units('9.90'), units('9.90')]);
    expect(await base.chain.balanceOf(ada.address)).toBe(units('100.00'));
    expect(await marks(base)).toEqual(before);
    expect(await refusalOf(live.api.subscriptions.get(club.id))).toMatch(/^404 /);
    const modes = (await deliveries(club.id)).map(({ mode }) => mode);
    expect(new Set(modes)).toEqual(new Set(['test']));
  }, 120_000);
});

describe('a live price by use with a threshold', () => {
  let aheadMs = 0;

  /** The clocks of the chain and of the service go on. Beside a mainnet it takes no variable that moves its own. */
  async function later(minutes: number): Promise<void> {
    aheadMs += minutes * 60_000;
    await base.chain.provider.send('evm_increaseTime', [minutes * 60]);
    await base.chain.mine(1);
    const ahead = `const now = () => Real.now() + ${aheadMs};
      const Real = Date;
      globalThis.Date = class extends Real {
        static now = now;
        constructor(...parts) { super(...(parts.length === 0 ? [now()] : parts)); }
      };`;
    const NODE_OPTIONS = `--import=data:text/javascript;base64,${Buffer.from(ahead).toString('base64')}`;
    await stage().restart({ NODE_OPTIONS, TICK_MS: '1000' });
  }

  /** What left a wallet, base units, with the times of the blocks, seconds. */
  async function taken(from: string): Promise<(readonly [at: number, amount: bigint])[]> {
    const { provider } = base.chain;
    const transfers = (await base.chain.transfers()).filter((transfer) => transfer.from === from);
    return Promise.all(
      transfers.map(async ({ txHash, value }) => {
        const { blockNumber } = await receiptOf(provider, txHash);
        return [(await provider.getBlock(blockNumber))?.timestamp ?? 0, value] as const;
      }),
    );
  }

  it('is charged at once within the limit of 30 days, and what is above it when the days are over', async () => {
    const merchant = await Merchant.signUp(onBase(), 'Live', 'live');
    const ada = await merchant.createPayer({ has: '100.00' });
    const limits = { capAmount: '10.00', thresholdAmount: '4.00', windowCapAmount: '15.00' } as const;
    const meter = await ada.subscribe(await merchant.createOffer({ ...METERED, ...limits }));
    expect(await ada.sign(meter.link)).toBe(200);
    await ada.approve('100.00');
    const { usage, recordUsage } = merchant.api.subscriptions;
    const use = (quantity: number, idempotencyKey: string) => recordUsage(meter.id, { quantity, idempotencyKey });
    const waits = async () => (await usage(meter.id)).waitsUntil;
    await use(20, 'first');
    await later(60);
    await meter.expectStatus('active', { paid: 1 });
    await use(20, 'second');
    await later(29 * 24 * 60);
    const fits = await until('the second charge waits', waits, (moment) => moment !== null);
    await ada.expectPaid(['10.00']);
    await later(Math.ceil((Date.parse(fits ?? '') - Date.now() - aheadMs) / 60_000));
    await meter.expectStatus('active', { paid: 2 });
    await ada.expectPaid(['10.00', '10.00']);
    const all = await taken(ada.address);
    const within = all.map(([end]) => all.filter(([at]) => at <= end && at > end - 30 * 86_400));
    const sums = within.map((some) => some.reduce((sum, [, amount]) => sum + amount, 0n));
    expect(sums.filter((sum) => sum > units('15.00'))).toEqual([]);
  }, 240_000);
});
