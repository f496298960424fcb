import { setTimeout as delay } from 'node:timers/promises';
import type { MongoClient } from 'mongodb';
import { z } from 'zod';
import { silentLog } from '../../../scripts/lib/silent-log.ts';
import { readConfig } from '../../../src/config/config.ts';
import { startService } from '../../../src/service/service.ts';
import type { BenchRun } from '../bench.ts';
import { counted, type Row } from '../row.ts';
import type { Ground, World } from '../world.ts';
import { drain, type Kind } from './drain.ts';
import { openEvmShop } from './evm/shop.ts';

/** What a charge asks of MongoDB: calls of the worker, and what the server counts. */
export interface Cost {
  readonly roundTrips: number;
  readonly inserted: number;
  readonly updated: number;
  readonly deleted: number;
  /** Writes to the engine's journal, each a transaction of its storage. */
  readonly commits: number;
  /** Bytes in that journal, with those of indexes. */
  readonly journaled: number;
}

/**
 * The most that a charge in a batch may cost. Two updates and a delete are of the scene; one of a worker's jobs is divided among
 * the charges, which are fewer in a test.
 */
export const BUDGETS: Readonly<Record<Kind, Cost>> = {
  payments: { roundTrips: 1.5, inserted: 10, updated: 11, deleted: 1.5, commits: 11, journaled: 34_000 },
  cycles: { roundTrips: 2.5, inserted: 14, updated: 16, deleted: 1.5, commits: 17, journaled: 58_000 },
};

const UNITS: Readonly<Record<keyof Cost, string>> = {
  roundTrips: 'round trips',
  inserted: 'documents inserted',
  updated: 'documents updated',
  deleted: 'documents deleted',
  commits: 'commits',
  journaled: 'bytes of the journal',
};

const PAYERS = 100;
const CHARGES = 500;
/** The calls of an idle worker are subtracted. It checks at this interval. */
const TICK_MS = '1000';
const IDLE_MS = 2_000;

/** The cost of one charge in a burst, counted in a worker in this process. */
export async function costsPerCharge(world: World, run: Pick<BenchRun, 'progress'>): Promise<Row[]> {
  run.progress.step('costs: a worker in this process');
  const counting = await startCounting(world);
  const rows: Row[] = [];
  for (const kind of ['payments', 'cycles'] as const) {
    run.progress.step(`costs: ${CHARGES} ${kind}`);
    const cost = await counting.costOf(kind, CHARGES);
    for (const part of COST_PARTS) {
      const name = `${UNITS[part]}, per charge of ${CHARGES} ${kind}`;
      const row = counted(name, UNITS[part], cost[part], { atMost: BUDGETS[kind][part] });
      run.progress.found(row);
      rows.push(row);
    }
  }
  return rows;
}

/** A worker whose calls to MongoDB are counted. */
export interface Counting {
  /** The cost of each charge, without that of an idle worker. */
  costOf(kind: Kind, charges: number): Promise<Cost>;
}

export async function startCounting(world: Ground): Promise<Counting> {
  const worker: { roundTrips: () => number } = { roundTrips: () => 0 };
  const shop = await openEvmShop(
    {
      ...world,
      service: async (env = {}) => {
        const own = { MONGODB_URI: world.mongoUri, HOST: '127.0.0.1', PORT: '0' };
        const service = await startService(readConfig({ ...own, ...env, TICK_MS }), silentLog);
        world.onStop(() => service.stop());
        worker.roundTrips = () => service.store.roundTrips();
        return { url: service.url, pid: process.pid, stop: () => service.stop() };
      },
    },
    PAYERS,
  );
  const spentDuring = async (work: () => Promise<unknown>): Promise<Spent> => {
    const [before, at] = [await spentBy(worker, world.mongo), performance.now()];
    await work();
    const [after, ms] = [await spentBy(worker, world.mongo), performance.now() - at];
    return { cost: combined(after, before, (a, b) => a - b), ms };
  };
  return {
    costOf: async (kind, charges) => {
      const idle = () => spentDuring(() => delay(IDLE_MS));
      const before = await idle();
      const { cost, ms } = await spentDuring(() => drain(shop, kind, charges));
      // The lower of two measurements, because one of them may include leftover work.
      const resting = combined(before.cost, (await idle()).cost, Math.min);
      return combined(cost, resting, (all, rest) => (all - (rest * ms) / IDLE_MS) / charges);
    },
  };
}

interface Spent {
  readonly cost: Cost;
  readonly ms: number;
}

/** Everything that the worker and all other clients have asked of the server since it started. */
async function spentBy(worker: { readonly roundTrips: () => number }, mongo: MongoClient): Promise<Cost> {
  const { metrics, wiredTiger } = serverStatus.parse(await mongo.db('admin').command({ serverStatus: 1 }));
  const { inserted, updated, deleted } = metrics.document;
  return {
    roundTrips: worker.roundTrips(),
    inserted,
    updated,
    deleted,
    commits: wiredTiger.log['log write operations'],
    journaled: wiredTiger.log['log bytes of payload data'],
  };
}

const number = z.coerce.number();
const serverStatus = z.object({
  metrics: z.object({ document: z.object({ inserted: number, updated: number, deleted: number }) }),
  wiredTiger: z.object({ log: z.object({ 'log write operations': number, 'log bytes of payload data': number }) }),
});

export const COST_PARTS = [
  'roundTrips',
  'inserted',
  'updated',
  'deleted',
  'commits',
  'journaled',
] as const satisfies (keyof Cost)[];

function combined(one: Cost, other: Cost, by: (one: number, other: number) => number): Cost {
  return {
    roundTrips: by(one.roundTrips, other.roundTrips),
    inserted: by(one.inserted, other.inserted),
    updated: by(one.updated, other.updated),
    deleted: by(one.deleted, other.deleted),
    commits: by(one.commits, other.commits),
    journaled: by(one.journaled, other.journaled),
  };
}
