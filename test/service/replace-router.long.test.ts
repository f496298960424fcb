import { Contract, getAddress, Interface, id, parseEther, type Signer, Wallet } from 'ethers';
import { z } from 'zod';
import { requestJson } from '../../scripts/lib/json-request.ts';
import { silentLog } from '../../scripts/lib/silent-log.ts';
import { createMerchant } from '../../scripts/lib/staff.ts';
import { deployRouter } from '../../scripts/ops/contracts/deploy.ts';
import { TOKEN_ROWS } from '../../src/chains/catalog-rows.ts';
import { chargedTopic, depositRefundedTopic } from '../../src/chains/evm/contracts/charge-logs.ts';
import { deployTestTokenData, testTokenInterface } from '../../src/chains/evm/contracts/test-token.ts';
import type { ChargeDoc, ChargeState } from '../../src/store/collections.ts';
import { openMongoStore } from '../../src/store/mongo/store.ts';
import type { Store } from '../../src/store/port.ts';
import type { Answer } from '../../stage/merchant-client.ts';
import type { ServiceProcess } from '../../stage/processes.ts';
import { receiptOf } from '../../stage/receipt.ts';
import { challengeSchema, signChallenge } from '../../stage/sign-challenge.ts';
import { until } from '../../stage/until.ts';
import { runOps } from '../scripts/support/run-script.ts';
import { type Anvil, startAnvil } from '../support/anvil.ts';
import { startTestDevnet, type TestDevnet } from '../support/devnet.ts';
import { startServiceProcess } from '../support/service.ts';

/**
 * A router is replaced under load (docs/rules.md, "Routers"): real processes on a real database and node. When the list
 * of routers changes, charges wait, are in flight, are final and still watched, and past due; permits wait; deposits
 * are not swept. Afterwards everything settles, and the Transfer logs say that nothing was lost or doubled.
 */
const SEPOLIA = 84_532;
const TOKEN_KEY = 'usdc-base-sepolia';
const STAFF_TOKEN = 'staff-token-of-this-test';
const PRICE = 10_000_000n;

const owner = Wallet.createRandom();
const sender = Wallet.createRandom();
const platform = Wallet.createRandom().address;
const payout = Wallet.createRandom().address;
const refunds = Wallet.createRandom().address;
const elsewhere = Wallet.createRandom().address;

let devnet: TestDevnet;
let anvil: Anvil;
let store: Store;
let usdc: string;
let old: string;
let newer: string;
let service: ServiceProcess;
let key: string;
let shop: { readonly offerId: string; readonly priceId: string };

beforeAll(async () => {
  // A block is finalized after 32 more: charges stay watched for the whole test.
  [devnet, anvil] = await Promise.all([
    startTestDevnet({ mongo: true, evm: false }),
    startAnvil({ chainId: SEPOLIA, epoch: 64 }),
  ]);
  for (const { address } of [owner, sender]) await fund(address);
  [old, newer] = [await newRouter(), await newRouter()];
  usdc = TOKEN_ROWS.find((row) => row.chainId === SEPOLIA && row.ticker === 'USDC')?.address ?? '';
  const params = { name: 'USDC', symbol: 'USDC', decimals: 6, owner: owner.address };
  const { hash } = await owner.connect(anvil.provider).sendTransaction({ data: deployTestTokenData(params) });
  const made = await receiptOf(anvil.provider, hash);
  await anvil.provider.send('anvil_setCode', [usdc, await anvil.provider.getCode(made.contractAddress ?? '')]);
  store = await openMongoStore({ uri: devnet.mongoUri, dbName: 'routers', log: silentLog });
}, 120_000);

afterAll(async () => {
  await service?.stop();
  await store?.close();
  await anvil?.stop();
}, 120_000);

function newRouter(): Promise<string> {
  const { rpcUrl } = anvil;
  const parties = { deployerKey: owner.privateKey, owner: owner.address, senders: [sender.address] };
  return deployRouter({ chainId: SEPOLIA, rpcUrl, ...parties, payeeDelay: 0 }, () => {});
}

