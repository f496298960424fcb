import { setTimeout as delay } from 'node:timers/promises';
import { toQuantity } from '../../src/chains/evm/wire.ts';
import { resultOf } from '../../src/chains/rpc.ts';
import { timerOf } from '../../src/store/actors/timers.ts';
import type { ActorDoc } from '../../src/store/documents.ts';
import { chainPid } from '../crashtest/chain-process.ts';
import type { BenchRun, Size } from './bench.ts';
import { insertMany, numberOf } from './documents.ts';
import { Course, eachProcess, type Sample, type Tenth } from './month/course.ts';
import { CHARGED_TENTHS, fillCycles, tenthOf } from './month/fill.ts';
import { priceOf } from './month/prices.ts';
import { filledRow, growthRows, oplogOf, sizeRows, sizesOf } from './month/rows.ts';
import { archivableOf, scaleRows } from './month/scale.ts';
import { newestBlock, readChain, settledPayments, Tally } from './month/truth.ts';
import { openFiles, pidOf, processorMs, residentMiB, yardstickMs } from './processes.ts';
import { counted, type Row } from './row.ts';
import { countOf, orderOf, statesOf, untilCount, untilQuiet, wakeAll } from './settlement/drain.ts';
import { subscriptionDue } from './settlement/due.ts';
import { openEvmMarket } from './settlement/evm-market.ts';
import { DB, type Market, workerEnv } from './settlement/market.ts';
import type { World } from './world.ts';
import { combined } from './written.ts';

const COUNTS: Readonly<Record<Size, number>> = { quick: 2_000, full: 1_000_000 };
const USUAL = 20_000;

/** The same in every size of a run, because a charge reads the other subscriptions of its payer. */
const SUBSCRIPTIONS_PER_PAYER = 10;
const PAYERS_MIN = 20;
/** Blocks are seconds apart on a large chain, and must take what arrives meanwhile. */
const BLOCK_GAS = 1_000_000_000;
const POLL_MS = { first: 10, each: 200 } as const;
/** What a server of 10 GB takes by default. With the engine's 256 MB it would read each document from disk. */
const CACHE = 'cache_size=4500M';
/** The time without any charge after which a run has failed. */
const STALL_MS = 300_000;

/** The payers signed up one after another, the last one so long before the due day, milliseconds. */
const SIGNED_UP_MS = { each: 80, before: 28 * 86_400_000 } as const;
/** Later on the due day than a run takes, milliseconds. */
const LATER_MS = 10 * 3_600_000;

const minus = (one: number, other: number) => one - other;

/**
 * Shows growth: many subscriptions are due on one day. They are written while no service runs. Then one starts, and
 * charges two tenths. Copies of what they left fill seven more, which the local chain would take hours to charge. So
 * the service charges the last tenth on a database of the full size. Each tenth begins when the one before has ended.
 * At the end, the logs of the chain are compared with what the service had to charge.
 */
export async function month(world: World): Promise<Row[]> {
  const { progress, mongo } = world;
  const count = countFor(world);
  const charged = (count / 10) * CHARGED_TENTHS.length;
  await mongo.db('admin').command({ setParameter: 1, wiredTigerEngineRuntimeConfig: CACHE });
  progress.step('month: payers and a chain');
  const market = await openEvmMarket(world, Math.max(PAYERS_MIN, Math.ceil(count / SUBSCRIPTIONS_PER_PAYER)));
  const limit = { method: 'evm_setBlockGasLimit', params: [toQuantity(BLOCK_GAS)] };
  for (const answer of await market.rpc.batch([limit])) resultOf(answer);
  const receiver = market.receiver();
  const due = new Date();
  const wakeOf = (number: number) => (number === 1 ? due : new Date(due.getTime() + LATER_MS + number));
  await insertSubscriptions(market, receiver, { count, due, wakeOf });
  const [heads, timers] = [mongo.db(DB).collection<ActorDoc>('subscriptions'), mongo.db(DB).collection('timers')];
  const wake = async (number: number) => {
    await wakeAll(world, await heads.find({ wakeAt: wakeOf(number) }).toArray(), new Date());
    await timers.deleteMany({ at: wakeOf(number) });
  };
  progress.step('month: a checkpoint');
  const atFirst = await sizesOf(mongo, DB);
  const first = (await newestBlock(market)) + 1;
  const { course, charge } = await startCharging(world, market.rpcUrl, count);
  await charge(1);
  await wake(2);
  await charge(2);
  const beforeFill = await sizesOf(mongo, DB);
  await fillCycles(world, { $gte: wakeOf(3), $lte: wakeOf(9) }, count - charged);
  const afterFill = await sizesOf(mongo, DB);
  await wake(10);
  await charge(10);
  const atEnd = await sizesOf(mongo, DB);
  const lastTenth = combined(atEnd, afterFill, minus);
  const charges = combined(combined(beforeFill, atFirst, minus), lastTenth, (one, other) => one + other);
  const tally = new Tally(count, market, receiver);
  const ledger = await readChain(market, { receiver, first }, tally);
  const meanOf = (figure: (tenth: Tenth) => number) =>
    CHARGED_TENTHS.reduce((sum, each) => sum + figure(course.tenth(each)), 0) / CHARGED_TENTHS.length;
  const perSecond = 1 / meanOf((each) => 1 / each.perSecond);
  return [
    counted(`${numberOf(count)} subscriptions due on one day`, 'charges/s', perSecond),
    ...growthRows(course, count),
    ...sizeRows({ before: atFirst, charges, after: atEnd }, ledger, { count, charged }),
    filledRow(combined(afterFill, beforeFill, minus), lastTenth),
    ...tally.rows(await settledPayments(mongo.db(DB))),
    ...scaleRows({
      gas: ledger.gas / charged,
      serviceMs: meanOf(({ cpuMsPerCharge }) => cpuMsPerCharge.service),
      databaseMs: meanOf(({ cpuMsPerCharge }) => cpuMsPerCharge.database),
      oplog: oplogOf(charges, atEnd) / charged,
      kept: (charges.storage + charges.indexes) / charged,
      archived: (await archivableOf(mongo, DB)) / count,
    }),
  ];
}

