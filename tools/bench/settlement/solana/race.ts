import { z } from 'zod';
import { testTokenProgram } from '../../../../devnet/solana-world.ts';
import type { BenchRun } from '../../bench.ts';
import { childOf } from '../../child.ts';
import { hold, type Side } from '../../contest.ts';
import type { Row } from '../../row.ts';
import type { World } from '../../world.ts';
import { drain, untilQuiet } from '../drain.ts';
import { openSolanaShop, type SolanaShop } from './shop.ts';

const COUNTS = { quick: { charges: 60, loop: 2 }, full: { charges: 500, loop: 10 } } as const;
const ROUNDS = 5;

/**
 * Charges per second on Solana, one transaction each, 10 merchants with one payer each, from `charge.request` to the event. The
 * rival is a loop (`plain-loop.ts` names code and options) on the same local chain. The figure has no target.
 */
export async function solanaRace(world: World, run: BenchRun): Promise<Row[]> {
  run.progress.step('settlement on Solana: starting database, chains, a worker and its rival');
  const shop = await openSolanaShop(world);
  const { charges, loop } = COUNTS[run.size];
  const row = await hold(
    {
      name: `${charges} payments on Solana to a loop of sign, send, poll`,
      unit: 'charges/s',
      product: async () => {
        const ms = await drain(shop, 'payments', charges);
        await untilQuiet(shop, 'final');
        return (charges / ms) * 1_000;
      },
      baseline: loopSide(shop, loop),
      target: null,
      rounds: ROUNDS,
      turns: 1,
    },
    run,
  );
  return [row];
}

const answer = z.strictObject({ ms: z.number().positive() });

function loopSide({ world, chain, receiver }: SolanaShop, count: number): Side {
  const child = childOf(world, import.meta.url, './plain-loop.ts');
  const owner = chain.wallets.find(({ name }) => name === 'approved');
  const token = chain.tokens.find(({ ticker }) => ticker === 'USDC');
  if (!owner || !token) throw new Error('the local Solana chain has no wallet or no token for the loop');
  const { rpcUrl } = chain;
  const { address: mint, decimals } = token;
  const { secretKey } = owner;
  const asked = { rpcUrl, secretKey, to: receiver(), mint, program: testTokenProgram('USDC'), decimals, count };
  return async () => (count / (await child.ask(asked, answer)).ms) * 1_000;
}
