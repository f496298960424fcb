import { Keypair, PublicKey } from '@solana/web3.js';
import { z } from 'zod';
import { askStaff } from '../../scripts/lib/staff.ts';
import { type Merchant, operatorFor, refusalOf } from '../../stage/merchant.ts';
import type { OnSale } from '../../stage/seller.ts';
import { units } from '../../stage/tokens.ts';
import { until } from '../../stage/until.ts';
import { auditOf } from '../support/audit.ts';
import { failedStart } from '../support/service.ts';
import { callSolana, getAccount, getAssociatedTokenAddressSync, SolanaUser } from '../support/solana.ts';
import { useStage } from '../support/stage.ts';
import { sendDeposit, untilOutcomes } from './support/staff-deposits.ts';

/** Merchants that sell for Solana tokens, against one real process; the local chain's balances are the judge. */
let user: SolanaUser;
/** The operator that the test wallet had approved when this new service was ready. */
let approvedAtFirst: string | undefined;

const stage = useStage({ env: { LOCAL_DEVNETS: 'on' } }, async () => {
  user = await SolanaUser.open(stage().url);
  approvedAtFirst = (await user.token(addressOf('approved')))?.delegate?.toBase58();
});

const PATIENTLY = { everyMs: 100, explain: () => stage().service.log() };

const USDC = 'usdc-solana';
const USDT = 'usdt-solana';

function addressOf(name: string): string {
  return user.wallet(name).publicKey.toBase58();
}

interface Selling {
  readonly merchant: Merchant;
  readonly offer: OnSale;
  /** The delegate that the merchant's payers approve. */
  readonly operator: string;
  /** Its payout wallet for both tokens. */
  readonly payout: string;
}

/** A merchant with a monthly offer of 10.00 for either token. */
async function selling(payout = Keypair.generate().publicKey.toBase58()): Promise<Selling> {
  const merchant = await stage().createMerchant();
  for (const tokenKey of [USDC, USDT]) await merchant.api.wallets.register({ tokenKey, receiverWallet: payout });
  const offer = await merchant.createOffer({ price: '10.00', every: 'month', tokens: [USDC, USDT] });
  return { merchant, offer, operator: await operatorFor(merchant.api, USDC), payout };
}

/** The id of a subscription of this wallet. */
async function subscribe({ merchant, offer }: Selling, payer: PublicKey, tokenKey: string): Promise<string> {
  const wallets = [{ chainFamily: 'solana' as const, address: payer.toBase58() }];
  const { id: customerId } = await merchant.api.customers.create({ wallets });
  return (await merchant.api.subscriptions.create({ priceId: offer.priceId, customerId, tokenKey })).id;
}

function untilStatus({ api }: Merchant, id: string, status: string) {
  const ask = async () => api.subscriptions.get(id);
  return until(`${id} is ${status}`, ask, (subscription) => subscription.status === status, PATIENTLY);
}

