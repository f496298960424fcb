import type { Bench } from './bench.ts';
import { events } from './transition/events.ts';
import { withWorld } from './world.ts';

/** The cost of deciding by a machine and of journaling the decision. */
export const transition: Bench = {
  name: 'transition',
  about: 'events taken per second beside the raw driver, one by one and many at once',
  run: (run) => withWorld((world) => events(world, run)),
};
