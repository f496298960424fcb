import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { Contract, Interface, id, JsonRpcProvider, Network, Wallet } from 'ethers';
import { BSON, MongoClient } from 'mongodb';
import { z } from 'zod';
import { prepareEvmWorld } from '../../devnet/evm-world.ts';
import type { Devnet } from '../../devnet/join.ts';
import { type DevnetFacts, devnetFacts, tokenNamed, walletNamed } from '../../scripts/lib/devnet-facts.ts';
import { requestJson } from '../../scripts/lib/json-request.ts';
import { silentLog } from '../../scripts/lib/silent-log.ts';
import { localEvmTokens } from '../../src/chains/catalog.ts';
import { chargedTopic } from '../../src/chains/evm/contracts/charge-logs.ts';
import { operatorOf } from '../../src/chains/evm/contracts/router.ts';
import { testTokenInterface } from '../../src/chains/evm/contracts/test-token.ts';
import type { ChargeDoc } from '../../src/store/collections.ts';
import { openMongoStore } from '../../src/store/mongo/store.ts';
import type { Store } from '../../src/store/port.ts';
import type { Answer } from '../../stage/merchant.ts';
import type { ServiceProcess } from '../../stage/processes.ts';
import { removeFolder } from '../../stage/remove-folder.ts';
import { challengeSchema, signChallenge } from '../../stage/sign-challenge.ts';
import { until } from '../../stage/until.ts';
import { keepDevnet } from '../support/devnet.ts';
import { startServiceProcess } from '../support/service.ts';

/**
 * A data folder from before mandates goes on (docs/rules.md, "Routers"). The fixture was made by the service of commit
 * befaf51c: its database, and the state of its local chain. It has an active, a past-due and a pending subscription, and a
 * deposit that nobody has swept; the payer of the pending one approved after the service had stopped. The Transfer logs judge.
 */
const fixtureSchema = z.object({
  madeAt: z.string(),
  folder: z.object({ product: z.string(), id: z.string() }),
  dbName: z.string(),
  merchantKey: z.string(),
  router: z.string(),
  operator: z.string(),
  active: z.string(),
  pastDue: z.string(),
  pending: z.string(),
  /** The authorization link of the active subscription. */
  link: z.string(),
  deposit: z.string(),
  depositAddress: z.string(),
  /** Extended JSON. */
  collections: z.record(z.string(), z.array(z.record(z.string(), z.unknown()))),
  /** As the local chain saves it. */
  chain: z.unknown(),
});
type Fixture = z.infer<typeof fixtureSchema>;

const FIXTURE = new URL('./fixtures/before-mandates.json.br', import.meta.url);
const TOKEN = 'usdc-local-evm';
const PRICE = 10_000_000n;

let dataDir: string;
let devnet: Devnet;
let before: Fixture;
let store: Store;
let service: ServiceProcess;
let facts: DevnetFacts;
let provider: JsonRpcProvider;

beforeAll(async () => {
  before = fixtureSchema.parse(JSON.parse(brotliDecompressSync(await readFile(FIXTURE)).toString()));
  dataDir = await mkdtemp(join(tmpdir(), 'tideline-before-'));
  await writeFile(join(dataDir, 'folder.json'), JSON.stringify(before.folder));
  await writeFile(join(dataDir, 'evm-state.json'), JSON.stringify(before.chain));
  devnet = await keepDevnet(dataDir);
  const uri = devnet.mongo?.uri ?? '';
  await restore(uri);
  service = await startServiceProcess({ dataDir });
  facts = await devnetFacts(service);
  store = await openMongoStore({ uri, dbName: before.dbName, log: silentLog });
  provider = new JsonRpcProvider(facts.rpcUrl, facts.chainId, {
    staticNetwork: Network.from(facts.chainId),
    cacheTimeout: -1,
    batchStallTime: 0,
    pollingInterval: 20,
  });
}, 120_000);

afterAll(async () => {
  provider?.destroy();
  await service?.stop();
  await store?.close();
  await devnet?.leave({ graceful: true });
  if (dataDir) await removeFolder(dataDir);
}, 120_000);

/** Writes the database, with all its moments as far from now as they were when it was made. */
async function restore(uri: string): Promise<void> {
  const passed = Date.now() - Date.parse(before.madeAt);
  const client = await new MongoClient(uri).connect();
  for (const [name, stored] of Object.entries(before.collections)) {
    const docs = stored.map((doc) => shifted(BSON.EJSON.deserialize(doc), passed));
    await client
      .db(before.dbName)
      .collection(name)
      .insertMany(z.array(z.record(z.string(), z.unknown())).parse(docs));
  }
  await client.close();
}

function shifted(value: unknown, byMs: number): unknown {
  if (value instanceof Date) return new Date(value.getTime() + byMs);
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) {
    return new Date(Date.parse(value) + byMs).toISOString();
  }
  if (Array.isArray(value)) return value.map((each) => shifted(each, byMs));
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shifted(each, byMs)]));
}

function call(method: 'GET' | 'POST', path: string, body?: object): Promise<Answer> {
  return requestJson({
    method,
    url: `${service.url}/v1${path}`,
    headers: { 'X-API-Key': before.merchantKey },
    body,
    schema: z.record(z.string(), z.unknown()),
    expected: [200, 201],
  });
}

function page(path: string, body: object): Promise<unknown> {
  const url = `${service.url}/checkout/api${path}`;
  return requestJson({ method: 'POST', url, body, schema: z.unknown(), expected: [200, 201] });
}

function untilStatus(what: 'subscriptions' | 'payments', of: string, status: string): Promise<Answer> {
  return until(
    `${of} is ${status}`,
    () => call('GET', `/${what}/${of}`),
    (each) => each['status'] === status,
    { everyMs: 200, explain: () => service.log().slice(-4_000) },
  );
}

