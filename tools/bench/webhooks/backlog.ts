import { numberOf } from '../documents.ts';
import { counted, type Row } from '../row.ts';
import type { World } from '../world.ts';
import { openSides } from './sides.ts';

const PARTS = 5;
/** The lowest pace of the last fifth relative to the first. */
const AT_LEAST = 0.8;

/** Shows that a backlog does not slow down: its last fifth arrives as fast as its first. */
export async function backlog(world: World): Promise<Row[]> {
  const events = world.size === 'full' ? 50_000 : 5_000;
  world.progress.step(`webhooks: a backlog of ${numberOf(events)}`);
  const { product } = await openSides(world, 'backlog');
  await product(events / 10);
  const { arrivals } = await product(events);
  const name = `backlog of ${numberOf(events)}: pace of the last fifth to the first`;
  return [counted(name, '', paceOfEnds(arrivals), { atLeast: AT_LEAST })];
}

function paceOfEnds(arrivals: readonly number[]): number {
  const sorted = arrivals.toSorted((one, other) => one - other);
  const size = Math.floor(sorted.length / PARTS);
  return spanOf(sorted.slice(0, size)) / spanOf(sorted.slice(-size));
}

function spanOf(moments: readonly number[]): number {
  return (moments.at(-1) ?? 0) - (moments[0] ?? 0);
}
