import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Keypair, PublicKey } from '@solana/web3.js';
import { MongoClient } from 'mongodb';
import { z } from 'zod';
import { requestJson, UnexpectedStatus } from '../../scripts/lib/json-request.ts';
import { staffToken } from '../../scripts/lib/running-service.ts';
import type { Answer, MerchantClient } from '../../stage/merchant-client.ts';
import type { ServiceProcess } from '../../stage/processes.ts';
import { until } from '../../stage/until.ts';
import { auditOf } from '../support/audit.ts';
import { useGround } from '../support/ground.ts';
import { createTestMerchant } from '../support/merchant.ts';
import { startServiceProcess } from '../support/service.ts';
import { callSolana, getAccount, getAssociatedTokenAddressSync, SolanaUser } from '../support/solana.ts';

/** Merchants that sell for Solana tokens, against one real process; the local chain's balances are the judge. */
let service: ServiceProcess;
let user: SolanaUser;
/** The operator that the test wallet had approved when this new service first reported that it was ready. */
let approvedAtFirst: string | undefined;

/** A merchant's calls are limited per minute. */
const SELDOM = { everyMs: 200, explain: () => service.log() };
/** For lists: a merchant may read 60 a minute. */
const LISTING = { ...SELDOM, everyMs: 1_100 };

const ENVIRONMENT = { LOCAL_DEVNETS: 'on' };
const devnet = z.object({
  solana: z.object({
    rpcUrl: z.string(),
    chainId: z.literal(104),
    tokens: z.array(z.object({ tokenKey: z.string(), mint: z.string(), decimals: z.number() })),
    wallets: z.array(z.object({ name: z.string(), address: z.string(), secretKey: z.string(), behaviour: z.string() })),
  }),
});

const ground = useGround(async (opened) => {
  service = await startServiceProcess({ dataDir: opened.dataDir, env: ENVIRONMENT, waitUntilReady: false });
  opened.onStop(() => service.stop());
  await firstReady();
  user = await userOf(service);
  approvedAtFirst = (await user.token(address('approved')))?.delegate?.toBase58();
});

/** Resolves a few milliseconds after the first 200 of `/readyz`. */
async function firstReady(): Promise<void> {
  await until(
    'it is ready',
    () => fetch(`${service.url}/readyz`).catch(() => null),
    (answer) => answer?.ok === true,
    { everyMs: 2, explain: () => service.log() },
  );
}

async function userOf({ url }: ServiceProcess): Promise<SolanaUser> {
  const { solana } = devnet.parse(await (await fetch(`${url}/devnet.json`)).json());
  const tokens = solana.tokens.map(({ tokenKey, mint, decimals }) => {
    return { ticker: tokenKey.slice(0, 4).toUpperCase(), decimals, address: mint };
  });
  return new SolanaUser({ rpcUrl: solana.rpcUrl, tokens, wallets: solana.wallets });
}

type Ticker = 'USDC' | 'USDT';

interface Shop {
  readonly merchant: MerchantClient;
  readonly priceId: string;
  /** The delegate that the merchant's payers approve. */
  readonly operator: string;
}

const withId = z.looseObject({ id: z.string() });
const listed = z.object({ subscriptions: z.array(z.looseObject({ id: z.string(), allowanceConfirmed: z.boolean() })) });
const catalog = z.object({ chains: z.array(z.looseObject({ chainId: z.number(), operator: z.string().nullable() })) });

/** A merchant with a monthly offer of 10.00 for either token. */
async function openShop(): Promise<Shop> {
  const merchant = await createTestMerchant(() => service, ground.dataDir);
  const receiverWallet = address('merchant');
  for (const tokenKey of ['usdc-solana', 'usdt-solana']) {
    await merchant.call('POST', '/wallets', { tokenKey, receiverWallet });
  }
  const made = await merchant.call('POST', '/offers', {
    name: 'Monthly',
    pricing: [
      {
        amount: '10.00',
        acceptedTokens: ['usdc-solana', 'usdt-solana'],
        billing: { type: 'recurring', interval: 'month' },
      },
    ],
  });
  const [price] = z.object({ pricing: z.array(withId) }).parse(made).pricing;
  const { chains } = catalog.parse(await merchant.call('GET', '/currencies'));
  const solana = chains.find(({ chainId }) => chainId === 101);
  expect(solana).toMatchObject({ enabled: true, playedBy: 104 });
  return { merchant, priceId: price?.id ?? '', operator: solana?.operator ?? '' };
}