describe('a subscription that is paid in a Solana token', () => {
  it.each(['USDC', 'USDT'] as const)(
    'of %s begins with the approval, is renewed, lapses and recovers',
    async (ticker) => {
      const seller = await selling();
      const { merchant, operator, payout } = seller;
      const payer = await user.newPayer(units('25.00'), ticker);
      const id = await subscribe(seller, payer.publicKey, `${ticker.toLowerCase()}-solana`);
      const waiting = { status: 'pending', allowanceConfirmed: false };
      expect(await merchant.api.subscriptions.get(id)).toMatchObject(waiting);

      await user.approve(payer, operator, units('1000.00'), ticker);
      const first = await untilStatus(merchant, id, 'active');
      expect(first).toMatchObject({ cyclesCompleted: 1, allowanceConfirmed: true });
      const commitment = { commitment: 'confirmed' } as const;
      const shown = await user.connection.getTransaction(first.lastInvoice?.pullTxHash ?? '', commitment);
      expect(shown?.meta?.err).toBeNull();
      const left = { amount: units('15.00'), delegatedAmount: units('990.00') };
      expect(await user.token(payer.publicKey, ticker)).toMatchObject(left);

      const charge = async () => merchant.api.sandbox.charge({ subscriptionId: id });
      expect(await charge()).toMatchObject({ outcome: 'settled' });
      await user.revoke(payer, ticker);
      expect(await charge()).toMatchObject({ outcome: 'failed', reason: 'insufficient_allowance' });
      await untilStatus(merchant, id, 'past_due');
      await user.approve(payer, Keypair.generate().publicKey.toBase58(), units('1000.00'), ticker);
      expect(await merchant.api.subscriptions.retry(id)).toMatchObject({
        status: 'past_due',
        lastInvoice: { failureReason: 'insufficient_allowance' },
      });
      await user.approve(payer, operator, units('1000.00'), ticker);
      expect(await charge()).toMatchObject({ outcome: 'failed', reason: 'insufficient_balance' });

      await user.mintTo(payer.publicKey, units('10.00'), ticker);
      const recovered = await untilStatus(merchant, id, 'active');
      expect(recovered).toMatchObject({ cyclesCompleted: 3, consecutiveFailures: 0 });
      expect(await user.balanceOf(payout, ticker)).toBe(units('29.70'));
      expect(await user.balanceOf(payer.publicKey, ticker)).toBe(units('5.00'));
    },
    90_000,
  );

  it('is blocked if its payout wallet refuses the token, and charged as soon as that is replaced', async () => {
    const seller = await selling(addressOf('refuses'));
    const { api } = seller.merchant;
    const payer = await user.newPayer(units('25.00'));
    const id = await subscribe(seller, payer.publicKey, USDC);
    await user.approve(payer, seller.operator, units('1000.00'));
    const ask = async () => api.subscriptions.get(id);
    await until('it is blocked', ask, ({ blockedReason }) => blockedReason === 'undeliverable', PATIENTLY);
    await api.wallets.register({ tokenKey: USDC, receiverWallet: addressOf('merchant') });
    await untilStatus(seller.merchant, id, 'active');
    expect(await user.balanceOf(payer.publicKey)).toBe(units('15.00'));
  }, 90_000);
});

describe('a refund in a Solana token', () => {
  it.each(['USDC', 'USDT'] as const)(
    'of %s is sent by the wallet of the merchant, and the webhook tells',
    async (ticker) => {
      const tokenKey = `${ticker.toLowerCase()}-solana`;
      const wallet = await user.newPayer(0n, ticker);
      const seller = await selling(wallet.publicKey.toBase58());
      const { merchant } = seller;
      await merchant.api.webhooks.setEndpoint({ extraEvents: true });
      const payer = await user.newPayer(units('25.00'), ticker);
      const id = await subscribe(seller, payer.publicKey, tokenKey);
      await user.approve(payer, seller.operator, units('1000.00'), ticker);
      await untilStatus(merchant, id, 'active');
      const [{ id: paymentId } = { id: '' }] = await merchant.payments();

      const asked = { amount: '4.00', idempotencyKey: 'a part' };
      const { id: refundId, transactions, ...refund } = await merchant.api.payments.refund(paymentId, asked);
      expect(refund).toMatchObject({ status: 'requested', toWallet: payer.publicKey.toBase58() });
      const [drafted] = transactions ?? [];
      if (drafted?.family !== 'solana') throw new Error('expected a transaction for Solana');
      const signature = await user.sendDrafted(drafted.transaction, wallet);
      const isIts = ({ event, data }: { readonly event: string; readonly data: object }) =>
        event === 'payment.refunded' && Reflect.get(data, 'refundId') === refundId;
      await merchant.receiver.until('the refund is told', isIts);
      const settled = { status: 'settled', txHash: signature, transactions: null };
      expect(await merchant.api.payments.getRefund(paymentId, refundId)).toMatchObject(settled);
      expect(await merchant.api.payments.get(paymentId)).toMatchObject({ refundedAmount: '4.00' });
      expect(await user.balanceOf(payer.publicKey, ticker)).toBe(units('19.00'));
      expect(await user.balanceOf(wallet.publicKey, ticker)).toBe(units('5.90'));
      expect(merchant.receiver.events().filter(isIts)).toHaveLength(1);
    },
    90_000,
  );
});

