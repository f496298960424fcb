import { Contract, JsonRpcProvider, Network, Wallet } from 'ethers';
import { z } from 'zod';
import { answerOrders } from '../../answer-orders.ts';

/**
 * The baseline "loop", in its own process: `await (await token.transferFrom(payer, receiver, 1)).wait()`, one after the other.
 * ethers has its fastest options: `JsonRpcProvider` with `staticNetwork`, `cacheTimeout: -1`, `batchStallTime: 0` and
 * `pollingInterval: 5` (by default it would search for blocks only every 4 s).
 */
const order = z.strictObject({
  rpcUrl: z.string(),
  key: z.string(),
  token: z.string(),
  payer: z.string(),
  to: z.string(),
  count: z.int().positive(),
});
type Order = z.infer<typeof order>;

const CHAIN_ID = 31337;
const POLLING_MS = 5;
const ABI = ['function transferFrom(address from, address to, uint256 amount) returns (bool)'];

const providers = new Map<string, JsonRpcProvider>();

async function run({ rpcUrl, key, token, payer, to, count }: Order) {
  const contract = new Contract(token, ABI, new Wallet(key, providerOf(rpcUrl)));
  const transferFrom = contract.getFunction('transferFrom');
  const began = performance.now();
  for (let made = 0; made < count; made += 1) {
    const receipt = await (await transferFrom.send(payer, to, 1n)).wait();
    if (receipt?.status !== 1) throw new Error('a transfer reverted');
  }
  return { ms: performance.now() - began };
}

function providerOf(rpcUrl: string): JsonRpcProvider {
  const known = providers.get(rpcUrl);
  if (known) return known;
  const made = new JsonRpcProvider(rpcUrl, CHAIN_ID, {
    staticNetwork: Network.from(CHAIN_ID),
    cacheTimeout: -1,
    batchStallTime: 0,
    pollingInterval: POLLING_MS,
  });
  providers.set(rpcUrl, made);
  return made;
}

answerOrders(order, run);