function environmentOf(routers: readonly string[], role: 'all' | 'api' = 'all') {
  return {
    TIDELINE_ROLE: role,
    LOCAL_DEVNETS: 'off',
    WEBHOOK_ALLOW_LOOPBACK: '0',
    HOST: '127.0.0.1',
    MONGODB_URI: devnet.mongoUri,
    MONGODB_DB: 'routers',
    STAFF_TOKEN,
    SIGNING_KEY: '07'.repeat(32),
    [`RPC_URL_${SEPOLIA}`]: anvil.rpcUrl,
    [`ROUTER_${SEPOLIA}`]: routers.join(','),
    [`CONFIRMATIONS_${SEPOLIA}`]: '1',
    ...(role === 'api' ? { SENDER_ADDRESSES_EVM: sender.address } : { SENDER_KEYS_EVM: sender.privateKey }),
    PLATFORM_WALLET_EVM: platform,
  };
}

/** A process with this list of routers; it may not be ready yet. */
function spawn(
  routers: readonly string[],
  role: 'all' | 'api' = 'all',
  waitUntilReady = true,
): Promise<ServiceProcess> {
  return startServiceProcess({ dataDir: devnet.dataDir, env: environmentOf(routers, role), waitUntilReady });
}

async function fund(address: string): Promise<void> {
  await anvil.provider.send('anvil_setBalance', [address, `0x${parseEther('100').toString(16)}`]);
}

async function act(by: Signer, name: string, ...args: unknown[]): Promise<void> {
  const sent = await by.sendTransaction({ to: usdc, data: testTokenInterface.encodeFunctionData(name, args) });
  await sent.wait();
}

/** A wallet with 100 USDC and gas. */
async function newWallet(): Promise<Wallet> {
  const wallet = new Wallet(Wallet.createRandom().privateKey, anvil.provider);
  await fund(wallet.address);
  await act(owner.connect(anvil.provider), 'mint', wallet.address, 100_000_000n);
  return wallet;
}

/** A wallet that has approved these operators. */
async function approver(amount: bigint, ...operators: string[]): Promise<Wallet> {
  const wallet = await newWallet();
  for (const operator of operators) await act(wallet, 'approve', operator, amount);
  return wallet;
}

async function balanceOf(wallet: string): Promise<bigint> {
  return BigInt(await new Contract(usdc, testTokenInterface, anvil.provider).getFunction('balanceOf')(wallet));
}

type Method = Parameters<typeof requestJson>[0]['method'];

function call(method: Method, path: string, body?: object): Promise<Answer> {
  return requestJson({
    method,
    url: `${service.url}/v1${path}`,
    headers: { 'X-API-Key': key },
    body,
    schema: z.record(z.string(), z.unknown()),
    expected: [200, 201],
  });
}

const withId = z.looseObject({ id: z.string() });

async function openShop(): Promise<typeof shop> {
  await call('POST', '/wallets', { tokenKey: TOKEN_KEY, receiverWallet: payout });
  const billing = { type: 'recurring', interval: 'month' };
  const pricing = [{ amount: '10.00', acceptedTokens: [TOKEN_KEY], billing }];
  const offer = await call('POST', '/offers', { name: 'Monthly', pricing });
  const [price] = z.array(withId).parse(offer['pricing']);
  return { offerId: withId.parse(offer).id, priceId: price?.id ?? '' };
}

async function operator(): Promise<string> {
  const { chains } = await call('GET', '/currencies?includeTestnets=true');
  const known = z.array(z.looseObject({ chainId: z.number(), operator: z.string().nullable() })).parse(chains);
  return known.find(({ chainId }) => chainId === SEPOLIA)?.operator ?? '';
}

interface Subscribed {
  readonly id: string;
  readonly wallet: Wallet;
  readonly link: string;
}

