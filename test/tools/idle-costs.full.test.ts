import { IDLE_BUDGET, idleCallsPerTick } from '../../tools/bench/claim/idle.ts';
import { startTestDevnet } from '../support/devnet.ts';

const TICKS = 12;

describe('the jobs of workers with nothing to do', () => {
  const stops: (() => Promise<unknown>)[] = [];
  let mongoUri: string;

  beforeAll(async () => {
    mongoUri = (await startTestDevnet({ evm: false })).mongoUri;
  }, 120_000);
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  }, 60_000);

  it.each([1, 3])(
    'ask MongoDB no more often per tick than their budget: %d workers',
    async (workers) => {
      const world = {
        mongoUri,
        dbName: `idle_${workers}_${Date.now()}`,
        onStop: (stop: () => Promise<unknown>) => void stops.push(stop),
      };
      const calls = await idleCallsPerTick(world, workers, TICKS);
      expect(calls).toBeGreaterThan(10);
      expect(calls).toBeLessThanOrEqual(IDLE_BUDGET.first + (workers - 1) * IDLE_BUDGET.further);
    },
    60_000,
  );
});
