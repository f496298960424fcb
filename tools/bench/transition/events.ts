import type { BenchRun } from '../bench.ts';
import { childOf } from '../child.ts';
import { hold } from '../contest.ts';
import type { Row, Target } from '../row.ts';
import type { World } from '../world.ts';
import { CONCURRENCY, type TransitionOrder, transitioned } from './messages.ts';

type How = TransitionOrder['how'];

const ACTORS: Readonly<Record<BenchRun['size'], Readonly<Record<How, number>>>> = {
  quick: { 'one by one': 500, many: 1_000 },
  full: { 'one by one': 2_000, many: 4_000 },
};
const TARGETS: Readonly<Record<How, Target>> = { 'one by one': { atLeast: 0.7 }, many: { atLeast: 0.5 } };
const NAMES: Readonly<Record<How, (actors: number) => string>> = {
  'one by one': () => `dispatch by ${CONCURRENCY} callers to find + conditional update`,
  many: (actors) => `dispatchMany of ${actors} to bulkWrite of the same updates`,
};

/**
 * Events accepted, journaled and cleared per second, beside the raw driver (`baseline.ts`, whose docstring names its
 * options).
 */
export async function events(world: World, run: BenchRun): Promise<Row[]> {
  run.progress.step('transition: starting both sides');
  const product = await side(world, './product.ts', 'product');
  const baseline = await side(world, './baseline.ts', 'baseline');
  const rows: Row[] = [];
  for (const how of ['one by one', 'many'] as const) {
    const actors = ACTORS[run.size][how];
    const contest = { name: NAMES[how](actors), unit: 'events/s', target: TARGETS[how], turns: 2 };
    const rounds = run.size === 'full' ? 9 : 5;
    rows.push(
      await hold(
        { ...contest, rounds, product: () => product({ how, actors }), baseline: () => baseline({ how, actors }) },
        run,
      ),
    );
  }
  return rows;
}

/** A process on a separate database with the service's indexes. */
async function side(world: World, file: string, db: string): Promise<(order: TransitionOrder) => Promise<number>> {
  await world.store(db);
  const child = childOf(world, import.meta.url, file, [world.mongoUri, db]);
  return async (order) => {
    const { ms } = await child.ask(order, transitioned);
    return (order.actors / ms) * 1_000;
  };
}
