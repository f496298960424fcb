import { failuresOf, outcomesOf, SEEDS_MS, seedsFrom } from './support/seeds.ts';

it(
  'holds in ten simulated runs; `npm test -- --long` has 490 more',
  async () => {
    const outcomes = await outcomesOf(seedsFrom(1, 10));
    expect(failuresOf(outcomes)).toEqual([]);
    expect(outcomes).toHaveLength(10);
    expect(outcomes.some(({ counts }) => counts.refunded > 0)).toBe(true);
    expect(outcomes.some(({ counts }) => counts.quantities > 0)).toBe(true);
    expect(outcomes.some(({ counts }) => counts.used > 3)).toBe(true);
    expect(outcomes.some(({ counts }) => counts.paused > 0)).toBe(true);
  },
  SEEDS_MS,
);
