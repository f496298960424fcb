import { type BaseWallet, ContractFactory, Interface, id, MaxUint256, Wallet, zeroPadValue } from 'ethers';
import { z } from 'zod';
import { MACHINES } from '../../machines/versions.ts';
import { tokenNamed, walletNamed } from '../../scripts/lib/devnet-facts.ts';
import { journaledKinds, replayAll } from '../../src/engine/replay-stored.ts';
import type { Store } from '../../src/store/port.ts';
import type { MerchantClient } from '../../stage/merchant-client.ts';
import { receiptOf } from '../../stage/receipt.ts';
import { challengeSchema, signChallenge } from '../../stage/sign-challenge.ts';
import { PLAYING_TOKEN_KEY, TOKEN_KEY } from '../../stage/tokens.ts';
import { until } from '../../stage/until.ts';
import { testArtifacts } from '../chains/contracts/test-artifacts.ts';
import { testMerchant, useStage } from '../support/stage.ts';

/** A page's requests for a payer, against one real process with its database and chain. */
let store: Store;

const stage = useStage({}, async (opened) => {
  store = await opened.store();
});

const asked = z.object({
  operator: z.string(),
  playing: z.object({ token: z.string(), chainId: z.number() }),
  totalBaseUnits: z.string(),
});
const standing = z.looseObject({
  asked,
  isExisting: z.boolean().optional(),
  outcome: z.looseObject({
    progress: z.string(),
    waitsFor: z.string().nullable(),
    subscription: z.looseObject({ id: z.string(), status: z.string() }).nullable(),
    payment: z.looseObject({ id: z.string(), status: z.string() }).nullable(),
  }),
});
type Standing = z.output<typeof standing>;

interface Sale {
  readonly merchant: MerchantClient;
  readonly offerId: string;
  readonly priceId: string;
}

const MONTHLY = { amount: '10.00', acceptedTokens: [TOKEN_KEY], billing: { type: 'recurring', interval: 'month' } };
const ONCE = { amount: '25.00', acceptedTokens: [TOKEN_KEY], billing: { type: 'one_time' } };
const made = z.looseObject({ id: z.string(), pricing: z.array(z.object({ id: z.string() })) });

