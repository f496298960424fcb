import { startFaucet } from './faucet.ts';
import { createFront } from './front.ts';
import { found } from './genesis.ts';
import type { JournalHead } from './journal.ts';
import { LocalChain } from './local-chain.ts';
import { listenSideBySide } from './side-by-side.ts';
import { createSubscriptionServer } from './subscriptions.ts';

interface NodeOptions extends Omit<JournalHead, 'product' | 'startedAt'> {
  /** The file of the chain, which keeps its own slots and seed if it exists. */
  readonly path: string;
  readonly genesisHash: string;
  readonly now: () => number;
}

/** Opens the local chain of a file, with the test tokens and wallets, and a node for it that does not listen yet. */
export function openNode({ path, genesisHash, now, ...head }: NodeOptions) {
  const chain = new LocalChain({ path, head: { product: 'tideline local solana', startedAt: now(), ...head }, now });
  found(chain);
  const rpc = createFront({ chain, genesisHash, airdrop: startFaucet(chain) });
  const sockets = createSubscriptionServer(chain);
  return { chain, rpc, sockets, listen: (port: number) => listenSideBySide(rpc, sockets, port) };
}