function wallet(name: string): Wallet {
  return new Wallet(walletNamed(facts, name).privateKey, provider);
}

async function approve(name: string, operator: string): Promise<void> {
  const token = new Contract(tokenNamed(facts, TOKEN), testTokenInterface, wallet(name));
  await (await token.getFunction('approve').send(operator, 10n * PRICE)).wait();
}

/** The payer of the active subscription signs a mandate at its link, and approves what it asks for. Returns the operator. */
async function signMandate(name: string): Promise<string> {
  const path = `/authorizations/${new URL(before.link).pathname.split('/').at(-1)}`;
  const { address } = wallet(name);
  const challenge = challengeSchema.parse(await page(`${path}/challenges`, { address }));
  const body = { address, message: challenge.message, signature: await signChallenge(wallet(name), challenge) };
  const signed = z.looseObject({ asked: z.looseObject({ operator: z.string() }) }).parse(await page(path, body));
  await approve(name, signed.asked.operator);
  return signed.asked.operator;
}

async function chargeNow(subscriptionId: string): Promise<unknown> {
  return (await call('POST', '/sandbox/charge', { subscriptionId }))['outcome'];
}

const withId = z.looseObject({ id: z.string() });

async function subscribe(name: string): Promise<string> {
  const offers = await call('GET', '/offers');
  const priceId = /"(price_[0-9a-z]+)"/.exec(JSON.stringify(offers))?.[1] ?? '';
  const wallets = [{ chainFamily: 'evm', address: walletNamed(facts, name).address }];
  const { id: customerId } = withId.parse(await call('POST', '/customers', { wallets }));
  return withId.parse(await call('POST', '/subscriptions', { priceId, customerId, tokenKey: TOKEN })).id;
}

function chargesFrom(from: string): Promise<ChargeDoc[]> {
  return store.records.find('charges', { where: { from }, sort: [['createdAt', 1]], limit: 100 });
}

/** The routers and consents of a payer's charges that were made, in their order. */
async function madeFrom(from: string) {
  const all = await chargesFrom(from);
  return all.flatMap(({ state, router, mandate }) =>
    state === 'mined' || state === 'final'
      ? [{ router: router ?? before.router, isBounded: mandate !== undefined }]
      : [],
  );
}

const transferEvent = new Interface(['event Transfer(address indexed from, address indexed to, uint256 value)']);

/** The amounts of all Transfers from this address, oldest first. */
async function takenFrom(from: string): Promise<bigint[]> {
  const topics = [id('Transfer(address,address,uint256)'), `0x${from.slice(2).toLowerCase().padStart(64, '0')}`];
  const logs = await provider.getLogs({ fromBlock: 0, address: tokenNamed(facts, TOKEN), topics });
  return logs.map(({ topics: [...of], data }) => BigInt(transferEvent.decodeEventLog('Transfer', data, of)['value']));
}

describe('a data folder from before mandates', () => {
  it('bills on through its router, gets a new one for mandates, and charges nothing twice', async () => {
    const [one, two, three] = ['payer-1', 'payer-2', 'payer-3'].map((name) => walletNamed(facts, name).address);
    expect(facts.router).not.toBe(before.router);
    expect(await prepareEvmWorld({ rpcUrl: facts.rpcUrl, tokens: localEvmTokens() })).toMatchObject({
      router: facts.router,
      olderRouters: [before.router],
    });

    // Subscriptions of before go on by the allowances of the old router's operator.
    await untilStatus('subscriptions', before.pending, 'active');
    await untilStatus('payments', before.deposit, 'settled');
    expect(await chargeNow(before.active)).toBe('settled');
    await approve('payer-2', before.operator);
    await untilStatus('subscriptions', before.pastDue, 'active');

    // A signature now is for the new one.
    const bounded = await signMandate('payer-1');
    const [{ merchantId }] = (await chargesFrom(one ?? '')) as [ChargeDoc];
    expect(bounded).toBe(operatorOf(facts.router, { merchantId, mode: 'test' }, { isBounded: true }));
    expect(await chargeNow(before.active)).toBe('settled');

    // The wallet that approves everybody has approved the merchant's new operator too.
    const begun = await subscribe('approved');
    await untilStatus('subscriptions', begun, 'active');

    const [old, open, signed] = [
      { router: before.router, isBounded: false },
      { router: facts.router, isBounded: false },
      { router: facts.router, isBounded: true },
    ];
    expect(await madeFrom(one ?? '')).toEqual([old, old, signed]);
    expect(await madeFrom(two ?? '')).toEqual([old, old]);
    expect(await madeFrom(three ?? '')).toEqual([old]);
    expect(await madeFrom(before.depositAddress)).toEqual([old]);
    expect(await madeFrom(walletNamed(facts, 'approved').address)).toEqual([open]);

    // Under a mandate each share is its own Transfer.
    expect(await takenFrom(two ?? '')).toEqual([PRICE, PRICE]);
    expect(await takenFrom(three ?? '')).toEqual([PRICE]);
    expect(await takenFrom(before.depositAddress)).toEqual([PRICE]);
    expect((await takenFrom(one ?? '')).reduce((sum, each) => sum + each, 0n)).toBe(3n * PRICE);
    const logs = await provider.getLogs({ fromBlock: 0, topics: [chargedTopic] });
    const keys = logs.map(({ topics: [, key] }) => key);
    expect(new Set(keys).size).toBe(keys.length);
    expect(logs.filter(({ address }) => address === before.router)).toHaveLength(6);
  }, 180_000);
});
