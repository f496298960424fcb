import { failuresOf, outcomesOf, SEEDS_MS, seedsFrom } from './support/seeds.ts';

it(
  'holds in 120 more simulated runs, in which enough happens',
  async () => {
    const outcomes = await outcomesOf(seedsFrom(251, 120));
    expect(failuresOf(outcomes)).toEqual([]);
    expect(outcomes).toHaveLength(120);
    const sum = (of: (outcome: (typeof outcomes)[number]) => number) =>
      outcomes.reduce((total, each) => total + of(each), 0);
    expect(sum(({ charges }) => charges.evm)).toBeGreaterThan(75);
    expect(sum(({ charges }) => charges.solana)).toBeGreaterThan(50);
    expect(sum(({ expired }) => expired)).toBeGreaterThan(0);
    expect(sum(({ events }) => events)).toBeGreaterThan(500);
    expect(sum(({ crashes }) => crashes)).toBeGreaterThan(250);
  },
  SEEDS_MS,
);
