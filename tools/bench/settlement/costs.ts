import { setTimeout as delay } from 'node:timers/promises';
import { silentLog } from '../../../scripts/lib/silent-log.ts';
import { readConfig } from '../../../src/config/config.ts';
import { startService } from '../../../src/service/service.ts';
import { counted, type Row } from '../row.ts';
import type { World } from '../world.ts';
import { combined, type Written, writtenBy, writtenRows } from '../written.ts';
import { drain, type Kind } from './drain.ts';
import { openEvmMarket } from './evm-market.ts';
import { workerEnv } from './market.ts';

/** What a charge asks of MongoDB: calls of the worker, and what the server writes. */
export interface Cost extends Written {
  readonly roundTrips: number;
}

/** The most that a charge in a batch may cost, with the scene's two inserts and one update of each. */
export const BUDGETS: Readonly<Record<Kind, Cost>> = {
  payments: { roundTrips: 1.5, inserted: 8.5, updated: 4.5, deleted: 0.5, commits: 5, journaled: 22_000 },
  cycles: { roundTrips: 2.5, inserted: 14, updated: 5, deleted: 3, commits: 6.5, journaled: 30_000 },
};

const PAYERS = 100;
const CHARGES = 500;
/** The calls of an idle worker are subtracted. It checks at this interval. */
const TICK_MS = '1000';
const IDLE_MS = 2_000;

/** The cost of one charge in a burst, counted in a worker in this process. */
export async function costsPerCharge(world: World): Promise<Row[]> {
  world.progress.step('costs: a worker in this process');
  const counting = await startCounting(world);
  const rows: Row[] = [];
  for (const kind of ['payments', 'cycles'] as const) {
    world.progress.step(`costs: ${CHARGES} ${kind}`);
    const cost = await counting.costOf(kind, CHARGES);
    const per = `charge of ${CHARGES} ${kind}`;
    const most = BUDGETS[kind];
    rows.push(
      counted(`MongoDB calls, per ${per}`, 'round trips', cost.roundTrips, { atMost: most.roundTrips }),
      ...writtenRows(per, cost, most),
    );
  }
  return rows;
}

/** Starts a worker whose calls to MongoDB are counted. */
export async function startCounting(world: World) {
  const market = await openEvmMarket(world, PAYERS);
  const own = { MONGODB_URI: world.mongoUri, HOST: '127.0.0.1', PORT: '0', TICK_MS };
  const worker = await startService(readConfig({ ...workerEnv(world), ...own }), silentLog);
  world.onStop(() => worker.stop());
  const spent = async (): Promise<Cost> => ({
    roundTrips: worker.store.roundTrips(),
    ...(await writtenBy(world.mongo)),
  });
  const spentDuring = async (work: () => Promise<unknown>) => {
    const [before, at] = [await spent(), performance.now()];
    await work();
    const [after, ms] = [await spent(), performance.now() - at];
    return { cost: combined(after, before, (a, b) => a - b), ms };
  };
  return {
    /** The cost of each charge, without that of an idle worker. */
    costOf: async (kind: Kind, charges: number): Promise<Cost> => {
      const idle = () => spentDuring(() => delay(IDLE_MS));
      const before = await idle();
      const { cost, ms } = await spentDuring(() => drain(market, kind, charges));
      // The lower of two measurements, because one of them may include leftover work.
      const resting = combined(before.cost, (await idle()).cost, Math.min);
      return combined(cost, resting, (all, rest) => (all - (rest * ms) / IDLE_MS) / charges);
    },
  };
}
