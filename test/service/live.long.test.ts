import { Contract, getAddress, Interface, id, parseEther, type Signer, Wallet } from 'ethers';
import { z } from 'zod';
import { deliveryContext } from '../../machines/delivery/context.ts';
import { requestJson } from '../../scripts/lib/json-request.ts';
import { silentLog } from '../../scripts/lib/silent-log.ts';
import { createMerchant } from '../../scripts/lib/staff.ts';
import { deployRouter } from '../../scripts/ops/contracts/deploy.ts';
import { TOKEN_ROWS } from '../../src/chains/catalog-rows.ts';
import { deployTestTokenData, testTokenInterface } from '../../src/chains/evm/contracts/test-token.ts';
import { openMongoStore } from '../../src/store/mongo/store.ts';
import type { Store } from '../../src/store/port.ts';
import type { Answer } from '../../stage/merchant-client.ts';
import type { ServiceProcess } from '../../stage/processes.ts';
import { receiptOf } from '../../stage/receipt.ts';
import { until } from '../../stage/until.ts';
import { type Anvil, startAnvil } from '../support/anvil.ts';
import { startTestDevnet, type TestDevnet } from '../support/devnet.ts';
import { startServiceProcess } from '../support/service.ts';

/**
 * Live mode (docs/rules.md, "Local devnets and the embedded default"): one real service with its own database, a chain
 * that claims to be Base and one that claims to be Base Sepolia, with the test token's code at the catalog's addresses
 * of USDC. The chains' own logs show the charges.
 */
const BASE = 8453;
const SEPOLIA = 84532;
/** One letter more than a name may have, so no name server is ever asked. */
const LIVE_URL = `https://${'x'.repeat(64)}.invalid/hooks`;
const STAFF_TOKEN = 'staff-token-of-this-test';

/** Owns the routers and mints; pays for nothing else. */
const owner = Wallet.createRandom();
const sender = Wallet.createRandom();
const platform = Wallet.createRandom().address;

interface LiveChain {
  readonly anvil: Anvil;
  readonly router: string;
  readonly usdc: string;
}

let devnet: TestDevnet;
let store: Store;
let base: LiveChain;
let sepolia: LiveChain;
let service: ServiceProcess;

beforeAll(async () => {
  [devnet, base, sepolia] = await Promise.all([
    startTestDevnet({ mongo: true, evm: false }),
    startChain(BASE),
    startChain(SEPOLIA),
  ]);
  const env = {
    LOCAL_DEVNETS: 'auto',
    WEBHOOK_ALLOW_LOOPBACK: '0',
    HOST: '127.0.0.1',
    MONGODB_URI: devnet.mongoUri,
    MONGODB_DB: 'live',
    STAFF_TOKEN,
    [`RPC_URL_${BASE}`]: base.anvil.rpcUrl,
    [`ROUTER_${BASE}`]: base.router,
    [`CONFIRMATIONS_${BASE}`]: '1',
    [`RPC_URL_${SEPOLIA}`]: sepolia.anvil.rpcUrl,
    [`ROUTER_${SEPOLIA}`]: sepolia.router,
    [`CONFIRMATIONS_${SEPOLIA}`]: '1',
    SENDER_KEYS_EVM: sender.privateKey,
    PLATFORM_WALLET_EVM: platform,
  };
  service = await startServiceProcess({ dataDir: devnet.dataDir, env });
  store = await openMongoStore({ uri: devnet.mongoUri, dbName: 'live', log: silentLog });
}, 120_000);

afterAll(async () => {
  await service?.stop();
  await store?.close();
  await Promise.all([base, sepolia].map((chain) => chain?.anvil.stop()));
}, 120_000);

async function startChain(chainId: number): Promise<LiveChain> {
  const anvil = await startAnvil({ chainId });
  const { provider, rpcUrl } = anvil;
  for (const { address } of [owner, sender]) await fund(anvil, address);
  const report = (): void => {};
  const senders = [sender.address];
  const deployerKey = owner.privateKey;
  const router = await deployRouter(
    { chainId, rpcUrl, deployerKey, owner: owner.address, senders, payeeDelay: 0 },
    report,
  );
  const usdc = TOKEN_ROWS.find((row) => row.chainId === chainId && row.ticker === 'USDC')?.address ?? '';
  const params = { name: 'USD Coin', symbol: 'USDC', decimals: 6, owner: owner.address };
  const signer = owner.connect(provider);
  const { hash } = await signer.sendTransaction({ data: deployTestTokenData(params) });
  const made = await receiptOf(provider, hash);
  await provider.send('anvil_setCode', [usdc, await provider.getCode(made.contractAddress ?? '')]);
  return { anvil, router, usdc };
}

async function fund({ provider }: Anvil, address: string): Promise<void> {
  await provider.send('anvil_setBalance', [address, `0x${parseEther('100').toString(16)}`]);
}

/** A wallet with 100 USDC and gas. */
async function payer({ anvil, usdc }: LiveChain): Promise<Wallet> {
  const wallet = new Wallet(Wallet.createRandom().privateKey, anvil.provider);
  await fund(anvil, wallet.address);
  await act(usdc, owner.connect(anvil.provider), 'mint', wallet.address, 100_000_000n);
  return wallet;
}

