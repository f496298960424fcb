import { PublicKey } from '@solana/web3.js';
import { parseEther, type Signer, Wallet } from 'ethers';
import { z } from 'zod';
import { requestJson } from '../../scripts/lib/json-request.ts';
import { createMerchant } from '../../scripts/lib/staff.ts';
import { deployRouter } from '../../scripts/ops/contracts/deploy.ts';
import { TOKEN_ROWS } from '../../src/chains/catalog-rows.ts';
import { deployTestTokenData, testTokenInterface } from '../../src/chains/evm/contracts/test-token.ts';
import { rootOfSeed } from '../../src/chains/solana/key-root.ts';
import { keyFromSecret } from '../../src/chains/solana/keys.ts';
import type { Answer } from '../../stage/merchant-client.ts';
import type { ServiceOptions, ServiceProcess } from '../../stage/processes.ts';
import { receiptOf } from '../../stage/receipt.ts';
import { until } from '../../stage/until.ts';
import { type Anvil, startAnvil } from '../support/anvil.ts';
import { startTestDevnet, type TestDevnet } from '../support/devnet.ts';
import { HttpSigner, SIGNER_TOKEN } from '../support/http-signer.ts';
import { startServiceProcess } from '../support/service.ts';
import { type LocalSolana, SolanaUser, startLocalSolana } from '../support/solana.ts';

/**
 * Two real processes on one database, and two chains that claim to be Base Sepolia and Solana's devnet. One serves
 * requests with public addresses alone; the other has the keys, and serves nobody here.
 */
const SEPOLIA = 84532;
const DEVNET = 103;
/** Of the real devnet. */
const GENESIS_HASH = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxkrZBG';
const SEED = 'c7'.repeat(32);
const STAFF_TOKEN = 'staff-token-of-this-test';

const owner = Wallet.createRandom();
const sender = Wallet.createRandom();
const platform = Wallet.createRandom().address;

let devnet: TestDevnet;
let anvil: Anvil;
let solana: LocalSolana;
let user: SolanaUser;
let shared: Readonly<Record<string, string>>;
let serving: ServiceOptions;
let working: ServiceOptions;
let api: ServiceProcess;
let worker: ServiceProcess;

const usdcOn = (chainId: number): string =>
  TOKEN_ROWS.find((row) => row.chainId === chainId && row.ticker === 'USDC')?.address ?? '';

beforeAll(async () => {
  [devnet, anvil, solana] = await Promise.all([
    startTestDevnet({ mongo: true, evm: false }),
    startAnvil({ chainId: SEPOLIA }),
    startLocalSolana({ genesisHash: GENESIS_HASH }),
  ]);
  user = devnetUser();
  const [feePayer = ''] = solana.world.feePayers;
  shared = {
    LOCAL_DEVNETS: 'off',
    WEBHOOK_ALLOW_LOOPBACK: '0',
    HOST: '127.0.0.1',
    MONGODB_URI: devnet.mongoUri,
    MONGODB_DB: 'roles',
    [`RPC_URL_${SEPOLIA}`]: anvil.rpcUrl,
    [`ROUTER_${SEPOLIA}`]: await startSepolia(),
    [`CONFIRMATIONS_${SEPOLIA}`]: '1',
    [`RPC_URL_${DEVNET}`]: solana.rpcUrl,
    PLATFORM_WALLET_EVM: platform,
    PLATFORM_WALLET_SOLANA: solana.world.platform,
    SENDER_ADDRESSES_EVM: sender.address,
    SENDER_ADDRESSES_SOLANA: keyFromSecret(feePayer).address,
    OPERATOR_PUBLIC_KEY: Buffer.from(rootOfSeed(Buffer.from(SEED, 'hex')).publicKey).toString('hex'),
  };
  const keys = { SENDER_KEYS_EVM: sender.privateKey, SENDER_KEYS_SOLANA: feePayer, OPERATOR_SEED: SEED };
  serving = { dataDir: devnet.dataDir, env: { ...shared, STAFF_TOKEN, TIDELINE_ROLE: 'api' } };
  working = { dataDir: devnet.dataDir, env: { ...shared, ...keys, TIDELINE_ROLE: 'worker' } };
  [api, worker] = await Promise.all([startServiceProcess(serving), startServiceProcess(working)]);
}, 180_000);

afterAll(async () => {
  await Promise.all([api?.stop(), worker?.stop()]);
  await Promise.all([anvil?.stop(), solana?.stop()]);
}, 120_000);

/** The router, and the test token's code at the catalog's address of USDC. */
async function startSepolia(): Promise<string> {
  const { rpcUrl, provider } = anvil;
  for (const { address } of [owner, sender]) await fund(address);
  const router = await deployRouter(
    {
      chainId: SEPOLIA,
      rpcUrl,
      deployerKey: owner.privateKey,
      owner: owner.address,
      senders: [sender.address],
      payeeDelay: 0,
    },
    () => undefined,
  );
  const params = { name: 'USD Coin', symbol: 'USDC', decimals: 6, owner: owner.address };
  const { hash } = await owner.connect(provider).sendTransaction({ data: deployTestTokenData(params) });
  const made = await receiptOf(provider, hash);
  await provider.send('anvil_setCode', [usdcOn(SEPOLIA), await provider.getCode(made.contractAddress ?? '')]);
  return router;
}

