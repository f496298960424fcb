import { setTimeout as delay } from 'node:timers/promises';
import { silentLog } from '../../../scripts/lib/silent-log.ts';
import { readConfig } from '../../../src/config/config.ts';
import { startService } from '../../../src/service/service.ts';
import type { BenchRun } from '../bench.ts';
import { counted, type Row } from '../row.ts';
import type { Ground, World } from '../world.ts';
import { drain, type Kind } from './drain.ts';
import { openEvmShop } from './evm/shop.ts';

/** The limits of MongoDB calls per charge in a batch. */
const AT_MOST: Readonly<Record<Kind, number>> = { payments: 1.5, cycles: 2.5 };

const PAYERS = 100;
const CHARGES = 500;
/** The calls of an idle worker are subtracted. It checks at this interval. */
const TICK_MS = '1000';
const IDLE_MS = 2_000;

/** The MongoDB calls of one charge in a burst, counted in a worker in this process. */
export async function roundTripsPerCharge(world: World, run: Pick<BenchRun, 'progress'>): Promise<Row[]> {
  run.progress.step('round roundTrips: a worker in this process');
  const counting = await startCounting(world);
  const rows: Row[] = [];
  for (const kind of ['payments', 'cycles'] as const) {
    run.progress.step(`round roundTrips: ${CHARGES} ${kind}`);
    const roundTrips = await counting.roundTripsOf(kind, CHARGES);
    const row = counted(`MongoDB calls per charge of ${CHARGES} ${kind}`, 'round trips', roundTrips, {
      atMost: AT_MOST[kind],
    });
    run.progress.found(row);
    rows.push(row);
  }
  return rows;
}

/** A worker whose calls to MongoDB are counted. */
export interface Counting {
  /** Calls per charge, without the calls of an idle worker. */
  roundTripsOf(kind: Kind, charges: number): Promise<number>;
}

export async function startCounting(world: Ground): Promise<Counting> {
  const counter: { total: () => number } = { total: () => 0 };
  const shop = await openEvmShop(
    {
      ...world,
      service: async (env = {}) => {
        const own = { MONGODB_URI: world.mongoUri, HOST: '127.0.0.1', PORT: '0' };
        const service = await startService(readConfig({ ...own, ...env, TICK_MS }), silentLog);
        world.onStop(() => service.stop());
        counter.total = () => service.store.roundTrips();
        return { url: service.url, pid: process.pid, stop: () => service.stop() };
      },
    },
    PAYERS,
  );
  const idlePerMs = async (): Promise<number> => {
    const before = counter.total();
    await delay(IDLE_MS);
    return (counter.total() - before) / IDLE_MS;
  };
  return {
    roundTripsOf: async (kind, charges) => {
      const before = await idlePerMs();
      const [roundTrips, at] = [counter.total(), performance.now()];
      await drain(shop, kind, charges);
      const [asked, ms] = [counter.total() - roundTrips, performance.now() - at];
      // The lower of two measurements, because one of them may include leftover work.
      const idle = Math.min(before, await idlePerMs());
      return (asked - idle * ms) / charges;
    },
  };
}