async function act(token: string, by: Signer, name: string, ...args: unknown[]): Promise<void> {
  const sent = await by.sendTransaction({ to: token, data: testTokenInterface.encodeFunctionData(name, args) });
  await sent.wait();
}

const transferEvent = new Interface(['event Transfer(address indexed from, address indexed to, uint256 value)']);

/** The recipients and amounts of this transaction. */
async function transfersIn({ anvil, usdc }: LiveChain, txHash: string): Promise<[to: string, amount: bigint][]> {
  const receipt = await anvil.provider.getTransactionReceipt(txHash);
  const logs = receipt?.logs.filter(({ address, topics }) => address === usdc && topics[0] === id(TRANSFER)) ?? [];
  return logs.map(({ topics, data }) => {
    const { to, value } = transferEvent.decodeEventLog('Transfer', data, topics).toObject();
    return [String(to), BigInt(value)];
  });
}

const TRANSFER = 'Transfer(address,address,uint256)';

interface Merchant {
  readonly id: string;
  readonly testKey: string;
  readonly liveKey: string;
}

function newMerchant(): Promise<Merchant> {
  return createMerchant({ url: service.url, token: STAFF_TOKEN }, 'Live');
}

type Method = Parameters<typeof requestJson>[0]['method'];

function call(key: string, method: Method, path: string, body?: object): Promise<Answer> {
  return requestJson({
    method,
    url: `${service.url}/v1${path}`,
    headers: { 'X-API-Key': key },
    body,
    schema: z.record(z.string(), z.unknown()),
    expected: [200, 201],
  });
}

/** Nodes and receivers are asked rarely. */
const PATIENTLY = { everyMs: 300, explain: () => service.log() };

const withId = z.looseObject({ id: z.string() });

interface Shop {
  readonly priceId: string;
  readonly operator: string;
  readonly payout: string;
}

/** A merchant's setup with either key, in the same way. */
async function openShop(key: string): Promise<Shop> {
  const payout = Wallet.createRandom().address;
  await call(key, 'POST', '/wallets', { tokenKey: 'usdc-base', receiverWallet: payout });
  const billing = { type: 'recurring', interval: 'month' };
  const pricing = [{ amount: '10.00', acceptedTokens: ['usdc-base'], billing }];
  const offer = await call(key, 'POST', '/offers', { name: 'Monthly', pricing });
  const [price] = z.array(withId).parse(offer['pricing']);
  const { chains } = await call(key, 'GET', '/currencies');
  const known = z.array(z.looseObject({ chainId: z.number(), operator: z.string().nullable() })).parse(chains);
  const operator = known.find(({ chainId }) => chainId === BASE)?.operator ?? '';
  return { priceId: price?.id ?? '', operator, payout };
}

async function subscribe(key: string, { priceId }: Shop, address: string): Promise<string> {
  const wallets = [{ chainFamily: 'evm', address }];
  const { id: customerId } = withId.parse(await call(key, 'POST', '/customers', { wallets }));
  const body = { priceId, customerId, tokenKey: 'usdc-base' };
  return withId.parse(await call(key, 'POST', '/subscriptions', body)).id;
}

/** Approves, waits for the first charge, and returns its transaction. */
async function authorize(
  key: string,
  on: LiveChain,
  wallet: Wallet,
  shop: Shop,
  subscription: string,
): Promise<string> {
  await act(on.usdc, wallet, 'approve', shop.operator, 120_000_000n);
  const active = await until(
    'it is active',
    () => call(key, 'GET', `/subscriptions/${subscription}`),
    ({ status }) => status === 'active',
    PATIENTLY,
  );
  expect(active).toMatchObject({ cyclesCompleted: 1, allowanceConfirmed: true });
  expect(active['lastInvoice']).toMatchObject({ status: 'settled', chainId: BASE, tokenKey: 'usdc-base' });
  return z.looseObject({ pullTxHash: z.string() }).parse(active['lastInvoice']).pullTxHash;
}

/** The number of the sender's transactions and of blocks: nothing happens without either. */
async function marks({ anvil }: LiveChain): Promise<readonly [sent: number, height: number]> {
  return [await anvil.provider.getTransactionCount(sender.address), await anvil.provider.getBlockNumber()];
}