describe('an address that cannot sign', () => {
  it('is refused in every request, with the reason', async () => {
    const { api, client } = (await selling()).merchant;
    const owner = addressOf('merchant');
    const { id } = await api.customers.create({});
    const bad = user.accountOf(owner).toBase58();
    const wallets = [{ chainFamily: 'solana', address: bad }];
    const once = { amount: '10.00', acceptedTokens: [USDC], billing: { type: 'one_time' } };
    const payment = { fromWallet: addressOf('payer-1'), toWallet: owner, amount: '1.00', tokenKey: USDC };
    const transfer = { toWallet: owner, amount: '1.00', tokenKey: USDC, paymentMethod: 'wallet_transfer' };
    for (const [method, path, body] of [
      ['POST', '/wallets', { tokenKey: USDC, receiverWallet: bad }],
      ['POST', '/offers', { name: 'Once', pricing: [{ ...once, merchantDestinationWallet: bad }] }],
      ['POST', '/payments', { ...payment, toWallet: bad, idempotencyKey: 'to' }],
      ['POST', '/payments', { ...payment, fromWallet: bad, idempotencyKey: 'from' }],
      ['POST', '/payments', { ...transfer, refundWallet: bad, idempotencyKey: 'back' }],
      ['POST', '/customers', { wallets }],
      ['POST', '/customers', { walletAddress: bad }],
      ['PATCH', `/customers/${id}`, { wallets }],
    ] as const) {
      const error = await client.call(method, path, body).catch((each: unknown) => each);
      const why = `must not be a token account; expected the wallet that owns it, which is ${owner}`;
      expect(error).toMatchObject({ status: 400, message: expect.stringContaining(why) });
    }
    expect((await api.customers.get(id)).wallets).toEqual([]);
  });

  it('keeps the service from starting if it is the platform wallet, with the reason', async () => {
    const owner = addressOf('platform');
    const env = { ...stage().env, PLATFORM_WALLET_SOLANA: user.accountOf(owner).toBase58() };
    expect(await failedStart({ dataDir: stage().dataDir, env })).toContain(
      `PLATFORM_WALLET_SOLANA must not be a token account; expected the wallet that owns it, which is ${owner}`,
    );
  });
});

