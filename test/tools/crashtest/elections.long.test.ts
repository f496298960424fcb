import { runElections } from '../../../tools/crashtest/elections.ts';
import { sized } from '../../support/proof-size.ts';
import { runToEnd } from './run-to-end.ts';

const ELECTIONS = sized(12, 5);

it('nothing is lost or done twice on a replica set that keeps losing its primary, and no request fails', async () => {
  const { verdicts, met } = await runToEnd((tool) => runElections(tool, ELECTIONS));
  expect(verdicts.flatMap(({ violations }) => violations)).toEqual([]);
  const isMet = (['lost', 'interrupted', 'refused', 'unconfirmed'] as const).filter((kind) => met[kind] > 0);
  // A few elections need not meet every kind.
  expect(isMet.length).toBeGreaterThanOrEqual(sized(4, 1));
  expect(verdicts[0]?.figures.charges).toBeGreaterThan(ELECTIONS);
}, 480_000);
