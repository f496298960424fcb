import { JsonRpc } from '../../../../src/chains/rpc.ts';
import { SimSolana } from '../../../../tools/simulate/solana/node.ts';
import type { Playground } from '../../../chains/contract/playground.ts';
import { solanaPlayground } from '../../../chains/contract/solana-playground.ts';
import { openFront } from './front.ts';

/** The interval at which waiting transactions run. */
const TICK_MS = 5;

/** The product's adapter calls the node without a network; wallets of tests, and proxies, use HTTP. */
export function simSolanaPlayground(): Promise<Playground> {
  return solanaPlayground('USDC', async () => {
    const sim = new SimSolana({ now: Date.now, random: Math.random, slotMs: 50 });
    const front = await openFront(async (method, params) => sim.ask(method, params));
    const ticking = setInterval(() => sim.tick(), TICK_MS);
    return {
      rpcUrl: front.url,
      chain: sim.chain,
      world: { ...sim.world, rpcUrl: front.url },
      openRpc: (options) => (options.url === front.url ? sim.transport : new JsonRpc(options)),
      async stop() {
        clearInterval(ticking);
        await front.stop();
        sim.close();
      },
    };
  });
}
