import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { toQuantity } from '../../src/chains/evm/wire.ts';
import { resultOf } from '../../src/chains/rpc.ts';
import { timerOf } from '../../src/store/actors/timers.ts';
import type { ServiceProcess } from '../../stage/processes.ts';
import { chainPid } from '../crashtest/chain-process.ts';
import type { BenchRun, Size } from './bench.ts';
import { insertMany, numberOf } from './documents.ts';
import { Course, eachProcess, type Process, type Sample } from './month/course.ts';
import { Pace } from './month/pace.ts';
import { priceOf } from './month/prices.ts';
import { growthRows, oplogOf, sizeRows, sizesOf } from './month/rows.ts';
import { archivableOf, scaleRows } from './month/scale.ts';
import { newestBlock, readChain, settledPayments, Tally } from './month/truth.ts';
import { pidOf, processorMs, residentMiB, yardstickMs } from './processes.ts';
import { counted, type Row } from './row.ts';
import { countOf, orderOf, statesOf, untilCount, untilQuiet } from './settlement/drain.ts';
import { subscriptionDue } from './settlement/due.ts';
import { openEvmMarket } from './settlement/evm-market.ts';
import { DB, type Market, workerEnv } from './settlement/market.ts';
import type { World } from './world.ts';

const COUNTS: Readonly<Record<Size, number>> = { quick: 2_000, full: 1_000_000 };
const USUAL = 20_000;

/** The same in every size of a run, because a charge reads the other subscriptions of its payer. */
const SUBSCRIPTIONS_PER_PAYER = 10;
const PAYERS_MIN = 20;
/** Blocks are seconds apart on a large chain, and must take what arrives meanwhile. */
const BLOCK_GAS = 1_000_000_000;
const POLL_MS = { first: 10, each: 200 } as const;
/**
 * What a server of 10 GB takes by default. The embedded engine has 256 MB, so it would read each document from the
 * disk.
 */
const CACHE = 'cache_size=4500M';
/** The time without any charge after which a run has failed. */
const STALL_MS = 300_000;
const MIB = 2 ** 20;

/**
 * Shows growth: many subscriptions are due at one moment, and drained to the end. They are written while no service
 * runs. Then one starts, and the run watches until the last is charged. Then the chain says what was charged.
 */
export async function month(world: World): Promise<Row[]> {
  const { progress, mongo } = world;
  const count = countFor(world);
  await mongo.db('admin').command({ setParameter: 1, wiredTigerEngineRuntimeConfig: CACHE });
  progress.step('month: payers and a chain');
  const market = await openEvmMarket(world, Math.max(PAYERS_MIN, Math.ceil(count / SUBSCRIPTIONS_PER_PAYER)));
  const limit = { method: 'evm_setBlockGasLimit', params: [toQuantity(BLOCK_GAS)] };
  for (const answer of await market.rpc.batch([limit])) resultOf(answer);
  const receiver = market.receiver();
  await insertSubscriptions(market, receiver, count);
  progress.step('month: a checkpoint');
  const before = await sizesOf(mongo, DB);
  const first = (await newestBlock(market)) + 1;
  const { course, ms } = await drained(world, market.rpcUrl, count);
  progress.step('month: the last blocks become final');
  await untilQuiet(world);
  const after = await sizesOf(mongo, DB);
  const archivable = await archivableOf(mongo, DB);
  const tally = new Tally(count, market, receiver);
  const ledger = await readChain(market, { receiver, first }, tally);
  const tenths = Array.from({ length: 10 }, (_, index) => course.tenth(index + 1));
  const cpuMsOf = (process: Process) => tenths.reduce((sum, each) => sum + each.cpuMsPerCharge[process], 0) / 10;
  return [
    counted(`${numberOf(count)} subscriptions due on one day`, 'charges/s', (count / ms) * 1_000),
    ...growthRows(course, count),
    ...sizeRows({ before, after, ledger }, count),
    ...tally.rows(await settledPayments(mongo.db(DB))),
    ...scaleRows({
      gas: ledger.gas / count,
      serviceMs: cpuMsOf('service'),
      databaseMs: cpuMsOf('database'),
      oplog: oplogOf(before, after) / count,
      kept: (after.storage + after.indexes - before.storage - before.indexes) / count,
      archived: archivable / count,
    }),
  ];
}

function countFor({ asked }: Pick<BenchRun, 'asked'>): number {
  if (asked === null) return USUAL;
  return typeof asked === 'number' ? asked : COUNTS[asked];
}

/** Writes `count` monthly subscriptions that are all due now. Their creation lies before that. */
async function insertSubscriptions(market: Market, receiver: string, count: number): Promise<void> {
  const due = new Date();
  await insertMany(market.world, { db: DB, collection: 'subscriptions', timerOf }, count, (_, number) => {
    const cycle = { interval: { unit: 'month', count: 1 }, amount: priceOf(number - 1), due } as const;
    return subscriptionDue(orderOf(market, number - 1, receiver), cycle);
  });
}

/**
 * Starts a service, and watches from its first write for a cycle to the last event. Throws if nothing was charged for
 * five minutes.
 */
async function drained(world: World, rpcUrl: string, count: number) {
  const { progress, signal } = world;
  const metricsToken = randomBytes(32).toString('hex');
  const starting = world.service({ ...workerEnv(world), METRICS_TOKEN: metricsToken });
  // A service works before it serves.
  const writing = untilCount(world, 'payments', 1, { withinMs: STALL_MS, everyMs: POLL_MS.first });
  const [began, service] = await Promise.all([writing.then(() => performance.now()), starting]);
  const pids = { service: service.pid, database: await pidOf(world.mongo), node: await chainPid({ rpcUrl }) };
  const sample = () => sampleOf(pids, service, metricsToken);
  const look = async () => ({ done: await countOf(world, 'events'), ms: performance.now() - began });
  // A small run may be over before the service serves. Processor time before that is left out.
  const course = new Course(count, { ms: 0, done: 0, sample: await sample() });
  const pace = new Pace(count);
  let moved = await look();
  for (;;) {
    signal.throwIfAborted();
    const now = await look();
    if (now.done > moved.done) moved = now;
    progress.step(`month: ${pace.take(now.ms, now.done)}`);
    if (course.check(now.done, yardstickMs())) {
      const tenths = course.tenths;
      course.sample({ ...now, sample: await sample() });
      for (let at = tenths + 1; at <= course.tenths; at += 1) {
        progress.found(counted(`month: tenth ${at} of 10`, 'charges/s', course.tenth(at).perSecond));
      }
    }
    if (now.done >= count) return { course, ms: now.ms };
    if (now.ms - moved.ms > STALL_MS)
      throw new Error(`only ${now.done} of ${count} were charged, none in ${STALL_MS} ms; ${await statesOf(world)}`);
    await delay(POLL_MS.each);
  }
}

async function sampleOf(pids: Readonly<Record<Process, number>>, service: ServiceProcess, token: string) {
  const response = await fetch(`${service.url}/metrics`, { headers: { Authorization: `Bearer ${token}` } });
  const used = /^nodejs_heap_size_used_bytes(?:\{[^}]*\})? (\S+)/m.exec(await response.text())?.[1];
  if (used === undefined) throw new Error(`the service answered ${response.status} without the size of its heap`);
  const sample: Sample = {
    mib: eachProcess((name) => residentMiB(pids[name])),
    cpuMs: eachProcess((name) => processorMs(pids[name])),
    heapMiB: Number(used) / MIB,
  };
  return sample;
}
