import { EventEmitter, once } from 'node:events';
import { MongoClient } from 'mongodb';
import { silentLog } from '../../scripts/lib/silent-log.ts';
import { AllowanceWatcher } from '../../src/billing/allowances/allowance-watcher.ts';
import { ExpiredReservations } from '../../src/billing/offers/expired-reservations.ts';
import { buildCatalog } from '../../src/chains/catalog.ts';
import { createChains } from '../../src/chains/registry.ts';
import { recurringJobs, startClock } from '../../src/jobs/clock.ts';
import { jobWork } from '../../src/service/work.ts';
import { openEngine } from './engine.ts';

/**
 * The most calls to MongoDB per tick of a worker with nothing to do, of its jobs alone: the loops of chains have their
 * own pace. There are eleven searches, and four calls of Agenda. Each further worker asks once whether a job is due,
 * and gives a sign of life a second. The rest is reserve for a machine whose runs take longer than a tick.
 */
export const IDLE_BUDGET = { first: 19, further: 3 } as const;

const TICK_MS = 250;
const STOP_MS = 5_000;
/** Agenda checks its runs after half of this, even if they have ended, and the process waits for that. */
const LOCK_MS = 2_000;

interface Database {
  readonly mongoUri: string;
  readonly dbName: string;
}

/** The calls to MongoDB per tick of so many idle workers together, counted over this number of ticks. */
export async function idleCallsPerTick(database: Database, workers: number, ticks: number): Promise<number> {
  const runs = new EventEmitter<{ ran: [] }>();
  let times = 0;
  const onRun = () => {
    times += 1;
    runs.emit('ran');
  };
  const untilRun = async (count: number) => {
    while (times < count) await once(runs, 'ran');
  };
  const idle = await Promise.all(Array.from({ length: workers }, () => startIdleWorker(database, onRun)));
  const calls = () => idle.reduce((sum, { asked }) => sum + asked(), 0);
  // The jobs of a new database and the indexes are made before.
  await untilRun(times + 2);
  const [before, from] = [calls(), times];
  await untilRun(from + ticks);
  const perTick = (calls() - before) / (times - from);
  for (const { stop } of idle) await stop();
  return perTick;
}

/** `asked` counts its calls so far. */
async function startIdleWorker({ mongoUri: uri, dbName }: Database, onRun: () => void) {
  const client = await MongoClient.connect(uri, { monitorCommands: true });
  let commands = 0;
  client.on('commandStarted', () => {
    commands += 1;
  });
  const nothing = async () => undefined;
  const { store, engine, workers, domain } = await openEngine({ uri, dbName }, (made, parts) => {
    const chains = { catalog: buildCatalog(), chains: createChains([]) };
    const checks = { checkSessions: nothing, checkDeposits: nothing, checkRefunds: nothing };
    return { admits: () => true, watcher: new AllowanceWatcher({ ...parts, ...chains, ...checks, engine: made }) };
  });
  const { watcher } = domain;
  const reservations = new ExpiredReservations(store);
  const work = jobWork({
    engine,
    webhooks: { dispatchDue: async () => 0, dispatchShare: async () => 0 },
    watcher,
    reservations,
    redemptions: nothing,
    audit: nothing,
    upcasts: nothing,
    heads: nothing,
    moments: nothing,
  });
  const dispatchDue = async (touch: () => Promise<void>) => {
    await work.dispatchDue(touch);
    onRun();
  };
  const jobs = recurringJobs({ ...work, dispatchDue }, TICK_MS);
  const how = { tickMs: TICK_MS, log: silentLog, lockMs: LOCK_MS };
  const running = await startClock({ db: client.db(dbName), jobs, ...how });
  await workers.start(work.share);
  return {
    asked: () => store.roundTrips() + commands,
    stop: async () => {
      await running.stop(STOP_MS);
      await workers.stop();
      await client.close();
      await store.close();
    },
  };
}
