import { REGRESSIONS } from '../../../tools/simulate/regressions.ts';
import { sized } from '../../support/proof-size.ts';
import { failuresOf, outcomesOf, SEEDS_MS, seedsFrom } from './support/seeds.ts';

const COUNT = sized(120, 30);

it(
  `holds in ${COUNT} simulated runs, and in those that once failed`,
  async () => {
    const seeds = [...REGRESSIONS.map(({ seed }) => seed), ...seedsFrom(11, COUNT)];
    const outcomes = await outcomesOf(seeds);
    expect(failuresOf(outcomes)).toEqual([]);
    expect(outcomes).toHaveLength(seeds.length);
  },
  SEEDS_MS,
);
