import { expect, it } from '@jest/globals';
import { runBurst } from '../../scripts/crashtest/burst.ts';
import { terminalOn } from '../../scripts/lib/terminal.ts';

it('subscriptions that fall due in one second are each charged once, by two workers', async () => {
  const terminal = terminalOn({ write: () => true, isTTY: false }, undefined);
  const { signal } = new AbortController();
  const outcome = await runBurst({ terminal, signal }, { count: 60, overMs: 0 });
  expect(outcome.verdicts.flatMap(({ violations }) => violations)).toEqual([]);
  expect(outcome.verdicts.map(({ figures }) => figures.charges)).toEqual([120]);
  expect(outcome.burst?.dueWithinMs).toBeLessThanOrEqual(1_000);
  expect(outcome.burst?.shares).toHaveLength(2);
}, 180_000);
