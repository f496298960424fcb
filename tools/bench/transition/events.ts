import { hold } from '../contest.ts';
import type { Row } from '../row.ts';
import type { World } from '../world.ts';
import type { TransitionSide } from './product.ts';
import { CONCURRENCY, type TransitionOrder } from './write.ts';

const CONTESTS = [
  {
    how: 'one by one',
    actors: { quick: 500, full: 2_000 },
    name: () => `dispatch by ${CONCURRENCY} callers to find + insert`,
    target: { atLeast: 0.7 },
  },
  {
    how: 'many',
    actors: { quick: 1_000, full: 4_000 },
    name: (actors: number) => `dispatchMany of ${actors} to insertMany of the same rows`,
    target: { atLeast: 0.05 },
  },
] as const;

/**
 * Events accepted, journaled and cleared per second, beside the raw driver (`baseline.ts`, whose docstring names its
 * options).
 */
export async function events(world: World): Promise<Row[]> {
  world.progress.step('transition: starting both sides');
  const product = await side(world, './product.ts', 'product');
  const baseline = await side(world, './baseline.ts', 'baseline');
  const rows: Row[] = [];
  for (const { how, actors: counts, name, target } of CONTESTS) {
    const actors = counts[world.size];
    const order = { how, actors };
    const sides = { product: () => product(order), baseline: () => baseline(order) };
    const rounds = world.size === 'full' ? 9 : 5;
    rows.push(await hold(world, { name: name(actors), unit: 'events/s', target, rounds, turns: 2, ...sides }));
  }
  return rows;
}

/** A process on a separate database with the service's indexes. */
async function side(world: World, file: string, db: string): Promise<(order: TransitionOrder) => Promise<number>> {
  await world.openStore(db);
  const child = world.child<TransitionSide>(import.meta.url, file, [world.mongoUri, db]);
  return async (order) => (order.actors / (await child.ask('transition', order))) * 1_000;
}
