import type { BenchRun } from '../bench.ts';
import { residentMiB } from '../resident.ts';
import { compared, counted, median, meets, type Row, type Target } from '../row.ts';
import type { World } from '../world.ts';
import { yardstickMs } from '../yardstick.ts';
import { drain, untilQuiet } from './drain.ts';
import { openEvmShop } from './evm/shop.ts';
import type { Shop } from './shop.ts';

/** The number of subscriptions, each with a cycle that falls due at the same moment. */
const COUNT = 20_000;
/** Ten subscriptions per payer. More payers would mean more storage, which the local node copies for every block. */
const PAYERS = 2_000;
/** The number of charges to warm up new processes. */
const WARM_UP = 500;

/** The compared quarters, one near the beginning and one near the end, without the first and the last twentieth. */
const FIRST = [0.05, 0.3] as const;
const LAST = [0.7, 0.95] as const;

/**
 * The rate of a quarter is the median of parts of this many charges, some ten transactions: a pause of some seconds must not
 * decide. Each part is compared with a yardstick, because other work may slow the machine for a while.
 */
const PART = 1_000;

/** How much slower, or faster, the last quarter may be than the first. */
const STEADY = { atLeast: 0.9 } as const;
/** The limit of the last quarter's memory relative to the second's. Waiting work must be in the database, not in memory. */
const FLAT = { atMost: 1.2 } as const;

/** Shows that a burst drains as fast at its end as at its beginning, in constant memory. */
export async function burst(world: World, run: BenchRun): Promise<Row[]> {
  run.progress.step(`burst: ${PAYERS} payers, and a worker of the service`);
  const shop = await openEvmShop(world, PAYERS);
  await drain(shop, 'cycles', WARM_UP);
  await untilQuiet(shop);
  const seen = await watched(shop, COUNT, run);
  const rows = [
    counted(`${COUNT} cycles due at once`, 'charges/s', (COUNT / (seen.at(-1)?.ms ?? 0)) * 1_000),
    ...steadiness(seen, COUNT),
    memory(seen),
  ];
  for (const row of rows) run.progress.found(row);
  return rows;
}

interface Check {
  readonly ms: number;
  readonly done: number;
  /** As in `yardstickMs`. */
  readonly yardstickMs: number;
  /** The resident memory of the worker, MiB. */
  readonly mib: number;
}

async function watched(shop: Shop, count: number, { progress, signal }: BenchRun): Promise<readonly Check[]> {
  const seen: Check[] = [];
  await drain(shop, 'cycles', count, (ms, done) => {
    signal.throwIfAborted();
    seen.push({ ms, done, yardstickMs: yardstickMs(), mib: residentMiB(shop.service.pid) });
    progress.step(`burst: ${done} of ${count} cycles in ${Math.round(ms / 1_000)} s`);
  });
  return seen;
}

/** The comparison by the clock, and by the yardstick, which decides: charges in the time of a fixed amount of work. */
function steadiness(seen: readonly Check[], count: number): Row[] {
  const compare = (what: string, unit: string, rateOf: (part: Part) => number, target: Target | null): Row => {
    const [first, last] = [FIRST, LAST].map(([from, to]) =>
      median(partsOf(seen, from * count, to * count).map(rateOf)),
    );
    if (first === undefined || last === undefined) throw new Error('no quarters');
    const ratio = Math.min(first, last) / Math.max(first, last);
    const row = compared(`the last quarter to the first, ${what}: the slower ÷ the faster`, unit, last, first);
    return { ...row, ratio, target, holds: meets(ratio, target) };
  };
  const perSecond = ({ done, ms }: Part): number => (done / ms) * 1_000;
  return [
    compare('by the clock', 'charges/s', perSecond, null),
    compare('by the yardstick', 'charges', ({ done, ms, yardstickMs }) => (done / ms) * yardstickMs * WORK, STEADY),
  ];
}

/** The number of yardsticks, for readable figures. */
const WORK = 1_000;

/** The work between two checks, with the mean of the yardstick. */
interface Part {
  readonly ms: number;
  readonly done: number;
  readonly yardstickMs: number;
}

function partsOf(seen: readonly Check[], from: number, to: number): Part[] {
  const count = Math.max(1, Math.floor((to - from) / PART));
  const size = (to - from) / count;
  return Array.from({ length: count }, (_, part) => partOf(seen, from + part * size, from + (part + 1) * size));
}

/** The part between the first checks at which `from` and `to` charges were done. */
function partOf(seen: readonly Check[], from: number, to: number): Part {
  const [first, last] = [from, to].map((wanted) => seen.findIndex(({ done }) => done >= wanted));
  const checks = first === undefined || last === undefined || first < 0 ? [] : seen.slice(first, last + 1);
  const [start, end] = [checks.at(0), checks.at(-1)];
  if (start === undefined || end === undefined) throw new Error(`no check between ${from} and ${to}`);
  const sum = checks.reduce((sum, check) => sum + check.yardstickMs, 0);
  return { ms: end.ms - start.ms, done: end.done - start.done, yardstickMs: sum / checks.length };
}

function memory(seen: readonly Check[]): Row {
  const part = (from: number, to: number): number => {
    const end = seen.at(-1)?.ms ?? 0;
    return median(seen.filter(({ ms }) => ms >= end * from && ms <= end * to).map(({ mib }) => mib));
  };
  const [second, last] = [part(0.25, 0.5), part(0.75, 1)];
  return compared('memory of the last quarter to that of the second', 'MiB', last, second, FLAT);
}