async function subscribe(wallet: Wallet): Promise<Subscribed> {
  const wallets = [{ chainFamily: 'evm', address: wallet.address }];
  const { id: customerId } = withId.parse(await call('POST', '/customers', { wallets }));
  const made = await call('POST', '/subscriptions', { priceId: shop.priceId, customerId, tokenKey: TOKEN_KEY });
  const { id: subscription, authorizationUrl } = withId.extend({ authorizationUrl: z.string() }).parse(made);
  return { id: subscription, wallet, link: authorizationUrl };
}

/** Nodes and the API are asked rarely. */
const PATIENTLY = { everyMs: 300, explain: () => service.log().slice(-4_000) };

function untilStatus(what: 'subscriptions' | 'payments', of: string, status: string): Promise<Answer> {
  return until(
    `${of} is ${status}`,
    () => call('GET', `/${what}/${of}`),
    (each) => each['status'] === status,
    PATIENTLY,
  );
}

let keys = 0;

/** Asks for a payment, and does not wait for its outcome. Returns its id. */
async function pay(body: object): Promise<string> {
  keys += 1;
  const idempotencyKey = `payment-${keys}`;
  const request = { amount: '10.00', tokenKey: TOKEN_KEY, toWallet: payout, idempotencyKey, ...body };
  void call('POST', '/payments', request).catch(() => undefined);
  const known = () => store.records.get('paymentKeys', [`test:${idempotencyKey}`]);
  const [found] = await until('the payment is stored', known, ([stored]) => stored !== undefined);
  return found?.paymentId ?? '';
}

async function depositFor(refundWallet?: string): Promise<{ readonly id: string; readonly address: string }> {
  keys += 1;
  const request = { amount: '10.00', tokenKey: TOKEN_KEY, toWallet: payout, idempotencyKey: `payment-${keys}` };
  const wish = {
    ...request,
    paymentMethod: 'wallet_transfer',
    ...(refundWallet === undefined ? {} : { refundWallet }),
  };
  const { id: payment, depositAddress } = withId
    .extend({ depositAddress: z.string() })
    .parse(await call('POST', '/payments', wish));
  return { id: payment, address: depositAddress };
}