describe('a wallet_transfer in a Solana token', () => {
  let orders = 0;

  /** A payment of 2.50 that waits at an address. */
  async function open({ api }: Merchant, more: object = {}): Promise<{ readonly id: string; readonly at: PublicKey }> {
    orders += 1;
    const { id, depositAddress } = await api.payments.create({
      amount: '2.50',
      tokenKey: USDC,
      toWallet: addressOf('merchant'),
      paymentMethod: 'wallet_transfer',
      idempotencyKey: `deposit ${orders}`,
      ...more,
    });
    return { id, at: new PublicKey(depositAddress ?? '') };
  }

  function untilPaid({ api }: Merchant, id: string) {
    const ask = async () => api.payments.get(id);
    return until(`${id} is settled`, ask, ({ status }) => status === 'settled', PATIENTLY);
  }

  /** What staff see as troubles with deposits. */
  async function troubles() {
    const section = z.looseObject({ name: z.string(), items: z.array(z.looseObject({ id: z.string() })) });
    const { sections } = await askStaff(stage().staff(), 'GET', '/trouble', z.object({ sections: z.array(section) }));
    return sections.find(({ name }) => name === 'held_deposits')?.items;
  }

  it('is charged from its own address without lamports there, and the rest goes to the refund wallet', async () => {
    const { merchant } = await selling();
    const refundWallet = Keypair.generate().publicKey.toBase58();
    const toWallet = Keypair.generate().publicKey.toBase58();
    const { id, at } = await open(merchant, { refundWallet, toWallet });
    const payer = await user.newPayer(units('5.00'));
    await user.transfer(payer, at, units('1.00'));
    await untilOutcomes(stage(), id, 'open');
    await user.transfer(payer, at, units('2.50'));
    expect(await untilPaid(merchant, id)).toMatchObject({ fromWallet: payer.publicKey.toBase58() });
    await untilOutcomes(stage(), id, 'charged', 'refunded');
    const balances = await Promise.all(
      [toWallet, at, refundWallet, payer.publicKey].map((each) => user.balanceOf(each)),
    );
    expect(balances).toEqual([units('2.475'), 0n, units('1.00'), units('1.50')]);
    expect(await user.connection.getBalance(at)).toBe(0);
  }, 120_000);

  it('is paid by a transaction of version 1, and is not canceled while a later version is unreadable', async () => {
    const { merchant } = await selling();
    const payer = await user.newPayer(units('5.00'));
    const [paid, unread] = [await open(merchant), await open(merchant)];
    await user.transferAs(1, payer, paid.at, units('2.50'));
    await untilPaid(merchant, paid.id);
    const signature = await user.transferAs(256, payer, unread.at, units('2.50'));
    const held = { held: 'unread', left: '2.50', txHash: null };
    expect(await untilOutcomes(stage(), unread.id, 'held')).toMatchObject([held]);
    expect(await refusalOf(merchant.api.payments.cancel(unread.id))).toMatch(/^409 /);
    expect(await troubles()).toContainEqual(expect.objectContaining({ id: unread.id }));
    await callSolana(user.rpcUrl, 'tideline_showAs', [signature, 1]);
    await untilPaid(merchant, unread.id);
    await untilOutcomes(stage(), unread.id, 'charged');
  }, 120_000);

  it('in Token-2022 is refunded to the named wallet after a cancel', async () => {
    const { merchant } = await selling();
    const refundWallet = Keypair.generate().publicKey.toBase58();
    const { id, at } = await open(merchant, { tokenKey: USDT, refundWallet });
    await merchant.api.payments.cancel(id);
    await user.transfer(await user.newPayer(units('2.50'), 'USDT'), at, units('2.50'), 'USDT');
    await untilOutcomes(stage(), id, 'refunded');
    expect(await user.balanceOf(refundWallet, 'USDT')).toBe(units('2.50'));
  }, 120_000);

  it('is held for staff if the catalog does not have it, and goes to the wallet that they name', async () => {
    const { merchant } = await selling();
    const { payments } = merchant.api;
    const to = Keypair.generate().publicKey;
    const [inTokens, inLamports] = [await open(merchant), await open(merchant)];
    const mint = await user.strangeToken(inTokens.at, units('5.00'), user.program());
    expect(await payments.cancel(inTokens.id)).toMatchObject({ status: 'canceled' });
    await user.sendLamports(await user.newPayer(1n), inLamports.at, 500_000_000);
    expect(await refusalOf(payments.cancel(inLamports.id))).toContain(
      'Payment is pending, and the native coin lies at its deposit address',
    );
    const trouble = { id: inLamports.id, title: '0.50 native coin' };
    expect(await troubles()).toContainEqual(expect.objectContaining(trouble));

    const [tokens] = await untilOutcomes(stage(), inTokens.id, 'held');
    const [lamports] = await untilOutcomes(stage(), inLamports.id, 'held');
    const unit = `base units of ${mint.toBase58()}`;
    expect(tokens).toMatchObject({ held: 'not_in_catalog', left: '5000000.00', unit });
    expect(lamports).toMatchObject({ held: 'not_in_catalog', left: '0.50', unit: 'native coin' });
    for (const bad of [user.accountOf(addressOf('merchant')), user.program(), mint]) {
      await expect(sendDeposit(stage(), tokens, bad.toBase58())).rejects.toThrow(/400.*to must /s);
    }
    for (const each of [tokens, lamports]) await sendDeposit(stage(), each, to.toBase58());
    for (const { id } of [inTokens, inLamports]) await untilOutcomes(stage(), id, 'refunded');
    const account = getAssociatedTokenAddressSync(mint, to, true, user.program());
    const { amount } = await getAccount(user.connection, account, 'confirmed', user.program());
    expect(amount).toBe(units('5.00'));
    const left = await Promise.all([to, inLamports.at].map((each) => user.connection.getBalance(each, 'confirmed')));
    expect(left).toEqual([500_000_000, 0]);
    expect(await payments.cancel(inLamports.id)).toMatchObject({ status: 'canceled' });
  }, 120_000);

  it('is held without a refund wallet, whoever signed the transfer', async () => {
    const { merchant } = await selling();
    const { id, at } = await open(merchant);
    await user.transfer(await user.newPayer(units('3.00')), at, units('3.00'));
    await untilPaid(merchant, id);
    const held = { held: 'no_refund_wallet', left: '0.50' };
    expect(await untilOutcomes(stage(), id, 'held')).toMatchObject([held]);
    expect(await user.balanceOf(at)).toBe(units('0.50'));
  }, 120_000);
});

