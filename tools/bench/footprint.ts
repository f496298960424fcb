import type { Bench } from './bench.ts';
import { onDisk } from './footprint/disk.ts';
import { inMemory } from './footprint/memory.ts';
import { populated } from './footprint/population.ts';
import { madeByService } from './footprint/specimen.ts';
import { FEW, MANY } from './subscriptions.ts';
import { withWorld } from './world.ts';

/** The cost of a subscription that only exists: memory of the service, and disk space. */
export const footprint: Bench = {
  name: 'footprint',
  about: "the service's memory with many subscriptions and with few, bytes on disk of each",
  run: async (run) => {
    run.progress.step('footprint: a service makes one subscription and bills it');
    const specimen = await madeByService(run);
    return withWorld(async (world) => {
      const few = await populated(world, run, { db: 'few', count: FEW, specimen });
      const many = await populated(world, run, { db: 'many', count: MANY[run.size], specimen });
      return [...(await onDisk(many, run)), await inMemory(world, run, { few, many })];
    });
  },
};