function address(name: string): string {
  return user.wallet(name).publicKey.toBase58();
}

async function subscribe({ merchant, priceId }: Shop, wallet: string, ticker: Ticker): Promise<string> {
  const wallets = [{ chainFamily: 'solana', address: wallet }];
  const { id: customerId } = withId.parse(await merchant.call('POST', '/customers', { wallets }));
  const tokenKey = `${ticker.toLowerCase()}-solana`;
  return withId.parse(await merchant.call('POST', '/subscriptions', { priceId, customerId, tokenKey })).id;
}

function untilStatus({ merchant }: Shop, id: string, status: string): Promise<Answer> {
  return until(
    `${id} is ${status}`,
    () => merchant.call('GET', `/subscriptions/${id}`),
    (answer) => answer['status'] === status,
    SELDOM,
  );
}

/** The gains of these wallets since the returned function was made, base units. */
async function balances(ticker: Ticker, ...names: string[]): Promise<() => Promise<bigint[]>> {
  const read = () => Promise.all(names.map(async (name) => (await user.balanceOf(address(name), ticker)) ?? 0n));
  const before = await read();
  return async () => (await read()).map((balance, index) => balance - (before[index] ?? 0n));
}

describe('a subscription that is paid in a Solana token', () => {
  it.each(['USDC', 'USDT'] as const)(
    'of %s begins with the approval, is renewed, lapses and recovers',
    async (ticker) => {
      const shop = await openShop();
      const { merchant, operator } = shop;
      const payer = await user.newPayer(25_000_000n, ticker);
      const gained = await balances(ticker, 'merchant', 'platform');
      const id = await subscribe(shop, payer.publicKey.toBase58(), ticker);
      expect(await merchant.call('GET', `/subscriptions/${id}`)).toMatchObject({
        status: 'pending',
        allowanceConfirmed: false,
      });

      await user.approve(payer, operator, 1_000_000_000n, ticker);
      const first = await untilStatus(shop, id, 'active');
      expect(first).toMatchObject({ cyclesCompleted: 1, allowanceConfirmed: true });
      const { pullTxHash } = z.looseObject({ pullTxHash: z.string() }).parse(first['lastInvoice']);
      const shown = await user.connection.getTransaction(pullTxHash, { commitment: 'confirmed' });
      expect(shown?.meta?.err).toBeNull();
      expect(await gained()).toEqual([9_900_000n, 100_000n]);
      expect(await user.token(payer.publicKey, ticker)).toMatchObject({
        amount: 15_000_000n,
        delegatedAmount: 990_000_000n,
      });

      const charge = () => merchant.call('POST', '/sandbox/charge', { subscriptionId: id });
      expect(await charge()).toMatchObject({ outcome: 'settled' });
      expect(await gained()).toEqual([19_800_000n, 200_000n]);

      await user.revoke(payer, ticker);
      expect(await charge()).toMatchObject({ outcome: 'failed', reason: 'insufficient_allowance' });
      await untilStatus(shop, id, 'past_due');
      await user.approve(payer, Keypair.generate().publicKey.toBase58(), 1_000_000_000n, ticker);
      expect(await merchant.call('POST', `/subscriptions/${id}/retry`)).toMatchObject({
        status: 'past_due',
        lastInvoice: { failureReason: 'insufficient_allowance' },
      });
      await user.approve(payer, operator, 1_000_000_000n, ticker);
      expect(await charge()).toMatchObject({ outcome: 'failed', reason: 'insufficient_balance' });

      await user.mintTo(payer.publicKey, 10_000_000n, ticker);
      expect(await untilStatus(shop, id, 'active')).toMatchObject({ cyclesCompleted: 3, consecutiveFailures: 0 });
      expect(await gained()).toEqual([29_700_000n, 300_000n]);
      expect(await user.balanceOf(payer.publicKey, ticker)).toBe(5_000_000n);
    },
    90_000,
  );

  it('shows soon whether its allowance covers the next charge, whatever has changed it', async () => {
    const shop = await openShop();
    const { merchant, operator } = shop;
    const payer = await user.newPayer(100_000_000n);
    const first = await subscribe(shop, payer.publicKey.toBase58(), 'USDC');
    const { customerId } = await merchant.call('GET', `/subscriptions/${first}`);
    const body = { priceId: shop.priceId, customerId: z.string().parse(customerId), tokenKey: 'usdc-solana' };
    const second = withId.parse(await merchant.call('POST', '/subscriptions', body)).id;
    const confirmed = async (what: string, expected: readonly [boolean, boolean]) => {
      const read = async () => {
        const { subscriptions } = listed.parse(await merchant.call('GET', '/subscriptions'));
        const mine = new Map(subscriptions.map((each) => [each.id, each.allowanceConfirmed]));
        return [mine.get(first), mine.get(second)];
      };
      await until(what, read, ([one, other]) => one === expected[0] && other === expected[1], LISTING);
    };
    await user.approve(payer, operator, 20_000_000n);
    for (const id of [first, second]) await untilStatus(shop, id, 'active');
    await confirmed('the charges have taken all', [false, false]);
    await user.approve(payer, operator, 15_000_000n);
    await until(
      'one of them is covered',
      async () =>
        listed
          .parse(await merchant.call('GET', '/subscriptions'))
          .subscriptions.filter((each) => each.allowanceConfirmed),
      (covered) => covered.length === 1,
      LISTING,
    );
    await user.approve(payer, Keypair.generate().publicKey.toBase58(), 1_000_000_000n);
    await confirmed('another service has the delegate', [false, false]);
    await user.approve(payer, operator, 20_000_000n);
    await confirmed('both are covered', [true, true]);
    await user.revoke(payer);
    await confirmed('it is revoked', [false, false]);
  });

  it('begins at once for the wallet that has approved the newest merchant, and fails for the other test wallets', async () => {
    const shop = await openShop();
    const ids = await Promise.all(
      (['approved', 'empty', 'reverts'] as const).map((name) => subscribe(shop, address(name), 'USDC')),
    );
    await untilStatus(shop, ids[0] ?? '', 'active');
    const outcomes = await Promise.all(
      ids.slice(1).map((id) =>
        until(
          `${id} has an invoice`,
          () => shop.merchant.call('GET', `/subscriptions/${id}`),
          ({ lastInvoice }) => lastInvoice !== null,
          SELDOM,
        ),
      ),
    );
    expect(outcomes.map(({ lastInvoice }) => lastInvoice)).toMatchObject([
      { status: 'failed', failureReason: 'insufficient_balance' },
      { status: 'failed', failureReason: 'pull_reverted' },
    ]);
  }, 120_000);
});

