import { setMaxListeners } from 'node:events';
import { terminalOn } from '../../../scripts/lib/terminal.ts';
import { runElections } from '../../../tools/crashtest/elections.ts';
import { onTestFinished } from '../../runner/after.ts';
import { sized } from '../../support/proof-size.ts';

const ELECTIONS = sized(12, 5);

it('nothing is lost or done twice on a replica set that keeps losing its primary, and no request fails', async () => {
  const ending = new AbortController();
  // Every pause and every open request listens to this signal.
  setMaxListeners(0, ending.signal);
  const terminal = terminalOn({ write: () => true, isTTY: false }, undefined);
  const running = runElections({ terminal, signal: ending.signal }, ELECTIONS);
  // A test that runs out of time leaves no process behind.
  onTestFinished(async () => {
    ending.abort(new Error('the test is over'));
    await running.catch(() => {});
  });
  const { verdicts, met } = await running;
  expect(verdicts.flatMap(({ violations }) => violations)).toEqual([]);
  const isMet = (['lost', 'interrupted', 'refused', 'unconfirmed'] as const).filter((kind) => met[kind] > 0);
  // A few elections need not meet every kind.
  expect(isMet.length).toBeGreaterThanOrEqual(sized(4, 1));
  expect(verdicts[0]?.figures.charges).toBeGreaterThan(ELECTIONS);
}, 480_000);