async function page(method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> {
  const url = `${service.url}/checkout/api${path}`;
  return requestJson({ method, url, body, schema: z.unknown(), expected: [200, 201] });
}

const permitToSign = z.looseObject({
  domain: z.looseObject({}),
  types: z.looseObject({ Permit: z.array(z.object({ name: z.string(), type: z.string() })) }),
  message: z.looseObject({ value: z.string(), deadline: z.string() }),
});

/** Signs a mandate and a permit at the checkout. Returns the key of the session. */
async function checkOut(wallet: Wallet): Promise<string> {
  const path = `/offers/${shop.offerId}`;
  const { priceId } = shop;
  const answer = await page('POST', `${path}/challenges`, { address: wallet.address, priceId });
  const { permitToSign: permit, ...challenge } = challengeSchema.extend({ permitToSign }).parse(answer);
  const { domain, types, message } = permit;
  const signature = await wallet.signTypedData(domain, { Permit: types.Permit }, message);
  keys += 1;
  const sessionKey = `a-key-that-a-page-has-made-${keys}`;
  await page('POST', `${path}/subscriptions`, {
    address: wallet.address,
    message: challenge.message,
    signature: await signChallenge(wallet, challenge),
    permit: { value: message.value, deadline: message.deadline, signature },
    priceId,
    sessionKey,
  });
  return sessionKey;
}

const sessionSchema = z.looseObject({
  outcome: z.looseObject({ subscription: z.looseObject({ id: z.string(), status: z.string() }).nullable() }),
});

function untilBought(sessionKey: string) {
  const ask = async () => sessionSchema.parse(await page('GET', `/sessions/${sessionKey}`)).outcome.subscription;
  return until('the session has ended', ask, (each) => each?.status === 'active', PATIENTLY);
}

/** The payer signs a mandate at the link of the subscription, and approves what it asks for. */
async function authorize({ link, wallet }: Subscribed): Promise<void> {
  const path = `/authorizations/${new URL(link).pathname.split('/').at(-1)}`;
  const challenge = challengeSchema.parse(await page('POST', `${path}/challenges`, { address: wallet.address }));
  const body = {
    address: wallet.address,
    message: challenge.message,
    signature: await signChallenge(wallet, challenge),
  };
  const signed = z
    .looseObject({ asked: z.looseObject({ operator: z.string() }) })
    .parse(await page('POST', path, body));
  await act(wallet, 'approve', signed.asked.operator, 60_000_000n);
}

function chargesOf(where: { readonly paymentId?: string; readonly from?: string }): Promise<ChargeDoc[]> {
  return store.records.find('charges', { where: { chainId: SEPOLIA, ...where }, limit: 100 });
}

/** The charge that has this state, of each wallet. */
async function untilCharges(wallets: readonly Wallet[], state: ChargeState): Promise<void> {
  const found = () => Promise.all(wallets.map(({ address }) => chargesOf({ from: address })));
  const holds = (lists: ChargeDoc[][]) => lists.every((list) => list.some((each) => each.state === state));
  await until(`${wallets.length} charges are ${state}`, found, holds, PATIENTLY);
}

/** The router of the final charge of this payment. */
async function routerOf(paymentId: string): Promise<string | undefined> {
  return (await chargesOf({ paymentId })).find(({ state }) => state === 'final')?.router;
}

async function makeAttempt(subscriptionId: string): Promise<unknown> {
  return (await call('POST', '/sandbox/charge', { subscriptionId }))['outcome'];
}

const transferEvent = new Interface(['event Transfer(address indexed from, address indexed to, uint256 value)']);

interface Transfer {
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
}

/** Every Transfer of the token, without mints. */
async function transfers(): Promise<Transfer[]> {
  const topics = [id('Transfer(address,address,uint256)')];
  const logs = await anvil.provider.getLogs({ fromBlock: 0, address: usdc, topics });
  return logs.flatMap(({ topics: [...of], data }) => {
    const { from, to, value } = transferEvent.decodeEventLog('Transfer', data, of).toObject();
    return BigInt(String(from)) === 0n ? [] : [{ from: String(from), to: String(to), value: BigInt(value) }];
  });
}

function sum(list: readonly Transfer[], isCounted: (each: Transfer) => boolean): bigint {
  return list.filter(isCounted).reduce((total, { value }) => total + value, 0n);
}

/** By key, the routers whose logs say that they moved its money. */
async function movedBy(): Promise<Map<string, string[]>> {
  const topics = [[chargedTopic, depositRefundedTopic]];
  const logs = await anvil.provider.getLogs({ fromBlock: 0, address: [old, newer], topics });
  const found = new Map<string, string[]>();
  for (const { address, topics: of } of logs) {
    const name = of[1] ?? '';
    found.set(name, [...(found.get(name) ?? []), getAddress(address)]);
  }
  return found;
}

describe('a router that is replaced under load', () => {
  it('is followed by everything that began on it; what begins now is on the new one; each charge is made once', async () => {
    service = await spawn([old]);
    key = (await createMerchant({ url: service.url, token: STAFF_TOKEN }, 'Shop')).testKey;
    shop = await openShop();
    const oldOperator = await operator();

    // Settled, and still watched: their blocks are not finalized.
    const settled = await Promise.all(
      (await inTurn(3, () => approver(60_000_000n, oldOperator))).map((wallet) => subscribe(wallet)),
    );
    const signed = await checkOut(await newWallet());
    for (const each of settled) await untilStatus('subscriptions', each.id, 'active');
    await untilBought(signed);

    // Past due: the allowance was for one cycle.
    const [short, moving] = [
      await subscribe(await approver(PRICE, oldOperator)),
      await subscribe(await approver(PRICE, oldOperator)),
    ];
    for (const { id: subscription } of [short, moving]) {
      await untilStatus('subscriptions', subscription, 'active');
      expect(await makeAttempt(subscription)).toBe('failed');
      await untilStatus('subscriptions', subscription, 'past_due');
    }

    // Deposits: held, and not paid yet.
    const held = await depositFor();
    const unpaid = await depositFor(refunds);
    await act(await newWallet(), 'transfer', held.address, PRICE + 3_000_000n);
    await untilStatus('payments', held.id, 'settled');

    // In flight: no block takes them.
    const flying = await inTurn(3, () => approver(60_000_000n, oldOperator));
    const [waiting, ...others] = await inTurn(3, () => approver(60_000_000n, oldOperator));
    const permitting = await newWallet();
    const onlyOld = await approver(60_000_000n, oldOperator);
    await anvil.provider.send('evm_setAutomine', [false]);
    const inFlight = await Promise.all(flying.map((wallet) => subscribe(wallet)));
    await untilCharges(flying, 'sent');
    await service.stop();

    // Waiting: no worker takes them.
    service = await spawn([old], 'api');
    const bought = waiting === undefined ? '' : await pay({ fromWallet: waiting.address });
    await untilCharges(waiting === undefined ? [] : [waiting], 'waiting');
    await forgetRouter(bought);
    const pending = await Promise.all(others.map((wallet) => subscribe(wallet)));
    const permitted = await checkOut(permitting);
    expect(await store.records.count('permits', { chainId: SEPOLIA, state: 'waiting' })).toBe(1);
    await service.stop();

    // The router is replaced.
    service = await spawn([newer, old]);
    const newOperator = await operator();
    expect(newOperator).not.toBe(oldOperator);
    const begun = await subscribe(new Wallet(Wallet.createRandom().privateKey, anvil.provider));
    await anvil.provider.send('evm_setAutomine', [true]);
    await anvil.provider.send('evm_mine', []);

    for (const each of [...inFlight, ...pending]) await untilStatus('subscriptions', each.id, 'active');
    await untilStatus('payments', bought, 'settled');
    expect(await routerOf(bought)).toBeNull();
    await untilBought(permitted);
    await act(short.wallet, 'approve', oldOperator, 60_000_000n);
    await untilStatus('subscriptions', short.id, 'active');
    await authorize(moving);
    await untilStatus('subscriptions', moving.id, 'active');
    await act(await newWallet(), 'transfer', unpaid.address, PRICE + 2_000_000n);
    await untilStatus('payments', unpaid.id, 'settled');
    await until(
      'the rest is refunded',
      () => balanceOf(refunds),
      (balance) => balance === 2_000_000n,
      PATIENTLY,
    );
    await sendHeld(held.id);
    await until(
      'the rest is sent',
      () => balanceOf(elsewhere),
      (balance) => balance === 3_000_000n,
      PATIENTLY,
    );

    // What begins now is on the new one; payers of the old one go on paying there.
    await fund(begun.wallet.address);
    await act(owner.connect(anvil.provider), 'mint', begun.wallet.address, 100_000_000n);
    await act(begun.wallet, 'approve', newOperator, 60_000_000n);
    await untilStatus('subscriptions', begun.id, 'active');
    for (const each of settled) expect(await makeAttempt(each.id)).toBe('settled');
    const both = await approver(60_000_000n, oldOperator, newOperator);
    const [byOld, byNew] = [await pay({ fromWallet: onlyOld.address }), await pay({ fromWallet: both.address })];
    for (const payment of [byOld, byNew]) await untilStatus('payments', payment, 'settled');
    expect([await routerOf(byOld), await routerOf(byNew)]).toEqual([old, newer]);
    const onNew = await depositFor();
    expect(onNew.address).not.toBe(held.address);
    const routers = async ({ wallet }: Subscribed) =>
      (await chargesOf({ from: wallet.address })).filter(({ state }) => state === 'final').map(({ router }) => router);
    expect([await routers(begun), await routers(short), (await routers(moving)).sort()]).toEqual([
      [newer],
      [old, old],
      [old, newer].sort(),
    ]);

    await judge([held.address, unpaid.address], [oldOperator, newOperator]);
    expect([await provenRouter(bought), await provenRouter(byNew)]).toEqual([old, newer]);
    expect(await audited([newer, old])).toEqual([[]]);

    // The old one is still needed.
    await service.stop();
    const refused = await spawn([newer], 'all', false);
    expect((await refused.exited).code).not.toBe(0);
    expect(refused.log()).toMatch(
      new RegExp(`ROUTER_${SEPOLIA} drops ${old}, which is still in use: \\d+ live subscriptions, \\d+ open charges`),
    );
    expect(refused.log()).toMatch(/\d deposits? not swept/);
  }, 400_000);
});

async function inTurn<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  while (made.length < count) made.push(await make());
  return made;
}

