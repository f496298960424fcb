import type { Bench } from './bench.ts';
import { cyclesOpened } from './claim/cycles.ts';
import { withWorld } from './world.ts';

/** How fast what falls due at one moment is opened, and by how many at once. */
export const claim: Bench = {
  name: 'claim',
  about: 'cycles opened per second beside an Agenda job per subscription, and by four processes',
  run: (run) => withWorld((world) => cyclesOpened(world, run)),
};