describe('the audit of Solana', () => {
  it('finds no difference among charges from allowances and deposits, and refunds', async () => {
    expect(await auditOf(stage().dataDir)).toMatchObject({ exitCode: 0, differences: [] });
  }, 120_000);

  it('finds a refund to another wallet than the deposit says, and unexplained money', async () => {
    const db = (await stage().openClient()).db('tideline');
    const deposits = db.collection<{ _id: string; address: string }>('deposits');
    const refunded = await deposits.findOneAndUpdate(
      { token: { $ne: user.mint().toBase58() }, 'arrivals.fate': 'refunded' },
      { $set: { 'arrivals.0.refund.to': addressOf('platform') } },
    );
    const held = await deposits.findOne({ 'arrivals.fate': 'held' });
    await db.collection<{ _id: string }>('watches').deleteOne({ _id: held?._id ?? '' });
    await user.transfer(await user.newPayer(700n), new PublicKey(held?.address ?? ''), 700n);
    const { exitCode, differences } = await auditOf(stage().dataDir);
    expect([exitCode, differences.length]).toEqual([1, 2]);
    const differs = { kind: 'deposit_differs', paymentId: refunded?._id, what: expect.stringContaining('the to of') };
    expect(differences).toContainEqual(expect.objectContaining(differs));
    const what = expect.stringMatching(/^500700 base units of .* explains 500000$/);
    expect(differences).toContainEqual(expect.objectContaining({ kind: 'residue', paymentId: held?._id, what }));
  }, 120_000);
});

describe('the service on the local Solana chain', () => {
  it('is ready when the payers of its first merchant have approved, so that this replaces no later approval', () => {
    expect(approvedAtFirst).toEqual(expect.any(String));
  });

  it('shows the chain in health, and keeps it through restarts', async () => {
    const { url, token } = stage().staff();
    const headers = { Authorization: `Bearer ${token}` };
    const { details } = z
      .object({ details: z.object({ chains: z.array(z.looseObject({ chainId: z.number() })) }) })
      .parse(await (await fetch(`${url}/health`, { headers })).json());
    const solana = details.chains.find(({ chainId }) => chainId === 104);
    expect(solana).toMatchObject({ label: 'Local Solana', enabled: true, trouble: null });
    const balance = await user.balanceOf(addressOf('merchant'));
    await stage().restart();
    expect(await (await SolanaUser.open(stage().url)).balanceOf(addressOf('merchant'))).toBe(balance);
    expect(stage().service.log()).not.toContain('bigint');
  }, 120_000);
});