describe("a recipient's address without a signer", () => {
  it('is refused in every request, with the reason', async () => {
    const { merchant } = await openShop();
    const refused = async (path: string, body: object): Promise<unknown> => {
      const error = await merchant.call('POST', path, body).catch((each: unknown) => each);
      if (!(error instanceof UnexpectedStatus)) throw new Error(`${path} was not refused`);
      expect(error.status).toBe(400);
      return error.message;
    };
    const owner = address('merchant');
    const account = user.accountOf(owner).toBase58();
    const isAccount = expect.stringContaining(
      `must not be a token account; expected the wallet that owns it, which is ${owner}`,
    );
    const isProgram = expect.stringContaining('must not be a program');
    for (const [bad, why] of [
      [account, isAccount],
      [user.program().toBase58(), isProgram],
    ] as const) {
      expect(await refused('/wallets', { tokenKey: 'usdc-solana', receiverWallet: bad })).toEqual(why);
      const option = { amount: '10.00', acceptedTokens: ['usdc-solana'], billing: { type: 'one_time' } };
      const pricing = [{ ...option, merchantDestinationWallet: bad }];
      expect(await refused('/offers', { name: 'Once', pricing })).toEqual(why);
      const payment = { toWallet: bad, fromWallet: address('payer-1'), amount: '1.00', tokenKey: 'usdc-solana' };
      expect(await refused('/payments', { ...payment, idempotencyKey: `to-${bad}` })).toEqual(why);
      const deposit = { toWallet: owner, refundWallet: bad, amount: '1.00', tokenKey: 'usdc-solana' };
      const sent = { ...deposit, paymentMethod: 'wallet_transfer', idempotencyKey: `back-${bad}` };
      expect(await refused('/payments', sent)).toEqual(why);
    }
  });
});

