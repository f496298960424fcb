import type { Bench } from './bench.ts';
import { cyclesOpened } from './claim/cycles.ts';
import { withWorld } from './world.ts';

/** The speed of opening cycles that fall due at one moment, with one process and with several. */
export const claim: Bench = {
  name: 'claim',
  about: 'cycles opened per second beside an Agenda job per subscription, and by four processes',
  run: (run) => withWorld((world) => cyclesOpened(world, run)),
};
