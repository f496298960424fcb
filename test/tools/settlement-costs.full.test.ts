import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spyOn } from 'jest-mock';
import { MongoClient } from 'mongodb';
import { joinDevnet } from '../../devnet/join.ts';
import { resetFolder } from '../../devnet/reset.ts';
import { commandOf, SUPERVISOR } from '../../scripts/lib/build.ts';
import { silentLog } from '../../scripts/lib/silent-log.ts';
import { packageVersion } from '../../src/package/version.ts';
import { openMongoStore } from '../../src/store/mongo/store.ts';
import { BUDGETS, type Counting, startCounting } from '../../tools/bench/settlement/costs.ts';
import { overBudget } from '../../tools/bench/written.ts';

const CHARGES = 150;

/**
 * MongoDB calls for one charge of many, from its request to its event. One by one it would be some thirty; in batches
 * it is a fraction of one. On a busy machine batches are smaller, so the budget is generous, but not enough for a call
 * per charge and step.
 */
const AT_MOST = { payments: 4, cycles: 7 } as const;

/**
 * Half of the lifetime of a job's lock. After this time Agenda checks if a run is still alive, even long after it has
 * ended.
 */
const AGENDAS_CHECK_MS = 5_000;

/** The worker runs in this process, which must not wait for the checks of its last runs. */
function letGoOfAgendasPolls(): () => void {
  const set = globalThis.setTimeout;
  const spy = spyOn(globalThis, 'setTimeout').mockImplementation((run, ms, ...values) => {
    const timer = set(run, ms, ...values);
    return ms === AGENDAS_CHECK_MS ? timer.unref() : timer;
  });
  return () => spy.mockRestore();
}

describe('a burst of charges shares its calls to MongoDB', () => {
  const stops: (() => Promise<unknown>)[] = [];
  let counting: Counting;

  beforeAll(async () => {
    const restore = letGoOfAgendasPolls();
    stops.push(async () => restore());
    const dataDir = await mkdtemp(join(tmpdir(), 'tideline-trips-'));
    stops.push(() => resetFolder(dataDir));
    // The service joins it, and would replace a devnet of another version.
    const how = { version: packageVersion(), evmPort: 0, lingerMs: 1_000, log: () => undefined };
    const devnet = await joinDevnet({
      dataDir,
      want: { mongo: true, evm: true },
      supervisor: commandOf(SUPERVISOR),
      ...how,
    });
    stops.push(() => devnet.leave({ graceful: true }));
    const mongoUri = devnet.mongo?.uri ?? '';
    const mongo = await MongoClient.connect(mongoUri, { retryWrites: false });
    stops.push(() => mongo.close());
    counting = await startCounting({
      devnet,
      dataDir,
      mongoUri,
      mongo,
      store: async (dbName) => {
        const store = await openMongoStore({ uri: mongoUri, dbName, log: silentLog });
        stops.push(() => store.close());
        return store;
      },
      service: () => {
        throw new Error('the worker runs in this process');
      },
      onStop: (stop) => void stops.push(stop),
    });
  }, 120_000);
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
  }, 120_000);

  it.each(['payments', 'cycles'] as const)(
    'and its documents, commits and bytes stay within the budget of a charge: %s',
    async (kind) => {
      const cost = await counting.costOf(kind, CHARGES);
      expect(overBudget(cost, BUDGETS[kind])).toEqual([]);
      expect(cost.roundTrips).toBeLessThanOrEqual(AT_MOST[kind]);
    },
  );
});
