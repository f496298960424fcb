import { silentLog } from '../../scripts/lib/silent-log.ts';
import { buildCatalog, localEvmTokens } from '../../src/chains/catalog.ts';
import { createEvmChain } from '../../src/chains/evm/chain.ts';
import { createLocalSigner } from '../../src/chains/evm/signer.ts';
import { MandateReader } from '../../src/chains/mandate-reader.ts';
import type { Chain, ChargeListener } from '../../src/chains/port.ts';
import { cyclePaymentId } from '../../src/model/payment.ts';
import { newId } from '../../src/store/ids.ts';
import { storeLeases } from '../../src/store/leases.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { LedgerStore } from '../../src/store/port.ts';
import { Workers } from '../../src/store/workers.ts';
import type { InProcessService } from '../../stage/in-process-service.ts';
import { until } from '../../stage/until.ts';
import { type EvmWorld, MERCHANT, startWorld } from '../chains/evm/world.ts';
import { offerBody } from '../support/bodies.ts';
import { type HttpHarness, idOf, priceIdOf, type Reply, startHttp } from '../support/http.ts';

/** A subscription over HTTP with real machines, on a real chain whose blocks are replaced. */
const EPOCH = 12;
const FINALITY = 2 * EPOCH + 1;
const FAST = { queueIdleMs: 50, askFirstMs: 20, askMaxMs: 100, finalizedFirstMs: 50, finalizedMaxMs: 100 };

let world: EvmWorld;
let http: HttpHarness;
let billing: InProcessService;
let key: string;
/** Called when a transaction is signed, before it is stored. */
let beforeStored: () => Promise<void> = async () => {};

beforeAll(async () => {
  world = await startWorld({ epoch: EPOCH });
  const begun = performance.now();
  const clock = () => new Date(Date.parse('2030-01-15T10:00:00.000Z') + performance.now() - begun);
  const store = openMemoryStore({ now: clock });
  http = await startHttp({
    clock,
    store,
    catalog: worldCatalog(),
    chains: (listener) => [openChain(listener, store, clock)],
  });
  ({ billing } = http);
  for (const chain of billing.chains.all()) await chain.start();
  world.pump();
});

afterAll(async () => {
  world.hold();
  for (const chain of billing?.chains.all() ?? []) await chain.stop();
  await world?.stop();
});

function worldCatalog() {
  const tokens = localEvmTokens().map(({ ticker, decimals }) => {
    return { ticker, decimals, address: ticker === 'USDC' && decimals === 6 ? world.token : world.usdt };
  });
  return buildCatalog({ localEvm: { tokens } });
}

function openChain(listener: ChargeListener, { records }: LedgerStore, clock: () => Date): Chain {
  const [usdc] = worldCatalog().chain(world.chainId)?.tokens ?? [];
  return createEvmChain(
    {
      chain: {
        chainId: world.chainId,
        label: 'A chain',
        testnet: true,
        tokens: usdc ? [usdc] : [],
        blockMs: 50,
        confirmations: 1,
        tipGwei: { min: 0, max: 50 },
      },
      rpcUrls: [world.rpcUrl],
      routers: [world.router],
      confirmations: 1,
      timing: FAST,
    },
    {
      records,
      mandates: new MandateReader(records),
      listener,
      signers: world.senderKeys.slice(0, 1).map(createLocalSigner),
      leases: storeLeases({ records, workers: new Workers({ records }), leaseMs: 3_000, clock }),
      clock,
      newId: () => newId('txn', clock()),
      fault: async (point) => (point === 'sender.stored.before' ? beforeStored() : undefined),
      log: silentLog,
    },
  );
}

function post(path: string, body: object = {}): Promise<Reply> {
  return http.call('POST', path, { key, body });
}

async function send(id: string, event: Parameters<InProcessService['engine']['dispatch']>[0]['event']): Promise<void> {
  const result = await billing.engine.dispatch({ kind: 'subscription', id, event, by: 'test' });
  if (result.kind !== 'taken') throw new Error(`${event.type}: ${result.kind}`);
}

const LATELY = { explain: () => JSON.stringify(http.logged.slice(-5)) };

async function shown(id: string): Promise<Reply['body']> {
  return (await http.call('GET', `/subscriptions/${id}`, { key })).body;
}

async function untilStatus(id: string, status: string): Promise<void> {
  const isSo = (body: Reply['body']) => Reflect.get(Object(body), 'status') === status;
  await until(`it is ${status}`, () => shown(id), isSo, LATELY);
}

/** A subscription whose payer has approved enough, during its first charge. */
async function subscribed(before: (merchantId: string, payer: string) => void) {
  const { merchant, testKey } = await http.merchant();
  key = testKey;
  await http.store.records.change('merchants', merchant._id, {}, { set: { feeBps: 0 } });
  await post('/wallets', { tokenKey: 'usdc-local-evm', receiverWallet: MERCHANT });
  const offer = await post('/offers', offerBody());
  const priceId = priceIdOf(offer);
  const payer = await world.payer(merchant._id);
  await world.mine(FINALITY);
  before(merchant._id, payer);
  const customerId = idOf(await post('/customers', { wallets: [{ chainFamily: 'evm', address: payer }] }));
  const id = idOf(await post('/subscriptions', { priceId, customerId }));
  await billing.quiet();
  await send(id, { type: 'allowance.seen', covers: true, payable: true });
  await send(id, { type: 'cycle.due', asked: false, charge: { ready: true } });
  await untilStatus(id, 'pending');
  return { id, payer };
}

async function reported(id: string): Promise<unknown[]> {
  return (await billing.eventsOf(id)).map(({ event, data }) => [event, data['reason'] ?? null]);
}

async function pulledFrom(payer: string): Promise<number> {
  return (await world.transfers()).filter(({ from }) => from === payer).length;
}

it('a first attempt that lands by a reorganisation after a second one failed pays the cycle once', async () => {
  let start = 0;
  const { id, payer } = await subscribed((merchantId, from) => {
    beforeStored = async () => {
      beforeStored = async () => {};
      start = await world.anvil.provider.getBlockNumber();
      await world.approve(from, merchantId, 0n);
    };
  });
  const payment = async () => (await http.call('GET', `/payments/${cyclePaymentId(id, 1)}`, { key })).body;
  const hasFailed = (body: Reply['body']) => Reflect.get(Object(body), 'status') === 'failed';
  await until('its first charge has failed', payment, hasFailed, LATELY);
  expect(await post(`/subscriptions/${id}/retry`)).toMatchObject({ status: 200, body: { status: 'pending' } });
  expect(await payment()).toMatchObject({ status: 'failed', failureReason: 'insufficient_allowance' });
  expect(await pulledFrom(payer)).toBe(0);

  const [first] = await http.store.records.find('charges', { where: { from: payer }, sort: [['_id', 1]], limit: 1 });
  const head = await world.anvil.provider.getBlockNumber();
  await world.anvil.provider.send('anvil_reorg', [head - start, []]);
  await untilStatus(id, 'active');
  expect(await pulledFrom(payer)).toBe(1);
  expect(await payment()).toMatchObject({ status: 'settled', pullTxHash: first?.txHash, failureReason: null });
  expect(await shown(id)).toMatchObject({ cyclesCompleted: 1, lastInvoice: { status: 'settled' } });
  const refused = ['payment.failed', 'insufficient_allowance'];
  expect(await reported(id)).toEqual([
    ['subscription.created', null],
    refused,
    refused,
    ['payment.succeeded', null],
    ['subscription.active', null],
  ]);
});
