import { openWorld } from '../crashtest/world.ts';
import { yearOfDays } from './advance/year.ts';
import type { Bench } from './bench.ts';
import { NODE_ENV } from './service.ts';

/** The speed of the sandbox clock, with a chain, a service and a database like a merchant's. */
export const advance: Bench = {
  name: 'advance',
  about: 'a year of daily billing of one subscription through sandbox/advance',
  run: async (run) => {
    run.progress.step('advance: starting database, chain and service');
    const world = await openWorld();
    try {
      await world.start({ LOG_LEVEL: 'warn', NODE_ENV, TICK_MS: '1000' });
      return [await yearOfDays(world, run)];
    } finally {
      await world.stop();
    }
  },
};