/** A multiple of ten. */
function countFor({ asked }: Pick<BenchRun, 'asked'>): number {
  const count = asked === null ? USUAL : typeof asked === 'number' ? asked : COUNTS[asked];
  return 10 * Math.ceil(count / 10);
}

/** Writes monthly subscriptions that were created before they were due; each tenth has its wake. */
async function insertSubscriptions(
  market: Market,
  receiver: string,
  { count, due, wakeOf }: { readonly count: number; readonly due: Date; readonly wakeOf: (tenth: number) => Date },
): Promise<void> {
  await insertMany(market.world, { db: DB, collection: 'subscriptions', timerOf }, count, (_, number) => {
    const created = new Date(due.getTime() - SIGNED_UP_MS.before - (count - number) * SIGNED_UP_MS.each);
    const cycle = { interval: { unit: 'month', count: 1 }, amount: priceOf(number - 1), due, created } as const;
    const doc = subscriptionDue(orderOf(market, number - 1, receiver), cycle);
    return { ...doc, wakeAt: wakeOf(tenthOf(number - 1, count)) };
  });
}

/** Resolves at the first write for a cycle. `charge` watches a tenth, 1 to 10. Throws after five idle minutes. */
async function startCharging(world: World, rpcUrl: string, count: number) {
  const { progress, signal } = world;
  const starting = world.service(workerEnv(world));
  // A service works before it serves.
  const writing = untilCount(world, 'payments', 1, { withinMs: STALL_MS, everyMs: POLL_MS.first });
  const [began, service] = await Promise.all([writing.then(() => performance.now()), starting]);
  const pids = { service: service.pid, database: await pidOf(world.mongo), node: await chainPid({ rpcUrl }) };
  const sample = (): Sample => ({
    mib: eachProcess((name) => residentMiB(pids[name])),
    cpuMs: eachProcess((name) => processorMs(pids[name])),
    files: openFiles(pids.service),
  });
  const look = async () => ({ done: await countOf(world, 'events'), ms: performance.now() - began });
  // A small run may be over before the service serves. Processor time before that is left out.
  const course = new Course(count, { ms: 0, done: 0, sample: sample() });
  const charge = async (tenth: number): Promise<void> => {
    const end = (tenth * count) / 10;
    let moved = await look();
    if (tenth > 1) course.skip({ ...moved, sample: sample() });
    let now = moved;
    do {
      signal.throwIfAborted();
      now = await look();
      if (now.done > moved.done) moved = now;
      progress.step(`month: ${numberOf(now.done)} of ${numberOf(end)} done`);
      if (course.check(now.done, yardstickMs())) course.sample({ ...now, sample: sample() });
      if (now.ms - moved.ms > STALL_MS)
        throw new Error(`only ${now.done} of ${end} were charged, none in ${STALL_MS} ms; ${await statesOf(world)}`);
      await delay(POLL_MS.each);
    } while (now.done < end);
    progress.found(counted(`month: tenth ${tenth} of 10`, 'charges/s', course.tenth(tenth).perSecond));
    progress.step('month: the last blocks become final');
    await untilQuiet(world);
  };
  return { course, charge };
}