/** A charge from before routers were named. */
async function forgetRouter(paymentId: string): Promise<void> {
  for (const { _id } of await chargesOf({ paymentId })) {
    expect(await store.records.change('charges', _id, { router: old }, { set: { router: null } })).not.toBeNull();
  }
}

/** Staff send the money that is held at the address of this payment. */
async function sendHeld(paymentId: string): Promise<void> {
  const [book] = await store.records.get('deposits', [paymentId]);
  const deposit = book?.arrivals.find(({ fate }) => fate === 'held')?.id ?? '';
  await requestJson({
    method: 'POST',
    url: `${service.url}/staff/api/deposits/${deposit}/send`,
    headers: { Authorization: `Bearer ${STAFF_TOKEN}` },
    body: { to: elsewhere, reason: 'asked for by the payer' },
    schema: z.unknown(),
    expected: [200, 202],
  });
}

const proofSchema = z.looseObject({ onChain: z.looseObject({ router: z.string() }) });

/** The router that the proof of a payment names. */
async function provenRouter(paymentId: string): Promise<string> {
  return proofSchema.parse(await call('GET', `/payments/${paymentId}/proof`)).onChain.router;
}

const auditSchema = z.object({ chains: z.array(z.object({ charges: z.number(), differences: z.array(z.unknown()) })) });