describe("a payer's address that cannot sign", () => {
  it('is refused as the wallet of a customer and as the payer of a payment, with the reason', async () => {
    const { merchant } = await openShop();
    const { id } = withId.parse(await merchant.call('POST', '/customers', {}));
    const owner = address('merchant');
    const [vault] = PublicKey.findProgramAddressSync([Buffer.from('vault')], user.program());
    for (const [bad, why] of [
      [user.accountOf(owner).toBase58(), `a token account; expected the wallet that owns it, which is ${owner}`],
      [user.program().toBase58(), 'a program'],
      [user.mint().toBase58(), 'the address of a token'],
      [vault.toBase58(), 'an address without a key'],
    ] as const) {
      const refused = async (method: 'POST' | 'PATCH', path: string, body: object, field: string): Promise<void> => {
        const error = await merchant.call(method, path, body).catch((each: unknown) => each);
        expect(error).toMatchObject({ status: 400, message: expect.stringContaining(`${field} must not be ${why}`) });
      };
      const wallets = [{ chainFamily: 'solana', address: bad }];
      await refused('POST', '/customers', { wallets }, 'wallets[0].address');
      await refused('POST', '/customers', { walletAddress: bad }, 'wallets[0].address');
      await refused('PATCH', `/customers/${id}`, { wallets }, 'wallets[0].address');
      const payment = { toWallet: owner, fromWallet: bad, amount: '1.00', tokenKey: 'usdc-solana' };
      await refused('POST', '/payments', { ...payment, idempotencyKey: `from-${bad}` }, 'fromWallet');
    }
    expect(await merchant.call('GET', `/customers/${id}`)).toMatchObject({ wallets: [] });
  });
});

describe('a platform wallet without a signer', () => {
  it('keeps the service from starting, with the reason', async () => {
    const owner = address('platform');
    const env = { ...ENVIRONMENT, PLATFORM_WALLET_SOLANA: user.accountOf(owner).toBase58() };
    const second = await startServiceProcess({ dataDir: ground.dataDir, env, waitUntilReady: false });
    expect((await second.exited).code).toBe(1);
    expect(second.log()).toContain(
      `PLATFORM_WALLET_SOLANA must not be a token account; expected the wallet that owns it, which is ${owner}`,
    );
  });
});

