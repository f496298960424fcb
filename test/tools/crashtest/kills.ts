import { faultPlanText } from '../../../devnet/faults.ts';
import { killsAt } from '../../../tools/crashtest/plans.ts';
import { carryOut } from '../../../tools/crashtest/run.ts';
import { ENDS_WITHIN_MS, reachVerdict } from '../../../tools/crashtest/verdict.ts';
import { openWorld, type World } from '../../../tools/crashtest/world.ts';

/**
 * The clock of each process is this much ahead of the one before, and that of the last one by a delivery's lease. So
 * nobody waits here for locks of a dead process; `npm run prove -- crash` does, on equal clocks.
 */
const AHEAD_MS = { each: 4_000, last: 31_000 } as const;

/**
 * Kills one real process after another on one database and chain, each at one of these points while a merchant
 * subscribes. Then the chain's logs, a webhook receiver and the journals judge the result.
 */
export function describeKills(points: readonly string[]): void {
  describe('a process killed while a merchant subscribes', () => killEach(points));
}

function killEach(points: readonly string[]): void {
  const { signal } = new AbortController();
  let world: World;

  beforeAll(async () => {
    world = await openWorld();
  }, 120_000);

  afterAll(() => world.stop(), 30_000);

  it.each(killsAt(points).map((plan, index) => [faultPlanText(plan), plan, index * AHEAD_MS.each] as const))(
    'dies at %s',
    async (_, plan, aheadMs) => {
      const env = { FAULTS_CLOCK_MS: String(aheadMs) };
      expect(await carryOut(world, plan, { signal, env })).toMatchObject({ outcome: 'carried out', why: null });
    },
    60_000,
  );

  it(
    'has charged every cycle once, sent every event, and journaled its work',
    async () => {
      const env = { FAULTS_CLOCK_MS: String(points.length * AHEAD_MS.each + AHEAD_MS.last) };
      const { violations, figures } = await reachVerdict(world, { signal, env });
      expect(violations).toEqual([]);
      expect(figures.subscriptions).toBe(points.length);
      // At least one each: on a slow machine a point behind the first charge needs a renewal too.
      expect(figures.charges).toBeGreaterThanOrEqual(points.length);
    },
    2 * ENDS_WITHIN_MS,
  );
}
