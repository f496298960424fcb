import type { BenchRun } from '../../bench.ts';
import { hold } from '../../contest.ts';
import { median, type Row } from '../../row.ts';
import type { World } from '../../world.ts';
import { yardstickMs } from '../../yardstick.ts';
import { drain, untilQuiet } from '../drain.ts';
import { openSolanaShop } from './shop.ts';

const COUNTS = { quick: 60, full: 500 } as const;
const ROUNDS = 5;
const YARDSTICKS = 100;

/**
 * Charges per second on Solana, one transaction each, 10 merchants with one payer each, from `charge.request` to the
 * event. The other side is the speed of the machine, so the ratio is charges per yardstick. The figure has no target.
 */
export async function solanaRace(world: World, run: BenchRun): Promise<Row[]> {
  run.progress.step('settlement on Solana: starting database, chains and a worker');
  const shop = await openSolanaShop(world);
  const count = COUNTS[run.size];
  const row = await hold(
    {
      name: `${count} payments on Solana to yardsticks`,
      unit: 'charges/s',
      product: async () => {
        const ms = await drain(shop, 'payments', count);
        await untilQuiet(shop, 'final');
        return (count / ms) * 1_000;
      },
      baseline: async () => 1_000 / median(Array.from({ length: YARDSTICKS }, yardstickMs)),
      target: null,
      rounds: ROUNDS,
      turns: 1,
    },
    run,
  );
  return [row];
}
