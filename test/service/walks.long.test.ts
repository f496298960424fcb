import { MongoClient } from 'mongodb';
import { z } from 'zod';
import { devnetFacts } from '../../scripts/lib/devnet-facts.ts';
import { freePort } from '../../scripts/lib/free-port.ts';
import { packageRoot } from '../../src/package/root.ts';
import { type CoverageProbe, type Executed, filesBeyond, probeCoverage } from '../../stage/coverage.ts';
import type { MerchantClient } from '../../stage/merchant-client.ts';
import { ServiceProcesses, untilReady } from '../../stage/processes.ts';
import { type Receiver, startReceiver } from '../../stage/receiver.ts';
import { openShop, type Shop } from '../../stage/sale.ts';
import { afterEachFile } from '../runner/after.ts';
import { useGround } from '../support/ground.ts';
import { createTestMerchant } from '../support/merchant.ts';

/**
 * How many files of `machines/` and `src/` somebody passes who follows a request or a due cycle through a debugger:
 * files with code that ran, and does not run while nothing happens.
 */
const CYCLE_MAX = 190;
const CANCEL_MAX = 110;

/** Longer than any loop of an idle service pauses: what runs within it is what runs while nothing happens. */
const IDLE_MS = 5_000;

let merchant: MerchantClient;
let shop: Shop;
let receiver: Receiver;
let probe: CoverageProbe;
let database: MongoClient;
const processes: { all?: ServiceProcesses } = {};

afterEachFile(async () => processes.all?.killAll());

useGround(async (opened) => {
  const port = await freePort();
  // The sources as they are, because a bundle has few files.
  processes.all = new ServiceProcesses([`--inspect=127.0.0.1:${port}`, '--import', 'tsx', 'src/main.ts']);
  const service = await processes.all.spawn({ dataDir: opened.dataDir });
  probe = await probeCoverage(port);
  await untilReady(service);
  opened.onStop(() => service.stop());
  opened.onStop(async () => probe.close());
  merchant = await createTestMerchant(() => service, opened.dataDir);
  shop = await openShop(merchant, await devnetFacts(service));
  receiver = await startReceiver();
  opened.onStop(() => receiver.close());
  await merchant.call('PATCH', '/webhooks/endpoint', { url: receiver.url });
  receiver.setSecret(String((await merchant.call('POST', '/webhooks/secret/rotate'))['secret']));
  database = await MongoClient.connect(await opened.mongoUri());
  opened.onStop(() => database.close());
});

const withId = z.object({ id: z.string() });

async function subscribed(): Promise<string> {
  const { priceId, payers } = shop;
  const { id } = withId.parse(
    await merchant.call('POST', '/subscriptions', { priceId, customerId: payers[0]?.customerId }),
  );
  await merchant.call('POST', '/sandbox/advance', { subscriptionId: id, status: 'active' });
  return id;
}

/** What runs while nothing happens. */
async function idle(): Promise<Executed> {
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  await probe.take();
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  return probe.take();
}

/** The paths of the product's own files. */
function ownFiles(urls: readonly string[]): string[] {
  const root = new URL(`file://${packageRoot()}/`).href;
  const paths = urls.flatMap((url) => (url.startsWith(root) ? [url.slice(root.length)] : []));
  return paths.filter((path) => /^(machines|src)\//.test(path)).sort();
}

/** Moves the subscription's clock to its next boundary, without a call to the service. */
async function makeDue(id: string): Promise<void> {
  const subscriptions = database.db('tideline').collection<{ _id: string }>('subscriptions');
  const month = 32 * 86_400_000;
  await subscriptions.updateOne(
    { _id: id },
    { $inc: { clockOffsetMs: month, 'context.clockOffsetMs': month }, $set: { wakeAt: new Date() } },
  );
}

it('a due cycle, from the tick to the webhook, passes no more files than it must', async () => {
  const id = await subscribed();
  const before = await idle();
  const paid = receiver.accepted.length;
  await makeDue(id);
  await receiver.until('of the renewal', (envelope) => {
    return envelope.event === 'payment.succeeded' && receiver.accepted.indexOf(envelope) >= paid;
  });
  const passed = ownFiles(filesBeyond(before, await probe.take()));
  expect(passed).toContain('src/engine/due.ts');
  expect(passed.length > CYCLE_MAX ? passed : []).toEqual([]);
}, 120_000);

it('a cancel passes no more files than it must', async () => {
  const id = await subscribed();
  const before = await idle();
  await merchant.call('POST', `/subscriptions/${id}/cancel`, {});
  const passed = ownFiles(filesBeyond(before, await probe.take()));
  expect(passed).toContain('src/api/subscriptions/cancel-subscription.ts');
  expect(passed.length > CANCEL_MAX ? passed : []).toEqual([]);
}, 120_000);
