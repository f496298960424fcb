import { approveDelegate } from '../../../devnet/approve-delegate.ts';
import { solanaGenesisHash } from '../../../devnet/solana-marker.ts';
import { solanaWorld } from '../../../devnet/solana-world.ts';
import { Delegates } from '../../../src/chains/solana/delegates.ts';
import { rootOfSeed } from '../../../src/chains/solana/key-root.ts';
import { hold } from '../contest.ts';
import { FEE_BPS } from '../merchant.ts';
import { yardstickMs } from '../processes.ts';
import { median, type Row } from '../row.ts';
import type { World } from '../world.ts';
import { drain, untilQuiet } from './drain.ts';
import { DB, type Market, makeMerchants, workerEnv } from './market.ts';

const COUNTS = { quick: 60, full: 500 } as const;
const YARDSTICKS = 100;

/**
 * Charges per second on Solana, one transaction each, 10 merchants with one payer each, from `charge.request` to the
 * event. The other side is the speed of the machine, so the ratio is charges per yardstick. The figure has no target.
 */
export async function solanaRace(world: World): Promise<Row[]> {
  world.progress.step('settlement on Solana: starting database, chains and a worker');
  const market = await openSolanaMarket(world);
  await world.service(workerEnv(world, 'on'));
  const count = COUNTS[world.size];
  const row = await hold(world, {
    name: `${count} payments on Solana to yardsticks`,
    unit: 'charges/s',
    product: async () => {
      const ms = await drain(market, 'payments', count);
      await untilQuiet(world, 'final');
      return (count / ms) * 1_000;
    },
    baseline: async () => 1_000 / median(Array.from({ length: YARDSTICKS }, yardstickMs)),
  });
  return [row];
}

const TOKEN = { tokenKey: 'usdc-solana', chainId: 101 } as const;
/** Below an unlimited allowance, and more than a run costs. */
const ALLOWANCE = 900_000_000_000n;

/**
 * A market on the local Solana chain. Its payers are test wallets without an approval. Each approves its own merchant,
 * because an account has one delegate.
 */
async function openSolanaMarket(world: World): Promise<Market> {
  const { solana } = world.devnet;
  if (!solana) throw new Error('this world has no Solana chain');
  const chain = solanaWorld(solana.rpcUrl, solanaGenesisHash(world.devnet.folderId));
  const payers = chain.wallets.filter(({ name }) => /^payer-\d+$/.test(name));
  const merchants = await makeMerchants(await world.openStore(DB), payers.length, FEE_BPS);
  const delegates = new Delegates(rootOfSeed(chain.operatorSeed));
  const approvals = payers.map(({ name }, index) => {
    const { address } = delegates.of({ merchantId: merchants[index]?.merchantId ?? '', mode: 'test' }, false);
    return approveDelegate(chain, address, { names: [name], amount: ALLOWANCE });
  });
  await Promise.all(approvals);
  const receiver = chain.wallets.find(({ name }) => name === 'merchant')?.address ?? '';
  const wallets = payers.map(({ address }) => address);
  return { world, token: TOKEN, merchants, payers: wallets, feeBps: FEE_BPS, receiver: () => receiver };
}
