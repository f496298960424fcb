import { faultPlanText } from '../../../devnet/faults.ts';
import { killsAt } from '../../../tools/crashtest/plans.ts';
import { carryOut } from '../../../tools/crashtest/run.ts';
import { ENDS_WITHIN_MS, reachVerdict } from '../../../tools/crashtest/verdict.ts';
import { openWorld, type World } from '../../../tools/crashtest/world.ts';

/**
 * The clock of each process is this much ahead of the one before, and that of the last one by a delivery's lease: so nobody
 * waits here for what a dead process holds. `npm run crashtest` does, on clocks that agree.
 */
const AHEAD_MS = { each: 4_000, last: 31_000 } as const;

/**
 * Kills one real process after another on one database and chain, each at one of these points while a merchant subscribes,
 * and lets the chain's logs, a webhook receiver and the journals judge what all of them have left behind.
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
    'has charged every cycle once, told every event, and journaled what it did',
    async () => {
      const env = { FAULTS_CLOCK_MS: String(points.length * AHEAD_MS.each + AHEAD_MS.last) };
      const { violations, figures } = await reachVerdict(world, { signal, env });
      expect(violations).toEqual([]);
      expect(figures.subscriptions).toBe(points.length);
      // One each at least: where a point lies behind the first charge, and the machine is slow, a renewal is asked for too.
      expect(figures.charges).toBeGreaterThanOrEqual(points.length);
    },
    2 * ENDS_WITHIN_MS,
  );
}
