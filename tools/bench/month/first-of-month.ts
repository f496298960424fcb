import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { toQuantity } from '../../../src/chains/evm/wire.ts';
import { resultOf } from '../../../src/chains/rpc.ts';
import type { BenchRun } from '../bench.ts';
import { counted, type Row } from '../row.ts';
import type { BenchService } from '../service.ts';
import { standOf, untilQuiet } from '../settlement/drain.ts';
import { type EvmShop, openEvmShop } from '../settlement/evm/shop.ts';
import type { World } from '../world.ts';
import { yardstickMs } from '../yardstick.ts';
import { Course } from './course.ts';
import { numberOf, Pace } from './pace.ts';
import { type Processes, processesOf, sampleOf } from './processes.ts';
import { growthRows, sizeRows } from './rows.ts';
import { sizesOf } from './sizes.ts';
import { insertSubscriptions } from './subscriptions.ts';
import { newestBlock, readChain, settledPayments, Tally } from './truth.ts';

/** The same in every size of a run, because a charge reads the other subscriptions of its payer. */
const SUBSCRIPTIONS_PER_PAYER = 10;
const PAYERS_MIN = 20;
/** Blocks are seconds apart on a large chain, and must take what arrives meanwhile. */
const BLOCK_GAS = 1_000_000_000;
const FIRST_POLL_MS = 10;
const POLL_MS = 200;
/**
 * What a server of 10 GB takes by default. The embedded engine has 256 MB, so it would read each document from the
 * disk.
 */
const CACHE = 'cache_size=4500M';
/** The time without any charge after which a run has failed. */
const STALL_MS = 300_000;

/**
 * Writes the subscriptions while no service runs, then starts one, and watches until the last is charged. Then the
 * chain says what was charged.
 */
export async function firstOfMonth(world: World, run: BenchRun, count: number): Promise<Row[]> {
  const { progress, signal } = run;
  await world.mongo.db('admin').command({ setParameter: 1, wiredTigerEngineRuntimeConfig: CACHE });
  progress.step('month: payers and a chain');
  const { shop, start } = await openShop(world, count);
  const db = world.mongo.db(shop.db);
  const receiver = shop.receiver();
  await insertSubscriptions(shop, { count, receiver }, run);
  progress.step('month: a checkpoint');
  const before = await sizesOf(world.mongo, db);
  const first = (await newestBlock(shop)) + 1;
  const { course, ms } = await drained(start, { db, count }, run);
  progress.step('month: the last blocks become final');
  await untilQuiet(shop, 'finalized', signal);
  const after = await sizesOf(world.mongo, db);
  const tally = new Tally(count, shop, receiver);
  const ledger = await readChain(shop, { receiver, first }, tally, run);
  return [
    counted(`${numberOf(count)} subscriptions due on one day`, 'charges/s', (count / ms) * 1_000),
    ...growthRows(course, count),
    ...sizeRows({ before, after, ledger }, count),
    ...tally.rows(await settledPayments(db)),
  ];
}

/** The shop, whose service starts later. */
async function openShop(world: World, count: number): Promise<{ shop: EvmShop; start: () => Promise<Processes> }> {
  const metricsToken = randomBytes(32).toString('hex');
  let service: () => Promise<BenchService> = () => world.service();
  const ground = {
    ...world,
    service: async (env = {}) => {
      service = () => world.service({ ...env, METRICS_TOKEN: metricsToken });
      return { url: '', pid: 0, stop: async () => undefined };
    },
  };
  const shop = await openEvmShop(ground, Math.max(PAYERS_MIN, Math.ceil(count / SUBSCRIPTIONS_PER_PAYER)));
  for (const answer of await shop.rpc.batch([{ method: 'evm_setBlockGasLimit', params: [toQuantity(BLOCK_GAS)] }]))
    resultOf(answer);
  const rpcUrl = world.devnet.evm?.rpcUrl ?? '';
  return { shop, start: async () => processesOf(world.mongo, rpcUrl, await service(), metricsToken) };
}

/**
 * Watches from the first write of the service for a cycle to the last event. Throws if nothing was charged for five
 * minutes.
 */
async function drained(
  start: () => Promise<Processes>,
  { db, count }: { readonly db: Db; readonly count: number },
  { progress, signal }: BenchRun,
): Promise<{ readonly course: Course; readonly ms: number }> {
  const events = db.collection('events');
  const [began, processes] = await Promise.all([firstWrite(db, signal), start()]);
  const look = async () => ({ done: await events.estimatedDocumentCount(), ms: performance.now() - began });
  // A small run may be over before the service serves. Processor time before that is left out.
  const course = new Course(count, { ms: 0, done: 0, sample: await sampleOf(processes) });
  const pace = new Pace(count);
  let moved = await look();
  for (;;) {
    signal.throwIfAborted();
    const now = await look();
    if (now.done > moved.done) moved = now;
    progress.step(`month: ${pace.take(now.ms, now.done)}`);
    if (course.check(now.done, yardstickMs())) {
      const tenths = course.tenths;
      course.sample({ ...now, sample: await sampleOf(processes) });
      for (let at = tenths + 1; at <= course.tenths; at += 1) {
        progress.found(counted(`month: tenth ${at} of 10`, 'charges/s', course.tenth(at).perSecond));
      }
    }
    if (now.done >= count) return { course, ms: now.ms };
    if (now.ms - moved.ms > STALL_MS) {
      throw new Error(`only ${now.done} of ${count} were charged, and none in ${STALL_MS} ms; ${await standOf(db)}`);
    }
    await delay(POLL_MS);
  }
}

/** Resolves with its time, by the clock of `performance.now`. A service works before it serves. */
async function firstWrite(db: Db, signal: AbortSignal): Promise<number> {
  const payments = db.collection('payments');
  while ((await payments.estimatedDocumentCount()) === 0) {
    signal.throwIfAborted();
    await delay(FIRST_POLL_MS);
  }
  return performance.now();
}
