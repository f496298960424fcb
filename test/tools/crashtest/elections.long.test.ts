import { terminalOn } from '../../../scripts/lib/terminal.ts';
import { runElections } from '../../../tools/crashtest/elections.ts';
import type { CrashOutcome } from '../../../tools/crashtest/outcome.ts';
import { sized } from '../../support/proof-size.ts';

const ELECTIONS = sized(12, 5);

const ending = new AbortController();
let running: Promise<CrashOutcome> | null = null;

/** A test that runs out of time leaves no process behind. */
afterAll(async () => {
  ending.abort(new Error('the test is over'));
  await running?.catch(() => {});
}, 120_000);

it('nothing is lost or done twice on a replica set that keeps losing its primary, and no request fails', async () => {
  const terminal = terminalOn({ write: () => true, isTTY: false }, undefined);
  running = runElections({ terminal, signal: ending.signal }, { count: ELECTIONS });
  const { verdicts, elections } = await running;
  expect(verdicts.flatMap(({ violations }) => violations)).toEqual([]);
  const isMet = (['lost', 'interrupted', 'refused', 'unconfirmed'] as const).filter(
    (kind) => (elections?.met[kind] ?? 0) > 0,
  );
  // A few elections need not meet every kind.
  expect(isMet.length).toBeGreaterThanOrEqual(sized(4, 1));
  expect(verdicts[0]?.figures.charges).toBeGreaterThan(ELECTIONS);
}, 480_000);
