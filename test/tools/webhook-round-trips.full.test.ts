import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { joinDevnet } from '../../devnet/join.ts';
import { resetFolder } from '../../devnet/reset.ts';
import { commandOf, SUPERVISOR } from '../../scripts/lib/build.ts';
import { silentLog } from '../../scripts/lib/silent-log.ts';
import { packageVersion } from '../../src/package/version.ts';
import { openMongoStore } from '../../src/store/mongo/store.ts';
import { openStage, type Stage } from '../../tools/bench/webhooks/stage.ts';
import { DELIVERY_BUDGET } from '../../tools/bench/webhooks/throughput.ts';
import { overBudget } from '../../tools/bench/written.ts';

const DB = 'deliveries';
const DELIVERIES = 300;

/**
 * MongoDB calls for one delivery of many, from the outbox of the resource to the recorded answer. One by one it would
 * be some seven; in batches it is a fraction of one. On a busy machine batches are smaller, so the budget is generous,
 * but not enough for a call per delivery and step.
 */
const AT_MOST = 2;

describe('calls to MongoDB of a burst of deliveries', () => {
  const stops: (() => Promise<unknown>)[] = [];
  let stage: Stage;

  beforeAll(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'tideline-trips-'));
    stops.push(() => resetFolder(dataDir));
    const how = { version: packageVersion(), evmPort: 0, lingerMs: 1_000, log: () => undefined };
    const devnet = await joinDevnet({ dataDir, want: { mongo: true }, supervisor: commandOf(SUPERVISOR), ...how });
    stops.push(() => devnet.leave({ graceful: true }));
    const mongoUri = devnet.mongo?.uri ?? '';
    const store = await openMongoStore({ uri: mongoUri, dbName: DB, log: silentLog });
    stops.push(() => store.close());
    const mongo = await MongoClient.connect(mongoUri, { retryWrites: false });
    stops.push(() => mongo.close());
    stage = await openStage({ mongo, mongoUri, onStop: (stop) => void stops.push(stop) }, store, DB);
  }, 120_000);
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
  }, 120_000);

  it('are shared by simultaneous deliveries, and write no more than the budget of one', async () => {
    const { roundTripsEach, writtenEach } = await stage.product(DELIVERIES);
    expect(roundTripsEach).toBeGreaterThan(0);
    expect(roundTripsEach).toBeLessThanOrEqual(AT_MOST);
    expect(overBudget(writtenEach, DELIVERY_BUDGET)).toEqual([]);
  }, 120_000);
});
