import { Wallet } from 'ethers';
import { z } from 'zod';
import { toQuantity } from '../../../../src/chains/evm/wire.ts';
import { resultOf } from '../../../../src/chains/rpc.ts';
import { childOf } from '../../child.ts';
import { type EvmShop, giveMeans } from './shop.ts';

/** The rivals of the product. Each makes `count` transfers, and returns the milliseconds. */
export interface Baselines {
  loop(count: number): Promise<number>;
  bare(count: number): Promise<number>;
}

const answer = z.strictObject({ ms: z.number().positive() });
const COINS = 10n ** 22n;

/** Starts two processes, each with its own account, on the service's node and database. */
export async function startBaselines({ world, rpc, playing: token, db }: EvmShop): Promise<Baselines> {
  const loop = childOf(world, import.meta.url, './plain-loop.ts');
  const bare = childOf(world, import.meta.url, './bare-sender.ts');
  const [looper, sender, payer, to] = [1, 2, 3, 4].map(() => Wallet.createRandom());
  if (!looper || !sender || !payer || !to) throw new Error('no wallets');
  for (const { address } of [looper, sender]) {
    for (const each of await rpc.batch([{ method: 'anvil_setBalance', params: [address, toQuantity(COINS)] }]))
      resultOf(each);
  }
  await giveMeans(rpc, token, [
    { wallet: payer.address, spender: looper.address },
    { wallet: sender.address, spender: looper.address },
  ]);
  const rpcUrl = world.devnet.evm?.rpcUrl ?? '';
  const common = { rpcUrl, token, to: to.address };
  return {
    loop: async (count) => {
      const asked = { ...common, key: looper.privateKey, payer: payer.address, count };
      return (await loop.ask(asked, answer)).ms;
    },
    bare: async (count) => {
      const { mongoUri } = world;
      const asked = { ...common, mongoUri, db, key: sender.privateKey, from: sender.address, count };
      return (await bare.ask(asked, answer)).ms;
    },
  };
}