/** The differences that `npm run ops -- audit` finds, for each chain. */
async function audited(routers: readonly string[]): Promise<unknown[][]> {
  const environment = { ...environmentOf(routers), DATA_DIR: devnet.dataDir };
  const { stdout, stderr } = await runOps('audit', ['--json'], environment);
  expect(stderr).toBe('');
  const { chains } = auditSchema.parse(JSON.parse(stdout));
  expect(chains.map(({ charges }) => charges)).toEqual([(await movedBy()).size]);
  return chains.map(({ differences }) => differences);
}

/**
 * Compares the ledger with the logs: every charge once, by the router that it names, and all money where it belongs.
 */
async function judge(deposits: readonly string[], operators: readonly string[]): Promise<void> {
  const all = await chargesOf({});
  expect(all.filter(({ state }) => state !== 'final').map(({ state }) => state)).toEqual(
    all.filter(({ state }) => state === 'refused' || state === 'withdrawn').map(({ state }) => state),
  );
  const final = all.filter(({ state }) => state === 'final');
  const moved = await movedBy();
  expect(new Map(final.map((charge) => [charge.key, [charge.router ?? old]]))).toEqual(moved);
  expect(final).toHaveLength(moved.size);

  const said = await transfers();
  for (const from of new Set(final.map((charge) => charge.from))) {
    const taken = final
      .filter((charge) => charge.from === from)
      .reduce((total, { gross }) => total + BigInt(gross), 0n);
    // What payers send to deposit addresses is their own transfer.
    expect([from, sum(said, (each) => each.from === from && !deposits.includes(each.to))]).toEqual([from, taken]);
  }
  const shares = final.flatMap((charge) => charge.shares);
  for (const to of [payout, platform, refunds, elsewhere]) {
    const due = shares.filter((each) => each.to === to).reduce((total, { amount }) => total + BigInt(amount), 0n);
    expect([to, sum(said, (each) => each.to === to)]).toEqual([to, due]);
  }
  const empty = [old, newer, ...deposits, ...operators];
  expect(await Promise.all(empty.map(balanceOf))).toEqual(empty.map(() => 0n));
}