/** A user of the chain, for whom USDC is the mint of the catalog. */
function devnetUser(): SolanaUser {
  const { chain, world } = solana;
  const local = world.tokens.find(({ ticker }) => ticker === 'USDC')?.address ?? '';
  const mint = chain.account(local);
  if (!mint) throw new Error('the local chain has no USDC');
  chain.found([[usdcOn(DEVNET), mint]]);
  return new SolanaUser({ ...world, tokens: [{ ticker: 'USDC', decimals: 6, address: usdcOn(DEVNET) }] });
}

async function fund(address: string): Promise<void> {
  await anvil.provider.send('anvil_setBalance', [address, `0x${parseEther('100').toString(16)}`]);
}

async function act(by: Signer, name: string, ...args: unknown[]): Promise<void> {
  const data = testTokenInterface.encodeFunctionData(name, args);
  await (await by.sendTransaction({ to: usdcOn(SEPOLIA), data })).wait();
}

async function evmBalance(address: string): Promise<bigint> {
  const data = testTokenInterface.encodeFunctionData('balanceOf', [address]);
  return BigInt(await anvil.provider.call({ to: usdcOn(SEPOLIA), data }));
}

function call(key: string, method: 'GET' | 'POST', path: string, body?: object): Promise<Answer> {
  return requestJson({
    method,
    url: `${api.url}/v1${path}`,
    headers: { 'X-API-Key': key },
    body,
    schema: z.record(z.string(), z.unknown()),
    expected: [200, 201],
  });
}

const withId = z.looseObject({ id: z.string() });

interface Shop {
  readonly merchantId: string;
  readonly key: string;
  readonly priceId: string;
  /** What payers approve, as the serving process says. */
  readonly operator: string;
}

async function openShop(tokenKey: string, chainId: number, receiverWallet: string): Promise<Shop> {
  const { id: merchantId, testKey: key } = await createMerchant({ url: api.url, token: STAFF_TOKEN }, 'Roles');
  await call(key, 'POST', '/wallets', { tokenKey, receiverWallet });
  const billing = { type: 'recurring', interval: 'month' };
  const offer = await call(key, 'POST', '/offers', {
    name: 'Monthly',
    pricing: [{ amount: '10.00', acceptedTokens: [tokenKey], billing }],
  });
  const [price] = z.array(withId).parse(offer['pricing']);
  return { merchantId, key, priceId: price?.id ?? '', operator: await operatorFor(key, chainId) };
}

async function operatorFor(key: string, chainId: number): Promise<string> {
  const { chains } = await call(key, 'GET', '/currencies');
  const known = z.array(z.looseObject({ chainId: z.number(), enabled: z.boolean(), operator: z.string().nullable() }));
  const chain = known.parse(chains).find((each) => each.chainId === chainId);
  expect(chain?.enabled).toBe(true);
  return chain?.operator ?? '';
}

/** Subscribes, approves, and waits for the first charge. */
async function firstCharge(
  { key, priceId }: Shop,
  wallet: { readonly chainFamily: 'evm' | 'solana'; readonly address: string },
  approve: () => Promise<unknown>,
): Promise<Answer> {
  const { id: customerId } = withId.parse(await call(key, 'POST', '/customers', { wallets: [wallet] }));
  const { id } = withId.parse(await call(key, 'POST', '/subscriptions', { priceId, customerId }));
  await approve();
  return until(
    'it is active',
    () => call(key, 'GET', `/subscriptions/${id}`),
    ({ status }) => status === 'active',
    { everyMs: 300, explain: () => `${api.log()}\n${worker.log()}` },
  );
}

async function evmPayer(): Promise<Wallet> {
  const payer = new Wallet(Wallet.createRandom().privateKey, anvil.provider);
  await fund(payer.address);
  await act(owner.connect(anvil.provider), 'mint', payer.address, 100_000_000n);
  return payer;
}

