import { MongoClient } from 'mongodb';
import { MACHINES } from '../../../machines/versions.ts';
import { silentLog } from '../../../scripts/lib/silent-log.ts';
import { AllowanceWatcher } from '../../../src/billing/allowances/allowance-watcher.ts';
import { ExpiredReservations } from '../../../src/billing/offers/expired-reservations.ts';
import { buildCatalog } from '../../../src/chains/catalog.ts';
import { createChains } from '../../../src/chains/registry.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { noFaults } from '../../../src/engine/faults.ts';
import { recurringJobs, startClock } from '../../../src/jobs/clock.ts';
import { jobWork } from '../../../src/service/work.ts';
import { openMongoStore } from '../../../src/store/mongo/store.ts';
import { handlersOf } from '../handlers.ts';

/**
 * The most calls to MongoDB per tick of a worker with nothing to do, of its jobs alone: the loops of chains have their
 * own pace. There are eleven searches, and four calls of Agenda. Each further worker asks once whether a job is due.
 * The rest is reserve for a machine whose runs take longer than a tick.
 */
export const IDLE_BUDGET = { first: 19, further: 3 } as const;

export interface IdleWorld {
  readonly mongoUri: string;
  readonly dbName: string;
  /** Registers work for the end; the last comes first. */
  readonly onStop: (stop: () => Promise<unknown>) => void;
}

const TICK_MS = 250;
const STOP_MS = 5_000;
/** Agenda checks its runs after half of this, even if they have ended, and the process waits for that. */
const LOCK_MS = 2_000;

/** The calls to MongoDB per tick of so many idle workers together, counted over this number of ticks. */
export async function idleCallsPerTick(world: IdleWorld, workers: number, ticks: number): Promise<number> {
  const ran = { times: 0, listeners: new Set<() => void>() };
  const counts = await Promise.all(
    Array.from({ length: workers }, () =>
      idleWorker(world, () => {
        ran.times += 1;
        for (const listener of ran.listeners) listener();
      }),
    ),
  );
  const untilRun = (times: number) =>
    new Promise<void>((resolve) => {
      const listener = () => {
        if (ran.times < times) return;
        ran.listeners.delete(listener);
        resolve();
      };
      ran.listeners.add(listener);
      listener();
    });
  const calls = () => counts.reduce((sum, count) => sum + count(), 0);
  // The jobs of a new database and the indexes are made before.
  await untilRun(ran.times + 2);
  const [before, from] = [calls(), ran.times];
  await untilRun(from + ticks);
  return (calls() - before) / (ran.times - from);
}

/** Returns what counts its calls so far. */
async function idleWorker({ mongoUri, dbName, onStop }: IdleWorld, onRun: () => void): Promise<() => number> {
  const store = await openMongoStore({ uri: mongoUri, dbName, log: silentLog });
  onStop(() => store.close());
  const client = await MongoClient.connect(mongoUri, { monitorCommands: true });
  onStop(() => client.close());
  let asked = 0;
  client.on('commandStarted', () => {
    asked += 1;
  });
  const clock = () => new Date();
  const nothing = async () => undefined;
  const parts = { store, clock, log: silentLog, catalog: buildCatalog(), chains: createChains([]) };
  const engine = new Engine({ ...parts, fault: noFaults, machines: MACHINES, dispatchesDue: true }, () => ({
    admits: () => true,
    dueEvents: async () => [],
    handlers: handlersOf({}),
  }));
  const watcher = new AllowanceWatcher({ ...parts, engine, checkSessions: nothing, checkDeposits: nothing });
  const work = jobWork({
    engine,
    watcher,
    reservations: new ExpiredReservations(store),
    audit: nothing,
    upcasts: nothing,
  });
  const dispatchDue = async (touch: () => Promise<void>) => {
    await work.dispatchDue(touch);
    onRun();
  };
  const jobs = recurringJobs({ ...work, dispatchDue }, TICK_MS);
  const running = await startClock({ db: client.db(dbName), jobs, tickMs: TICK_MS, log: silentLog, lockMs: LOCK_MS });
  onStop(() => running.stop(STOP_MS));
  return () => store.roundTrips() + asked;
}
