import type { DevnetModule } from '../src/service/local-parts.ts';
import { injectFaults } from './faults.ts';
import { joinDevnet } from './join.ts';

/** All that the service loads of this folder. The worlds are loaded later: until then the processes are starting. */
export const devnet: DevnetModule = {
  join: async (options) => {
    const joined = await joinDevnet(options);
    return {
      mongodbUri: joined.mongo?.uri ?? null,
      openWorld: async () => {
        const { openLocalWorld } = await import('./local-world.ts');
        return openLocalWorld(joined);
      },
      leave: () => joined.leave({ graceful: true }),
    };
  },
  injectFaults,
};
