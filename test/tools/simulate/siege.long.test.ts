import { failuresOf, outcomesOf, SEEDS_MS } from './support/seeds.ts';

/** Solana, EVM with hostile wallets, and EVM with a hostile token besides. */
const SEEDS = [6, 48, 120];

it(
  'hostile actors delay no honest charge beyond the bound',
  async () => {
    const outcomes = await outcomesOf(SEEDS);
    expect(failuresOf(outcomes)).toEqual([]);
    const [first] = outcomes;
    expect(await outcomesOf([6], false)).toEqual([{ ...first, siege: null }]);
    const sieges = outcomes.flatMap(({ siege }) => siege ?? []);
    expect(sieges.map(({ honest }) => honest)).toEqual(SEEDS.map(() => 11));
    const acts = new Set(sieges.flatMap((siege) => Object.keys(siege.acts)));
    for (const part of ['wallet that burns gas', 'payer of a token', 'mentioned', 'dust', 'revokes in the slot']) {
      expect([...acts]).toContainEqual(expect.stringContaining(part));
    }
  },
  SEEDS_MS,
);
