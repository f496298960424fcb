import { terminalOn } from '../../../scripts/lib/terminal.ts';
import { runBurst } from '../../../tools/crashtest/burst.ts';
import type { CrashOutcome } from '../../../tools/crashtest/outcome.ts';

const ending = new AbortController();
let running: Promise<CrashOutcome> | null = null;

/** A test that runs out of time leaves no process behind. */
afterAll(async () => {
  ending.abort(new Error('the test is over'));
  await running?.catch(() => {});
}, 120_000);

it('subscriptions that fall due in one second are each charged once, by two workers', async () => {
  const terminal = terminalOn({ write: () => true, isTTY: false }, undefined);
  running = runBurst({ terminal, signal: ending.signal }, { count: 60, overMs: 0 });
  const outcome = await running;
  expect(outcome.verdicts.flatMap(({ violations }) => violations)).toEqual([]);
  expect(outcome.verdicts.map(({ figures }) => figures.charges)).toEqual([120]);
  expect(outcome.burst?.dueWithinMs).toBeLessThanOrEqual(1_000);
  expect(outcome.burst?.shares).toHaveLength(2);
}, 180_000);