/** A new merchant with a payout wallet that sells one thing. */
async function sale(option: object, change: object = {}): Promise<Sale> {
  const merchant = await testMerchant(stage());
  const receiverWallet = stage().chain.addressOf('merchant');
  await merchant.call('POST', '/wallets', { tokenKey: TOKEN_KEY, receiverWallet });
  const body = { name: 'Coffee', pricing: [option], afterCompletion: { thanks: true }, ...change };
  const { id, pricing } = made.parse(await merchant.call('POST', '/offers', body));
  return { merchant, offerId: id, priceId: pricing[0]?.id ?? '' };
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

async function ask(method: string, path: string, body?: object): Promise<Reply> {
  const response = await fetch(`${stage().service.url}/checkout/api${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

/** The answer of a successful request. */
async function standingOf(reply: Promise<Reply>): Promise<Standing> {
  const { status, body } = await reply;
  expect([status, body]).toEqual([expect.any(Number), expect.objectContaining({ outcome: expect.anything() })]);
  return standing.parse(body);
}

function payer(name: string): Wallet {
  return new Wallet(walletNamed(stage().chain.facts, name).privateKey, stage().chain.provider);
}

let keys = 0;

function newKey(): string {
  keys += 1;
  return `a-key-that-a-page-has-made-${process.pid}-${keys}`;
}

/** The request of a page after the wallet has signed its text. */
async function signed(path: string, address: string, signer: BaseWallet, more: object) {
  const { body } = await ask('POST', `${path}/challenges`, { address, ...more });
  const challenge = challengeSchema.parse(body);
  return { address, message: challenge.message, signature: await signChallenge(signer, challenge) };
}

async function opening({ offerId, priceId }: Sale, signer: BaseWallet, address = signer.address) {
  const body = await signed(`/offers/${offerId}`, address, signer, { priceId });
  return { ...body, priceId, sessionKey: newKey() };
}

const erc20 = new Interface([
  'function approve(address spender, uint256 amount) returns (bool)',
  'function transfer(address to, uint256 amount) returns (bool)',
]);

async function sends(from: Wallet, to: string, data: string): Promise<void> {
  const sent = await from.sendTransaction({ to, data });
  await receiptOf(stage().chain.provider, sent.hash);
}

async function approves(from: Wallet, { operator, playing }: z.output<typeof asked>, amount: bigint): Promise<void> {
  await sends(from, playing.token, erc20.encodeFunctionData('approve', [operator, amount]));
}

function isSettled({ outcome }: Standing): boolean {
  return outcome.progress === 'completed';
}

/** Two checks of the chain report payment and permit, in either order. */
function isSettledByPermit(standing: Standing): boolean {
  const permit = permitState.safeParse(standing.outcome['permit']).data;
  return isSettled(standing) && permit?.status === 'taken';
}

const permitState = z.object({ status: z.string() });

describe('a subscription by checkout', () => {
  it('goes from challenge to active: signed, approved for the requested sum, charged', async () => {
    const bought = await sale(MONTHLY);
    const wallet = payer('payer-1');
    const body = { ...(await opening(bought, wallet)), collected: { email: 'ada@example.com', seats: 3 } };
    const opened = await standingOf(ask('POST', `/offers/${bought.offerId}/subscriptions`, body));
    expect(opened.outcome).toMatchObject({ progress: 'waiting', waitsFor: 'allowance', afterCompletion: null });
    expect(opened.asked.totalBaseUnits).toBe('120000000');
    await approves(wallet, opened.asked, BigInt(opened.asked.totalBaseUnits));
    const poll = () => standingOf(ask('GET', `/sessions/${body.sessionKey}`));
    expect(await until('it is settled', poll, isSettled)).toMatchObject({
      chain: { allowance: '110.00' },
      outcome: {
        subscription: { status: 'active', cyclesCompleted: 1 },
        payment: { status: 'settled', amount: '10.00' },
        afterCompletion: { thanks: true },
      },
    });
    const { customers } = await bought.merchant.call('GET', `/customers?walletAddress=${wallet.address}`);
    expect(customers).toEqual([expect.objectContaining({ email: 'ada@example.com' })]);
    const { subscriptions } = await bought.merchant.call('GET', '/subscriptions');
    expect(subscriptions).toEqual([
      expect.objectContaining({ customVariables: { seats: 3 }, payerWallet: wallet.address }),
    ]);

    const again = await ask('POST', `/offers/${bought.offerId}/subscriptions`, body);
    expect(again).toMatchObject({ status: 200, body: { outcome: { subscription: { status: 'active' } } } });
    const replayed = { ...body, sessionKey: newKey() };
    expect(await ask('POST', `/offers/${bought.offerId}/subscriptions`, replayed)).toEqual({
      status: 400,
      body: { error: 'message was used before; ask for a new challenge' },
    });
  }, 120_000);

  it('is created once if tabs sign at the same time: one signature is taken, the other tabs sign again', async () => {
    const bought = await sale(MONTHLY);
    const wallet = payer('payer-2');
    const tabs = await Promise.all([opening(bought, wallet), opening(bought, wallet), opening(bought, wallet)]);
    const replies = await Promise.all(tabs.map((body) => ask('POST', `/offers/${bought.offerId}/subscriptions`, body)));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
    const refused = tabs[replies.findIndex(({ status }) => status === 400)];
    const again = { ...(await opening(bought, wallet)), sessionKey: refused?.sessionKey };
    expect((await ask('POST', `/offers/${bought.offerId}/subscriptions`, again)).status).toBe(201);
    const { subscriptions } = await bought.merchant.call('GET', '/subscriptions');
    expect(subscriptions).toHaveLength(1);
    const { customers } = await bought.merchant.call('GET', '/customers');
    expect(customers).toHaveLength(1);
  }, 120_000);

  it('is paid by a wallet that is a contract', async () => {
    const { ContractWallet } = await testArtifacts();
    const owner = payer('payer-3');
    const factory = new ContractFactory(ContractWallet.abi, ContractWallet.bytecode, owner);
    const contract = await (await factory.deploy(owner.address)).waitForDeployment();
    const address = await contract.getAddress();
    const token = tokenNamed(stage().chain.facts, PLAYING_TOKEN_KEY);
    await sends(owner, token, erc20.encodeFunctionData('transfer', [address, 50_000_000n]));

    const bought = await sale(MONTHLY);
    const body = await opening(bought, owner, address);
    const path = `/offers/${bought.offerId}/subscriptions`;
    const stolen = { ...body, signature: await payer('payer-4').signMessage(body.message) };
    expect((await ask('POST', path, stolen)).status).toBe(400);
    const opened = await standingOf(ask('POST', path, body));
    const approve = erc20.encodeFunctionData('approve', [opened.asked.operator, MaxUint256]);
    await sends(owner, address, contract.interface.encodeFunctionData('execute', [token, approve]));
    const poll = () => standingOf(ask('GET', `/sessions/${body.sessionKey}`));
    expect(await until('it is settled', poll, isSettled)).toMatchObject({
      wallet: address,
      chain: { balance: '40.00' },
    });
  }, 120_000);
});

describe('a one-time offer by checkout', () => {
  it('is paid if the payer approves after the page was closed', async () => {
    const bought = await sale(ONCE, { availableQuantity: 1 });
    const wallet = payer('payer-5');
    const body = await opening(bought, wallet);
    const path = `/offers/${bought.offerId}/payments`;
    const opened = await standingOf(ask('POST', path, body));
    expect(opened.outcome).toMatchObject({ progress: 'waiting', waitsFor: 'allowance', payment: null });

    await approves(wallet, opened.asked, BigInt(opened.asked.totalBaseUnits));
    const { merchant, offerId } = bought;
    const payments = async () =>
      z.array(z.looseObject({})).parse((await merchant.call('GET', '/payments'))['payments']);
    const [payment, second] = await until(
      'the first is settled',
      payments,
      ([first]) => first?.['status'] === 'settled',
    );
    expect([payment, second]).toEqual([
      expect.objectContaining({
        source: 'one_time',
        offerId,
        fromWallet: wallet.address,
        toWallet: stage().chain.addressOf('merchant'),
        amount: '25.00',
        idempotencyKey: expect.stringMatching(/^checkout:ses_/),
      }),
      undefined,
    ]);
    const counted = () => merchant.call('GET', `/offers/${offerId}`);
    await until('it is redeemed', counted, ({ redeemedCount }) => redeemedCount === 1);
    const shown = await standingOf(ask('GET', `/sessions/${body.sessionKey}`));
    expect(shown.outcome).toMatchObject({ progress: 'completed', payment: { status: 'settled' } });

    const late = await ask('POST', `/offers/${offerId}/challenges`, { ...body, address: payer('payer-6').address });
    expect(late).toEqual({ status: 400, body: { error: 'The offer is sold out' } });
    expect(await ask('GET', `/offers/${offerId}`)).toMatchObject({ body: { isOpen: false, closedFor: 'sold_out' } });
  }, 120_000);

  it('tries again with a new payment when the missing tokens arrive', async () => {
    const bought = await sale(ONCE);
    const wallet = payer('empty');
    const body = await opening(bought, wallet);
    const opened = await standingOf(ask('POST', `/offers/${bought.offerId}/payments`, body));
    await approves(wallet, opened.asked, 25_000_000n);
    const poll = () => standingOf(ask('GET', `/sessions/${body.sessionKey}`));
    await until(
      'it waits for a balance',
      poll,
      ({ outcome }) => outcome.waitsFor === 'balance' && outcome.payment?.status === 'failed',
    );
    const token = tokenNamed(stage().chain.facts, PLAYING_TOKEN_KEY);
    await sends(payer('payer-6'), token, erc20.encodeFunctionData('transfer', [wallet.address, 25_000_000n]));
    const { merchant } = bought;
    const statuses = async () =>
      z
        .array(z.object({ status: z.string(), failureReason: z.string().nullable() }))
        .parse((await merchant.call('GET', '/payments'))['payments']);
    const tried = await until('the newest is settled', statuses, ([newest]) => newest?.status === 'settled');
    expect(tried.map(({ status, failureReason }) => [status, failureReason])).toEqual([
      ['settled', null],
      ['failed', 'insufficient_balance'],
    ]);
  }, 120_000);
});

describe('a link', () => {
  const url = z.string().transform((text) => text.slice(text.lastIndexOf('/') + 1));

  it('links a wallet to a subscription without one; another one takes over, and pays the next charge', async () => {
    const { merchant, priceId } = await sale(MONTHLY);
    const { id: customerId } = await merchant.call('POST', '/customers', {});
    const created = await merchant.call('POST', '/subscriptions', { priceId, customerId });
    const id = String(created['id']);
    const path = `/authorizations/${url.parse(created['authorizationUrl'])}`;
    const poll = () => standingOf(ask('GET', path));
    expect(await poll()).toMatchObject({ signedBy: null, isAuthorized: false, chain: null });

    const [first, second] = [payer('payer-7'), payer('payer-8')];
    const request = await signed(path, first.address, first, {});
    const linked = await standingOf(ask('POST', path, request));
    expect(linked).toMatchObject({ signedBy: first.address, isAuthorized: false });
    await approves(first, linked.asked, MaxUint256);
    await until('it is settled', poll, isSettled);
    expect(await merchant.call('GET', `/customers/${String(customerId)}`)).toMatchObject({
      wallets: [{ chainFamily: 'evm', address: first.address }],
    });

    const other = await standingOf(ask('POST', path, await signed(path, second.address, second, {})));
    expect(other).toMatchObject({ signedBy: second.address, isAuthorized: false });
    expect(await ask('POST', path, request)).toMatchObject({ status: 200, body: { signedBy: second.address } });
    await approves(second, other.asked, MaxUint256);
    await until('it is authorized', poll, (now) => now['isAuthorized'] === true);
    expect(await merchant.call('POST', '/sandbox/charge', { subscriptionId: id })).toMatchObject({
      outcome: 'settled',
    });
    const { payments } = await merchant.call('GET', `/payments?subscriptionId=${id}`);
    expect(payments).toEqual([second, first].map(({ address }) => expect.objectContaining({ fromWallet: address })));
  }, 120_000);

  it('lets the payer sign a migration', async () => {
    const { merchant, offerId, priceId } = await sale(MONTHLY);
    const wallet = payer('payer-9');
    const body = await opening({ merchant, offerId, priceId }, wallet);
    const { outcome } = await standingOf(ask('POST', `/offers/${offerId}/subscriptions`, body));
    const yearly = { ...MONTHLY, amount: '90.00', billing: { type: 'recurring', interval: 'year' } };
    const grown = made.parse(await merchant.call('POST', `/offers/${offerId}/pricing`, yearly));
    const next = { priceId: grown.pricing[1]?.id };
    const migration = await merchant.call('POST', `/subscriptions/${outcome.subscription?.id}/migrate`, next);
    const path = `/authorizations/${url.parse(migration['authorizationUrl'])}`;
    const request = await signed(path, wallet.address, wallet, {});
    expect(request.message).toContain('I accept new terms of Coffee');
    expect(await standingOf(ask('POST', path, request))).toMatchObject({
      kind: 'migration',
      signedBy: wallet.address,
      asked: { totalBaseUnits: '270000000' },
    });
  }, 120_000);
});

const typedData = z.object({
  types: z.object({ Permit: z.array(z.object({ name: z.string(), type: z.string() })) }),
  domain: z.looseObject({ verifyingContract: z.string() }),
  message: z.looseObject({ value: z.string(), deadline: z.string(), nonce: z.string() }),
});

/** Signs a permit from a page, instead of an approval. */
async function permitOf(given: unknown, signer: BaseWallet) {
  const { types, domain, message } = typedData.parse(given);
  const { value, deadline } = message;
  return { value, deadline, signature: await signer.signTypedData(domain, { Permit: types.Permit }, message) };
}

/** Signs text and permit of a challenge. */
async function signedWithPermit(path: string, signer: BaseWallet, more: object) {
  const { body } = await ask('POST', `${path}/challenges`, { address: signer.address, ...more });
  const { permitToSign, ...challenge } = challengeSchema.extend({ permitToSign: z.unknown() }).parse(body);
  const { message } = challenge;
  const permit = await permitOf(permitToSign, signer);
  return { address: signer.address, message, signature: await signChallenge(signer, challenge), permit };
}

/** A wallet with tokens and without gas. */
async function walletWithoutGas(): Promise<BaseWallet> {
  const wallet = Wallet.createRandom();
  const transfer = erc20.encodeFunctionData('transfer', [wallet.address, 100_000_000n]);
  await sends(payer('payer-6'), tokenNamed(stage().chain.facts, PLAYING_TOKEN_KEY), transfer);
  return wallet;
}

/** The amounts that have left this wallet in each transaction, by the chain's Transfer logs, base units. */
async function takenFrom({ address }: BaseWallet): Promise<bigint[]> {
  const topics = [id('Transfer(address,address,uint256)'), zeroPadValue(address, 32)];
  const logs = await stage().chain.provider.getLogs({ fromBlock: 0, toBlock: 'latest', topics });
  expect(await stage().chain.provider.getTransactionCount(address)).toBe(0);
  const sums = new Map<string, bigint>();
  for (const { transactionHash, data } of logs) {
    sums.set(transactionHash, (sums.get(transactionHash) ?? 0n) + BigInt(data));
  }
  return [...sums.values()];
}

describe('a permit instead of an approval', () => {
  it('lets a wallet without gas subscribe without a transaction', async () => {
    const bought = await sale(MONTHLY);
    const { offerId, priceId } = bought;
    const wallet = await walletWithoutGas();
    const signing = await signedWithPermit(`/offers/${offerId}`, wallet, { priceId });
    expect(signing.permit.value).toBe('120000000');
    const body = { ...signing, priceId, sessionKey: newKey() };
    const path = `/offers/${offerId}/subscriptions`;
    const opened = await standingOf(ask('POST', path, body));
    expect(opened.outcome['permit']).toMatchObject({ failureReason: null, valueBaseUnits: '120000000' });
    const poll = () => standingOf(ask('GET', `/sessions/${body.sessionKey}`));
    expect(await until('it is settled by permit', poll, isSettledByPermit)).toMatchObject({
      chain: { allowance: '110.00', balance: '90.00' },
      outcome: {
        subscription: { status: 'active', cyclesCompleted: 1 },
        permit: { status: 'taken', txHash: expect.stringMatching(/^0x/) },
      },
    });
    expect(await takenFrom(wallet)).toEqual([10_000_000n]);
    expect(await ask('POST', path, body)).toMatchObject({
      status: 200,
      body: { outcome: { permit: { status: 'taken' } } },
    });
  }, 120_000);

  it('pays once if it is submitted after the session was opened', async () => {
    const bought = await sale(ONCE);
    const wallet = await walletWithoutGas();
    const body = await opening(bought, wallet);
    const path = `/offers/${bought.offerId}/payments`;
    const opened = await standingOf(ask('POST', path, body));
    expect(opened.outcome).toMatchObject({ progress: 'waiting', permit: null });
    const permit = await permitOf(opened['permitToSign'], wallet);
    const short = { ...permit, value: '24999999' };
    expect(await ask('POST', path, { ...body, permit: short })).toEqual({
      status: 400,
      body: {
        error:
          'permit.value must be at least 25000000 base units (25.00 USDC), which the next charges take; got 24999999',
      },
    });
    expect((await ask('POST', path, { ...body, permit })).status).toBe(200);
    const poll = () => standingOf(ask('GET', `/sessions/${body.sessionKey}`));
    expect(await until('it is settled by permit', poll, isSettledByPermit)).toMatchObject({
      permitToSign: null,
      outcome: { permit: { status: 'taken' } },
    });
    expect(await takenFrom(wallet)).toEqual([25_000_000n]);
  }, 120_000);

  it('authorizes the subscription of a link', async () => {
    const { merchant, priceId } = await sale(MONTHLY);
    const { id: customerId } = await merchant.call('POST', '/customers', {});
    const created = await merchant.call('POST', '/subscriptions', { priceId, customerId });
    const path = `/authorizations/${String(created['authorizationUrl']).split('/').at(-1)}`;
    const wallet = await walletWithoutGas();
    const body = await signedWithPermit(path, wallet, {});
    const refused = await ask('POST', path, { ...body, permit: { ...body.permit, deadline: '1' } });
    expect(refused).toEqual({
      status: 400,
      body: { error: 'permit.deadline must be at least two minutes ahead, in Unix seconds' },
    });
    const linked = await standingOf(ask('POST', path, body));
    expect(linked.outcome['permit']).toMatchObject({ failureReason: null });
    const poll = () => standingOf(ask('GET', path));
    expect(await until('it is settled by permit', poll, isSettledByPermit)).toMatchObject({
      isAuthorized: true,
      outcome: { permit: { status: 'taken' } },
    });
    expect(await takenFrom(wallet)).toEqual([10_000_000n]);
  }, 120_000);
});

describe('the journals of the checkout', () => {
  it('can be replayed for every actor', async () => {
    let seen = 0;
    for (const kind of journaledKinds(MACHINES)) {
      for await (const { problem } of replayAll(store, MACHINES, kind)) {
        expect(problem).toBeNull();
        seen += 1;
      }
    }
    expect(seen).toBeGreaterThan(8);
  }, 120_000);
});