describe('POST /payments in a Solana token', () => {
  function pay({ merchant }: Shop, fields: object): Promise<Answer> {
    const key = Math.random().toString(36);
    return merchant.call('POST', '/payments', {
      amount: '2.50',
      tokenKey: 'usdc-solana',
      idempotencyKey: key,
      ...fields,
    });
  }

  it('moves every share in one transaction, even to a wallet that never had the token', async () => {
    const shop = await openShop();
    const payer = await user.newPayer(5_000_000n);
    await user.approve(payer, shop.operator, 5_000_000n);
    const to = Keypair.generate().publicKey;
    const gained = await balances('USDC', 'platform');
    const payment = await pay(shop, { fromWallet: payer.publicKey.toBase58(), toWallet: to.toBase58() });
    expect(payment).toMatchObject({
      status: 'settled',
      chainId: 101,
      platformAmount: '0.025',
      merchantAmount: '2.475',
    });
    expect(payment['forwardTxHash']).toBe(payment['pullTxHash']);
    expect(payment['platformTransferTxHash']).toBe(payment['pullTxHash']);
    expect(await user.balanceOf(to)).toBe(2_475_000n);
    expect(await gained()).toEqual([25_000n]);
    expect(await user.balanceOf(payer.publicKey)).toBe(2_500_000n);
  }, 120_000);

  it('fails for the real reason, and moves nothing', async () => {
    const shop = await openShop();
    const toWallet = address('merchant');
    const of = (name: string) => ({ fromWallet: address(name), toWallet });
    const gained = await balances('USDC', 'merchant', 'platform', 'approved', 'reverts');
    expect(await pay(shop, of('payer-9'))).toMatchObject({ failureReason: 'insufficient_allowance' });
    expect(await pay(shop, of('empty'))).toMatchObject({ failureReason: 'insufficient_balance' });
    expect(await pay(shop, of('reverts'))).toMatchObject({ failureReason: 'pull_reverted' });
    const refused = { fromWallet: address('approved'), toWallet: address('refuses') };
    expect(await pay(shop, refused)).toMatchObject({ status: 'failed', failureReason: 'forward_reverted' });
    expect(await gained()).toEqual([0n, 0n, 0n, 0n]);
  }, 120_000);

  it('is made once by a service that is killed between storing and sending, and its successor', async () => {
    const shop = await openShop();
    const payer = await user.newPayer(5_000_000n);
    await user.approve(payer, shop.operator, 5_000_000n);
    await service.stop();
    const env = { ...ENVIRONMENT, FAULTS: 'sender.stored.after=kill' };
    service = await startServiceProcess({ dataDir: ground.dataDir, env });
    const body = {
      amount: '2.50',
      tokenKey: 'usdc-solana',
      idempotencyKey: 'killed',
      fromWallet: payer.publicKey.toBase58(),
      toWallet: address('merchant'),
    };
    await expect(shop.merchant.call('POST', '/payments', body)).rejects.toThrow();
    expect((await service.exited).signal).toBe('SIGKILL');
    service = await startServiceProcess({ dataDir: ground.dataDir, env: ENVIRONMENT });
    const settled = await until(
      'it is settled',
      () => shop.merchant.call('POST', '/payments', body),
      ({ status }) => status === 'settled',
      SELDOM,
    );
    expect(settled['pullTxHash']).toEqual(expect.any(String));
    expect(await user.balanceOf(payer.publicKey)).toBe(2_500_000n);
  }, 120_000);
});

