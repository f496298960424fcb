import { REGRESSIONS } from '../../../tools/simulate/regressions.ts';
import { failuresOf, outcomesOf, SEEDS_MS, seedsFrom } from './support/seeds.ts';

it(
  'holds in 120 simulated runs, and in those that once failed',
  async () => {
    const seeds = [...REGRESSIONS.map(({ seed }) => seed), ...seedsFrom(11, 120)];
    const outcomes = await outcomesOf(seeds);
    expect(failuresOf(outcomes)).toEqual([]);
    expect(outcomes).toHaveLength(seeds.length);
  },
  SEEDS_MS,
);