describe('a live key on a mainnet', () => {
  it('sells, is approved, charges real money in exact shares, and sends events to the live URL', async () => {
    const { id: merchantId, liveKey } = await newMerchant();
    const endpoint = await call(liveKey, 'PATCH', '/webhooks/endpoint', { url: LIVE_URL });
    expect(endpoint).toMatchObject({ environment: 'live', url: LIVE_URL, effectiveUrl: LIVE_URL });
    const shop = await openShop(liveKey);
    const wallet = await payer(base);
    const before = await marks(sepolia);
    const subscription = await subscribe(liveKey, shop, wallet.address);
    const txHash = await authorize(liveKey, base, wallet, shop, subscription);
    const moved = await transfersIn(base, txHash);
    expect(moved).toContainEqual([getAddress(shop.payout), 9_900_000n]);
    expect(moved).toContainEqual([platform, 100_000n]);
    expect(await balanceOf(base, wallet.address)).toBe(90_000_000n);
    expect(await Promise.all([base.router, shop.operator].map((each) => balanceOf(base, each)))).toEqual([0n, 0n]);
    expect(await marks(sepolia)).toEqual(before);

    const reported = await until(
      'the first attempts have been made',
      () => deliveries(merchantId, subscription),
      (list) => list.length === 3 && list.every(({ attempts }) => attempts.length > 0),
      PATIENTLY,
    );
    expect(reported.map(({ event }) => event)).toEqual([
      'subscription.created',
      'payment.succeeded',
      'subscription.active',
    ]);
    // The name cannot be resolved, and the attempt says so.
    for (const { mode, attempts } of reported)
      expect([mode, attempts]).toEqual(['live', [expect.stringMatching(/resolve/i)]]);
  }, 120_000);

  it('pays once with POST /payments, and cannot use the sandbox', async () => {
    const { liveKey } = await newMerchant();
    const shop = await openShop(liveKey);
    const wallet = await payer(base);
    await act(base.usdc, wallet, 'approve', shop.operator, 5_000_000n);
    const body = {
      amount: '2.50',
      tokenKey: 'usdc-base',
      fromWallet: wallet.address,
      toWallet: shop.payout,
      idempotencyKey: 'once',
    };
    const payment = await call(liveKey, 'POST', '/payments', body);
    expect(payment).toMatchObject({ status: 'settled', isSandbox: false, chainId: BASE });
    expect(await balanceOf(base, shop.payout)).toBe(2_475_000n);
    const again = await call(liveKey, 'POST', '/payments', body);
    expect(again['id']).toBe(payment['id']);
    expect(await balanceOf(base, wallet.address)).toBe(97_500_000n);
    await expect(call(liveKey, 'POST', '/sandbox/charge', { subscriptionId: 'sub_x' })).rejects.toThrow('403');
    const sandboxed = { ...body, idempotencyKey: 'other', tokenKey: 'usdc-base-sepolia' };
    await expect(call(liveKey, 'POST', '/payments', sandboxed)).rejects.toThrow('400');
  }, 120_000);
});

describe('a test key beside a mainnet', () => {
  it('sells the same for the same token, and charges on the playing testnet; the mainnet does not change', async () => {
    const { id: merchantId, testKey, liveKey } = await newMerchant();
    await call(liveKey, 'PATCH', '/webhooks/endpoint', { url: LIVE_URL });
    const shop = await openShop(testKey);
    const live = await openShop(liveKey);
    expect(shop.operator).not.toBe(live.operator);
    const wallet = await payer(sepolia);
    // The same wallet has money on the mainnet too, and has approved everybody.
    await fund(base.anvil, wallet.address);
    await act(base.usdc, owner.connect(base.anvil.provider), 'mint', wallet.address, 100_000_000n);
    const onBase = wallet.connect(base.anvil.provider);
    for (const { operator } of [shop, live]) await act(base.usdc, onBase, 'approve', operator, 100_000_000n);
    const before = await marks(base);

    const subscription = await subscribe(testKey, shop, wallet.address);
    const txHash = await authorize(testKey, sepolia, wallet, shop, subscription);
    expect(await transfersIn(sepolia, txHash)).toContainEqual([getAddress(shop.payout), 9_900_000n]);
    expect(await call(testKey, 'POST', '/sandbox/charge', { subscriptionId: subscription })).toMatchObject({
      outcome: 'settled',
    });
    expect(await balanceOf(sepolia, wallet.address)).toBe(80_000_000n);
    expect(await balanceOf(base, wallet.address)).toBe(100_000_000n);
    expect(await marks(base)).toEqual(before);
    await expect(call(liveKey, 'GET', `/subscriptions/${subscription}`)).rejects.toThrow('404');
    const modes = (await deliveries(merchantId, subscription)).map(({ mode }) => mode);
    expect(new Set(modes)).toEqual(new Set(['test']));
  }, 120_000);
});

async function balanceOf({ anvil, usdc }: LiveChain, wallet: string): Promise<bigint> {
  return BigInt(await new Contract(usdc, testTokenInterface, anvil.provider).getFunction('balanceOf')(wallet));
}

interface Delivered {
  readonly event: string;
  readonly mode: string;
  /** The error of each attempt. */
  readonly attempts: readonly (string | null)[];
}

/** The deliveries of one subscription's events, in order. */
async function deliveries(merchantId: string, resourceId: string): Promise<Delivered[]> {
  const events = await store.records.find('events', {
    where: { merchantId, resourceId },
    sort: [['sequence', 1]],
    limit: 50,
  });
  const docs = await store.actors.find('delivery', { where: { 'attributes.resourceId': resourceId }, limit: 50 });
  const contexts = docs.map(({ context }) => deliveryContext.parse(context));
  return events.map(({ _id, event, mode }) => {
    const delivery = contexts.find(({ eventId }) => eventId === _id);
    return { event, mode, attempts: delivery?.attempts.map(({ error }) => error) ?? [] };
  });
}
