import { failuresOf, outcomesOf, SEEDS_MS, seedsFrom } from './support/seeds.ts';

it(
  'holds in 250 more simulated runs, in which enough happens',
  async () => {
    const outcomes = await outcomesOf(seedsFrom(251, 250));
    expect(failuresOf(outcomes)).toEqual([]);
    expect(outcomes).toHaveLength(250);
    const sum = (of: (outcome: (typeof outcomes)[number]) => number) =>
      outcomes.reduce((total, each) => total + of(each), 0);
    expect(sum(({ charges }) => charges.evm)).toBeGreaterThan(150);
    expect(sum(({ charges }) => charges.solana)).toBeGreaterThan(100);
    expect(sum(({ expired }) => expired)).toBeGreaterThan(0);
    expect(sum(({ events }) => events)).toBeGreaterThan(1_000);
    expect(sum(({ crashes }) => crashes)).toBeGreaterThan(500);
  },
  SEEDS_MS,
);
