import { Wallet } from 'ethers';
import { z } from 'zod';
import { toQuantity } from '../../../../src/chains/evm/wire.ts';
import { resultOf } from '../../../../src/chains/rpc.ts';
import { childOf } from '../../child.ts';
import type { Side } from '../../contest.ts';
import { type EvmShop, giveMeans } from './shop.ts';

const answer = z.strictObject({ ms: z.number().positive() });
const COINS = 10n ** 22n;

/** Starts the bare sender with its own account, on the service's node and database. A turn makes `count` transfers. */
export async function bareSide({ world, rpc, playing: token, db }: EvmShop, count: number): Promise<Side> {
  const child = childOf(world, import.meta.url, './bare-sender.ts');
  const [sender, receiver] = [Wallet.createRandom(), Wallet.createRandom()];
  const coins = { method: 'anvil_setBalance', params: [sender.address, toQuantity(COINS)] };
  for (const each of await rpc.batch([coins])) resultOf(each);
  const { address: from, privateKey: key } = sender;
  await giveMeans(rpc, token, [{ wallet: from, spender: from }]);
  const rpcUrl = world.devnet.evm?.rpcUrl ?? '';
  const asked = { rpcUrl, mongoUri: world.mongoUri, db, key, from, token, to: receiver.address, count };
  return async () => (count / (await child.ask(asked, answer)).ms) * 1_000;
}