describe('a wallet_transfer in a Solana token', () => {
  const opened = z.looseObject({ id: z.string(), depositAddress: z.string() });

  async function open({ merchant }: Shop, more: object = {}) {
    return opened.parse(
      await merchant.call('POST', '/payments', {
        amount: '2.50',
        tokenKey: 'usdc-solana',
        toWallet: address('merchant'),
        paymentMethod: 'wallet_transfer',
        idempotencyKey: Math.random().toString(36),
        ...more,
      }),
    );
  }

  const arrival = z.looseObject({
    id: z.string(),
    unit: z.string(),
    fate: z.string(),
    held: z.string().nullable(),
    left: z.string(),
  });

  function staff(path: string, body?: object): Promise<Answer> {
    const { token } = staffToken({ DATA_DIR: ground.dataDir });
    return requestJson({
      method: body === undefined ? 'GET' : 'POST',
      url: `${service.url}/staff/api${path}`,
      headers: { Authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body }),
      schema: z.record(z.string(), z.unknown()),
      expected: [200],
    });
  }

  /** The ids in one section of the troubles. */
  async function troubleOf(name: string) {
    const section = z.looseObject({ name: z.string(), items: z.array(z.looseObject({ id: z.string() })) });
    const { sections } = z.object({ sections: z.array(section) }).parse(await staff('/trouble'));
    return sections.find((each) => each.name === name)?.items;
  }

  /** Waits for the outcomes of a payment's arrivals, as staff see them. */
  async function untilFates(id: string, ...fates: readonly string[]) {
    const ask = (): Promise<Answer> => staff(`/payments/${id}/deposits`);
    const read = (answer: Answer) => z.array(arrival).parse(answer['deposits']);
    const isSo = (answer: Answer) =>
      read(answer)
        .map(({ fate }) => fate)
        .join() === fates.join();
    return read(await until(`what arrived for ${id} is ${fates.join()}`, ask, isSo, SELDOM));
  }

  function untilPaid({ merchant }: Shop, id: string): Promise<Answer> {
    return until(
      `${id} is settled`,
      () => merchant.call('GET', `/payments/${id}`),
      ({ status }) => status === 'settled',
      SELDOM,
    );
  }

  it('is charged from its own address without lamports there, and the rest goes to the refund wallet', async () => {
    const shop = await openShop();
    const refundWallet = Keypair.generate().publicKey.toBase58();
    const { id, depositAddress } = await open(shop, { refundWallet });
    const payer = await user.newPayer(5_000_000n);
    const gained = await balances('USDC', 'merchant', 'platform');
    await user.transfer(payer, new PublicKey(depositAddress), 1_000_000n);
    await untilFates(id, 'open');
    await user.transfer(payer, new PublicKey(depositAddress), 2_500_000n);
    expect(await untilPaid(shop, id)).toMatchObject({ fromWallet: payer.publicKey.toBase58() });
    await untilFates(id, 'charged', 'refunded');
    expect(await gained()).toEqual([2_475_000n, 25_000n]);
    expect(await user.balanceOf(depositAddress)).toBe(0n);
    expect([await user.balanceOf(refundWallet), await user.balanceOf(payer.publicKey)]).toEqual([
      1_000_000n,
      1_500_000n,
    ]);
    expect(await user.connection.getBalance(new PublicKey(depositAddress))).toBe(0);
  }, 120_000);

  it('is paid by a transaction of version 1, and is not canceled while a later version is unreadable', async () => {
    const shop = await openShop();
    const payer = await user.newPayer(5_000_000n);
    const send = (to: string, version: number) => user.transferAs(version, payer, new PublicKey(to), 2_500_000n);
    const [paid, unread] = [await open(shop), await open(shop)];
    await send(paid.depositAddress, 1);
    await untilPaid(shop, paid.id);
    const signature = await send(unread.depositAddress, 256);
    expect(await untilFates(unread.id, 'held')).toMatchObject([{ held: 'unread', left: '2.50', txHash: null }]);
    await expect(shop.merchant.call('POST', `/payments/${unread.id}/cancel`)).rejects.toThrow(/409/);
    expect(await troubleOf('held_deposits')).toContainEqual(expect.objectContaining({ id: unread.id }));
    await callSolana(user.rpcUrl, 'tideline_showAs', [signature, 1]);
    await untilPaid(shop, unread.id);
    await untilFates(unread.id, 'charged');
  }, 120_000);

  it('in Token-2022 is refunded to the named wallet after a cancel', async () => {
    const shop = await openShop();
    const refundWallet = Keypair.generate().publicKey.toBase58();
    const { id, depositAddress } = await open(shop, { tokenKey: 'usdt-solana', refundWallet });
    await shop.merchant.call('POST', `/payments/${id}/cancel`);
    const payer = await user.newPayer(2_500_000n, 'USDT');
    await user.transfer(payer, new PublicKey(depositAddress), 2_500_000n, 'USDT');
    await untilFates(id, 'refunded');
    expect(await user.balanceOf(refundWallet, 'USDT')).toBe(2_500_000n);
  }, 120_000);

  it('is held for staff if the catalog does not have it, and goes to the wallet that they name', async () => {
    const shop = await openShop();
    const { id, depositAddress } = await open(shop);
    const [owner, to] = [new PublicKey(depositAddress), Keypair.generate().publicKey];
    const mint = await user.strangeToken(owner, 5_000_000n, user.program());
    expect(await shop.merchant.call('POST', `/payments/${id}/cancel`)).toMatchObject({ status: 'canceled' });
    await untilFates(id, 'held');

    const other = await open(shop);
    await user.sendLamports(await user.newPayer(1n), new PublicKey(other.depositAddress), 500_000_000);
    const isRefused = 'Payment is pending, and the native coin lies at its deposit address';
    await expect(shop.merchant.call('POST', `/payments/${other.id}/cancel`)).rejects.toThrow(isRefused);
    expect(await troubleOf('held_deposits')).toContainEqual(
      expect.objectContaining({ id: other.id, title: '0.50 native coin' }),
    );

    const [tokens] = await untilFates(id, 'held');
    const [lamports] = await untilFates(other.id, 'held');
    const unit = `base units of ${mint.toBase58()}`;
    expect(tokens).toMatchObject({ held: 'not_in_catalog', left: '5000000.00', unit });
    expect(lamports).toMatchObject({ held: 'not_in_catalog', left: '0.50', unit: 'native coin' });
    const reason = 'the payer has asked for it';
    for (const bad of [user.accountOf(address('merchant')), user.program(), mint]) {
      const sending = staff(`/deposits/${tokens?.id}/send`, { to: bad.toBase58(), reason });
      await expect(sending).rejects.toThrow(/400.*to must /s);
    }
    for (const each of [tokens, lamports]) {
      await staff(`/deposits/${each?.id}/send`, { to: to.toBase58(), reason });
    }
    await untilFates(id, 'refunded');
    await untilFates(other.id, 'refunded');
    const account = getAssociatedTokenAddressSync(mint, to, true, user.program());
    expect((await getAccount(user.connection, account, 'confirmed', user.program())).amount).toBe(5_000_000n);
    expect(await user.connection.getBalance(to, 'confirmed')).toBe(500_000_000);
    expect(await user.connection.getBalance(new PublicKey(other.depositAddress), 'confirmed')).toBe(0);
    expect(await shop.merchant.call('POST', `/payments/${other.id}/cancel`)).toMatchObject({ status: 'canceled' });
  }, 120_000);

  it('is held without a refund wallet, whoever signed the transfer', async () => {
    const shop = await openShop();
    const { id, depositAddress } = await open(shop);
    await user.transfer(await user.newPayer(3_000_000n), new PublicKey(depositAddress), 3_000_000n);
    await untilPaid(shop, id);
    expect(await untilFates(id, 'held')).toMatchObject([{ held: 'no_refund_wallet', left: '0.50' }]);
    expect(await user.balanceOf(depositAddress)).toBe(500_000n);
  }, 120_000);
});

