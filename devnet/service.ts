import type { DevnetModule } from '../src/service/local-parts.ts';
import { injectFaults } from './faults.ts';
import { joinDevnet } from './join.ts';

/** The part of this folder that the service loads. The worlds are loaded later, while the processes start. */
export const devnet: DevnetModule = {
  join: async (options) => {
    const joined = await joinDevnet(options);
    return {
      mongodbUri: joined.mongo?.uri ?? null,
      openWorld: async () => {
        const { openLocalWorld } = await import('./local-world.ts');
        return openLocalWorld(joined, options);
      },
      leave: () => joined.leave({ graceful: true }),
    };
  },
  injectFaults,
};
