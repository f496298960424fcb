import { MACHINES } from '../../../machines/versions.ts';
import { silentLog } from '../../../scripts/lib/silent-log.ts';
import { Scanner } from '../../../src/engine/scanner.ts';
import { EVERY_PARTITION } from '../../../src/store/documents.ts';
import type { Store } from '../../../src/store/port.ts';
import type { BenchRun } from '../bench.ts';
import { hold } from '../contest.ts';
import { counted, type Row } from '../row.ts';
import { FEW, MANY, withSubscriptions } from '../subscriptions.ts';
import type { World } from '../world.ts';
import { examinedBy } from './examined.ts';

const DUE = 100;
const SCANS = { quick: 10, full: 50 } as const;

const AT_MOST = { cost: 3, examined: 1.05 } as const;

/**
 * The cost of one tick's search: the engine's own scanner reads all partitions and loads the 100 due documents. The
 * product is both sides, once with many subscriptions and once with few.
 */
export async function dueScan(world: World, run: BenchRun): Promise<Row[]> {
  const count = MANY[run.size];
  const few = scansOf(await withSubscriptions(world, run, 'few', { count: FEW, due: DUE }));
  const many = scansOf(await withSubscriptions(world, run, 'many', { count, due: DUE }));
  const scans = SCANS[run.size];
  const [all, part] = [count.toLocaleString('en'), FEW.toLocaleString('en')];
  const cost = await hold(
    {
      name: `finding ${DUE} due of ${all} to ${DUE} of ${part}`,
      unit: 'µs',
      product: () => microseconds(many, scans),
      baseline: () => microseconds(few, scans),
      target: { atMost: AT_MOST.cost },
      rounds: run.size === 'full' ? 9 : 5,
      turns: 2,
    },
    run,
  );
  const { documents, keys } = await examinedBy(world.mongo, many);
  return [
    cost,
    counted(`documents examined per one found, of ${all}`, 'documents', documents / DUE, { atMost: AT_MOST.examined }),
    counted(`index keys examined per one found, of ${all}`, 'keys', keys / DUE),
  ];
}

/** One scan of all partitions. Throws if it does not find exactly the due documents. */
function scansOf(store: Store): () => Promise<void> {
  const scanner = new Scanner({ store, clock: () => new Date(), log: silentLog, machines: MACHINES });
  return async () => {
    const { length } = await scanner.due('subscription', EVERY_PARTITION);
    if (length !== DUE) throw new Error(`${length} subscriptions were found due; expected ${DUE}`);
  };
}

async function microseconds(scanAll: () => Promise<void>, times: number): Promise<number> {
  const began = performance.now();
  for (let done = 0; done < times; done += 1) await scanAll();
  return ((performance.now() - began) / times) * 1_000;
}
