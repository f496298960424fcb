import { runBurst } from '../../../tools/crashtest/burst.ts';
import { runToEnd } from './run-to-end.ts';

it('subscriptions that fall due in one second are each charged once, by two workers', async () => {
  const outcome = await runToEnd((tool) => runBurst(tool, { count: 60, overMs: 0 }));
  expect(outcome.verdicts.flatMap(({ violations }) => violations)).toEqual([]);
  expect(outcome.verdicts.map(({ figures }) => figures.charges)).toEqual([120]);
  expect(outcome.burst?.dueWithinMs).toBeLessThanOrEqual(1_000);
  expect(outcome.burst?.shares).toHaveLength(2);
}, 180_000);
