import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { MACHINES } from '../../../machines/versions.ts';
import type { DevnetFacts } from '../../../scripts/lib/devnet-facts.ts';
import { devnetFacts, walletNamed } from '../../../scripts/lib/devnet-facts.ts';
import { silentLog } from '../../../scripts/lib/silent-log.ts';
import { journaledKinds, replayAll } from '../../../src/engine/replay-stored.ts';
import { openMongoStore } from '../../../src/store/mongo/store.ts';
import type { Store } from '../../../src/store/port.ts';
import { keyOfCycle, readLedger } from '../../../stage/ledger.ts';
import type { MerchantClient } from '../../../stage/merchant-client.ts';
import type { ServiceProcess } from '../../../stage/processes.ts';
import { removeFolder } from '../../../stage/remove-folder.ts';
import { approve, openShop, operatorOf, type Shop, TOKEN_KEY } from '../../../stage/sale.ts';
import { until } from '../../../stage/until.ts';
import { keepDevnet } from '../../support/devnet.ts';
import { createTestMerchant } from '../../support/merchant.ts';
import { startServiceProcess } from '../../support/service.ts';

const DAYS = 45;
const DAY_MS = 86_400_000;

/** The number of subscriptions of each plan. */
const COUNT = 12;

/** The payers of those; all others have their own payers. */
const PAYERS = 6;

const shown = z.object({
  id: z.string(),
  status: z.string(),
  currentPeriodEnd: z.iso.datetime().nullable(),
  cyclesCompleted: z.int(),
  consecutiveFailures: z.int(),
});
type Shown = z.infer<typeof shown>;

let dataDir: string;
let service: ServiceProcess;
let facts: DevnetFacts;
let store: Store;
let merchant: MerchantClient;
let shop: Shop;

const stops: (() => Promise<unknown>)[] = [];

/** This process keeps the devnet, so the chain continues while the service is down. */
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tideline-downtime-'));
  stops.push(() => removeFolder(dataDir));
  const keeper = await keepDevnet(dataDir);
  stops.push(() => keeper.leave({ graceful: true }));
  service = await startServiceProcess({ dataDir });
  stops.push(() => service.stop());
  facts = await devnetFacts(service);
  const uri = (await readFile(join(dataDir, 'mongodb.uri'), 'utf8')).trim();
  store = await openMongoStore({ uri, dbName: 'tideline', log: silentLog });
  stops.push(() => store.close());
  merchant = await createTestMerchant(() => service, dataDir);
  await store.records.change('merchants', merchant.id, {}, { set: { limitFactor: 1_000 } });
  shop = await openShop(merchant, facts, { payers: PAYERS + 2 });
}, 120_000);

afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
}, 120_000);

/** A price of 10.00 at this interval. */
async function priceOf(billing: object, more: object = {}): Promise<string> {
  const offer = await merchant.call('POST', '/offers', {
    name: 'A plan',
    pricing: [{ amount: '10.00', acceptedTokens: [TOKEN_KEY], billing: { type: 'recurring', ...billing }, ...more }],
  });
  const [price] = z.object({ pricing: z.tuple([z.object({ id: z.string() })]) }).parse(offer).pricing;
  return price.id;
}

async function subscribe(priceId: string, payer: number): Promise<string> {
  const { customerId } = shop.payers[payer] ?? {};
  const made = await merchant.call('POST', '/subscriptions', { priceId, customerId });
  return shown.parse(made).id;
}

async function check(id: string): Promise<Shown> {
  return shown.parse(await merchant.call('GET', `/subscriptions/${id}`));
}

function untilAll(ids: readonly string[], isSo: (reported: Shown) => boolean): Promise<Shown[]> {
  return until(
    'all of them are so',
    () => Promise.all(ids.map(check)),
    (reported) => reported.every(isSo),
    { everyMs: 100 },
  );
}

const hasPaid = (cycles: number) => (reported: Shown) =>
  reported.status === 'active' && reported.cyclesCompleted === cycles;

async function subscribeMany(count: number, priceId: string): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => subscribe(priceId, index % PAYERS)));
}

describe(`a service that was down for ${DAYS} days`, () => {
  let monthly: string[];
  let daily: string[];
  let ending: string;
  let inTrial: string;
  let late: string;
  let revoked: string;

  beforeAll(async () => {
    const dailyPrice = await priceOf({ interval: 'day' });
    monthly = await subscribeMany(COUNT, await priceOf({ interval: 'month' }));
    daily = await subscribeMany(COUNT, dailyPrice);
    inTrial = await subscribe(await priceOf({ interval: 'month' }, { trialDays: 10 }), 0);
    [ending = '', late = '', revoked = ''] = await Promise.all(
      [0, PAYERS, PAYERS + 1].map((payer) => subscribe(dailyPrice, payer)),
    );
    await untilAll([...monthly, ...daily, ending, late, revoked], hasPaid(1));
    await merchant.call('POST', `/subscriptions/${ending}/cancel`, { atPeriodEnd: true });
    for (const id of [late, revoked]) {
      await merchant.call('POST', '/sandbox/advance', { subscriptionId: id, status: 'past_due' });
    }
    const operator = await operatorOf(merchant);
    await service.stop();
    await approve(facts, operator, [walletNamed(facts, 'payer-7')], 0n);
    const env = { FAULTS_CLOCK_MS: String(DAYS * DAY_MS) };
    service = await startServiceProcess({ dataDir, env });
  }, 180_000);

  it('charges every due subscription once, for the present, and nothing is due right after', async () => {
    const ids = [...monthly, ...daily];
    const reported = await untilAll(ids, hasPaid(2));
    const now = Date.now() + DAYS * DAY_MS;
    for (const { id, currentPeriodEnd } of reported) {
      const leftMs = Date.parse(currentPeriodEnd ?? '') - now;
      expect([id, leftMs > 0, leftMs <= (daily.includes(id) ? DAY_MS : 31 * DAY_MS)]).toEqual([id, true, true]);
    }
    const keys = (await readLedger(facts)).charges.map(({ key }) => key);
    for (const id of ids) {
      expect([1, 2, 3].map((cycle) => keys.filter((key) => key === keyOfCycle(id, cycle)).length)).toEqual([1, 1, 0]);
    }
  }, 120_000);

  it('starts the periods of an ended trial with its first charge', async () => {
    const [reported] = await untilAll([inTrial], hasPaid(1));
    const now = Date.now() + DAYS * DAY_MS;
    expect(Date.parse(reported?.currentPeriodEnd ?? '')).toBeGreaterThan(now);
  }, 120_000);

  it('ends scheduled cancels without a charge', async () => {
    expect(await untilAll([ending], ({ status }) => status === 'canceled')).toMatchObject([{ cyclesCompleted: 1 }]);
  }, 120_000);

  it('makes one attempt for a past due subscription before its grace may end it', async () => {
    expect(await untilAll([late], hasPaid(2))).toMatchObject([{ consecutiveFailures: 0 }]);
    expect(await untilAll([revoked], ({ status }) => status === 'canceled')).toMatchObject([
      { cyclesCompleted: 1, consecutiveFailures: 2 },
    ]);
  }, 120_000);

  it('has journaled its work', async () => {
    for (const kind of journaledKinds(MACHINES)) {
      for await (const { id, problem } of replayAll(store, MACHINES, kind)) expect([id, problem]).toEqual([id, null]);
    }
  }, 120_000);
});
