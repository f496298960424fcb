import { IDLE_BUDGET, idleCallsPerTick } from '../../tools/bench/idle.ts';
import { startTestDevnet } from '../support/devnet.ts';

const TICKS = 12;

it('idle workers ask MongoDB no more often per tick than the budget of their jobs', async () => {
  const { mongoUri } = await startTestDevnet();
  for (const workers of [1, 3]) {
    const calls = await idleCallsPerTick({ mongoUri, dbName: `idle_${workers}` }, workers, TICKS);
    expect(calls).toBeGreaterThan(10);
    expect(calls).toBeLessThanOrEqual(IDLE_BUDGET.first + (workers - 1) * IDLE_BUDGET.further);
  }
}, 240_000);
