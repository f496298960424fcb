import { failuresOf, outcomesOf, SEEDS_MS, seedsFrom } from './support/seeds.ts';

it(
  'holds in 120 more simulated runs, in which enough happens',
  async () => {
    const outcomes = await outcomesOf(seedsFrom(251, 120));
    expect(failuresOf(outcomes)).toEqual([]);
    expect(outcomes).toHaveLength(120);
    const sum = (of: (outcome: (typeof outcomes)[number]) => number) =>
      outcomes.reduce((total, each) => total + of(each), 0);
    expect(sum(({ counts }) => counts.evm)).toBeGreaterThan(75);
    expect(sum(({ counts }) => counts.solana)).toBeGreaterThan(50);
    expect(sum(({ counts }) => counts.expired)).toBeGreaterThan(0);
    expect(sum(({ counts }) => counts.events)).toBeGreaterThan(500);
    expect(sum(({ counts }) => counts.crashes)).toBeGreaterThan(250);
  },
  SEEDS_MS,
);