describe('a process that serves requests without a secret that can spend', () => {
  it('takes a subscription on EVM to its first settled charge, which the worker makes', async () => {
    const payout = Wallet.createRandom().address;
    const shop = await openShop('usdc-base', 8453, payout);
    const payer = await evmPayer();
    const approve = () => act(payer, 'approve', shop.operator, 120_000_000n);
    const active = await firstCharge(shop, { chainFamily: 'evm', address: payer.address }, approve);
    expect(active).toMatchObject({ cyclesCompleted: 1 });
    expect(await evmBalance(payer.address)).toBe(90_000_000n);
    expect(await evmBalance(payout)).toBe(9_900_000n);
  });

  it('takes a subscription on Solana to its first settled charge, by a delegate whose key it does not have', async () => {
    const payout = user.wallet('merchant').publicKey.toBase58();
    const shop = await openShop('usdc-solana', 101, payout);
    const payer = await user.newPayer(100_000_000n);
    const approve = () => user.approve(payer, shop.operator, 120_000_000n);
    const address = payer.publicKey.toBase58();
    const active = await firstCharge(shop, { chainFamily: 'solana', address }, approve);
    expect(active).toMatchObject({ cyclesCompleted: 1 });
    expect(await user.balanceOf(address)).toBe(90_000_000n);
    expect(await user.balanceOf(payout)).toBe(9_900_000n);
  });

  it('gives a deposit address on Solana that the worker can empty', async () => {
    const payout = user.wallet('merchant').publicKey.toBase58();
    const { key } = await openShop('usdc-solana', 101, payout);
    const body = {
      amount: '5.00',
      tokenKey: 'usdc-solana',
      toWallet: payout,
      paymentMethod: 'wallet_transfer',
      idempotencyKey: 'deposit',
    };
    const made = z
      .looseObject({ id: z.string(), depositAddress: z.string() })
      .parse(await call(key, 'POST', '/payments', body));
    const payer = await user.newPayer(100_000_000n);
    const before = (await user.balanceOf(payout)) ?? 0n;
    await user.transfer(payer, new PublicKey(made.depositAddress), 5_000_000n);
    await until(
      'it is settled',
      () => call(key, 'GET', `/payments/${made.id}`),
      ({ status }) => status === 'settled',
      { everyMs: 300, explain: () => worker.log() },
    );
    expect((await user.balanceOf(payout)) ?? 0n).toBe(before + 4_950_000n);
  });

  it('says nothing about secrets, and names each one that it was given all the same', async () => {
    expect(api.log()).not.toContain('secret that can spend');
    expect(worker.log()).not.toContain('secret that can spend');
    const env = {
      ...shared,
      STAFF_TOKEN,
      TIDELINE_ROLE: 'api',
      SENDER_KEYS_EVM: sender.privateKey,
      OPERATOR_SEED: SEED,
    };
    const careless = await startServiceProcess({ dataDir: devnet.dataDir, env });
    for (const variable of ['SENDER_KEYS_EVM', 'OPERATOR_SEED']) {
      expect(careless.log()).toContain(`${variable} is a secret that can spend`);
    }
    expect(careless.log()).not.toContain('SENDER_KEYS_SOLANA is');
    await careless.stop();
  });

  it('does not start with the public key of another seed', async () => {
    const env = { ...shared, OPERATOR_SEED: 'd8'.repeat(32), TIDELINE_ROLE: 'api' };
    const wrong = await startServiceProcess({ dataDir: devnet.dataDir, env, waitUntilReady: false });
    expect((await wrong.exited).code).toBe(1);
    expect(wrong.log()).toContain('OPERATOR_PUBLIC_KEY does not belong to OPERATOR_SEED');
  });
});

describe('a worker whose sender keys are at a remote signer', () => {
  let signer: HttpSigner;

  beforeAll(async () => {
    const [feePayer = ''] = solana.world.feePayers;
    signer = await HttpSigner.start({ evm: [sender.privateKey], solana: [feePayer] });
    await worker.stop();
    const elsewhere = { SIGNER_URL_EVM: signer.url, SIGNER_URL_SOLANA: signer.url, SIGNER_TOKEN };
    const env = { ...shared, ...elsewhere, OPERATOR_SEED: SEED, TIDELINE_ROLE: 'worker' };
    worker = await startServiceProcess({ dataDir: devnet.dataDir, env });
  });
  afterAll(() => signer?.close());

  it('charges on Solana', async () => {
    const payout = user.wallet('merchant').publicKey.toBase58();
    const shop = await openShop('usdc-solana', 101, payout);
    const payer = await user.newPayer(100_000_000n);
    const address = payer.publicKey.toBase58();
    const approve = () => user.approve(payer, shop.operator, 120_000_000n);
    expect(await firstCharge(shop, { chainFamily: 'solana', address }, approve)).toMatchObject({ cyclesCompleted: 1 });
    expect(await user.balanceOf(address)).toBe(90_000_000n);
  });

  it('charges on EVM once the signer is back, and sends nothing that another key signed', async () => {
    const payout = Wallet.createRandom().address;
    const shop = await openShop('usdc-base', 8453, payout);
    const payer = await evmPayer();
    const nonce = await anvil.provider.getTransactionCount(sender.address);
    const approve = async (): Promise<void> => {
      signer.mood = 'away';
      await act(payer, 'approve', shop.operator, 120_000_000n);
      await untilLogged(`the signer at ${signer.url} does not answer`);
      signer.mood = 'wrong';
      await untilLogged('something that is no signature by its key');
      expect(await anvil.provider.getTransactionCount(sender.address, 'pending')).toBe(nonce);
      signer.mood = 'honest';
    };
    const active = await firstCharge(shop, { chainFamily: 'evm', address: payer.address }, approve);
    expect(active).toMatchObject({ cyclesCompleted: 1 });
    expect(await evmBalance(payout)).toBe(9_900_000n);
  });

  async function untilLogged(text: string): Promise<void> {
    await until(
      `the worker logs "${text}"`,
      async () => worker.log(),
      (log) => log.includes(text),
      { everyMs: 100 },
    );
  }
});