describe('the audit of Solana', () => {
  it('finds no difference among charges from allowances and deposits, and refunds', async () => {
    expect(await auditOf(ground.dataDir)).toMatchObject({ exitCode: 0, differences: [] });
  }, 120_000);

  it('finds a refund to another wallet than the deposit says, and unexplained money', async () => {
    const client = await MongoClient.connect((await readFile(join(ground.dataDir, 'mongodb.uri'), 'utf8')).trim());
    try {
      const db = client.db('tideline');
      const deposits = db.collection<{ _id: string; address: string }>('deposits');
      const refunded = await deposits.findOneAndUpdate(
        { token: { $ne: user.mint().toBase58() }, 'arrivals.fate': 'refunded' },
        { $set: { 'arrivals.0.refund.to': address('platform') } },
      );
      const held = await deposits.findOne({ 'arrivals.fate': 'held' });
      await db.collection<{ _id: string }>('watches').deleteOne({ _id: held?._id ?? '' });
      await user.transfer(await user.newPayer(700n), new PublicKey(held?.address ?? ''), 700n);
      const { exitCode, differences } = await auditOf(ground.dataDir);
      expect([exitCode, differences.length]).toEqual([1, 2]);
      const differs = { kind: 'deposit_differs', paymentId: refunded?._id, what: expect.stringContaining('the to of') };
      expect(differences).toContainEqual(expect.objectContaining(differs));
      const what = expect.stringMatching(/^500700 base units of .* explains 500000$/);
      expect(differences).toContainEqual(expect.objectContaining({ kind: 'residue', paymentId: held?._id, what }));
    } finally {
      await client.close();
    }
  }, 120_000);
});

describe('the service on the local Solana chain', () => {
  it('is ready when the payers of its first merchant have approved, so that this replaces no later approval', () => {
    expect(approvedAtFirst).toEqual(expect.any(String));
  });

  it('shows the chain in health, and keeps it through restarts', async () => {
    const headers = { Authorization: `Bearer ${staffToken({ DATA_DIR: ground.dataDir }).token}` };
    const health = async () =>
      z
        .looseObject({ chains: z.array(z.looseObject({ chainId: z.number() })) })
        .parse(
          z
            .looseObject({ details: z.unknown() })
            .parse(await (await fetch(`${service.url}/health`, { headers })).json()).details,
        );
    const solana = (await health()).chains.find(({ chainId }) => chainId === 104);
    expect(solana).toMatchObject({ label: 'Local Solana', enabled: true, trouble: null });
    const balance = await user.balanceOf(address('merchant'));
    await service.stop();
    service = await startServiceProcess({ dataDir: ground.dataDir, env: ENVIRONMENT });
    expect(await (await userOf(service)).balanceOf(address('merchant'))).toBe(balance);
    expect(service.log()).not.toContain('bigint');
  }, 120_000);
});
