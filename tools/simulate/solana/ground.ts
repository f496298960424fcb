import { missingOf } from '../../../devnet/solana/genesis.ts';
import { LocalChain, type LocalChainOptions } from '../../../devnet/solana/local-chain.ts';
import { Vm } from '../../../devnet/solana/vm.ts';
import { solanaGenesisHash } from '../../../devnet/solana-marker.ts';
import { solanaWorld } from '../../../devnet/solana-world.ts';
import type { SolanaWorld } from '../../../src/service/local-world.ts';

const FOLDER_ID = '5'.repeat(32);

export const GENESIS_HASH = solanaGenesisHash(FOLDER_ID);

/** What is the same on every simulated chain and takes tens of milliseconds to derive: made once in a process. */
let ground: { readonly world: SolanaWorld; readonly accounts: ReturnType<typeof missingOf> } | undefined;

/** Of chains that have ended: what a VM holds outside of the heap is not given back before it is collected as garbage. */
const idle: Vm[] = [];

/** A chain of this process alone, in which nothing happens by itself, with what the local devnet begins with. */
export function groundedChain(options: {
  /** No two chains of one seed have different blockhashes. */
  readonly seed: string;
  readonly slotMs: number;
  readonly now: LocalChainOptions['now'];
}): { readonly chain: LocalChain; readonly world: SolanaWorld; readonly end: () => void } {
  const { seed, slotMs, now } = options;
  const head = { product: 'tideline local solana', folderId: FOLDER_ID, seed, startedAt: now(), slotMs } as const;
  const vm = idle.pop() ?? new Vm();
  const chain = new LocalChain({ path: null, head, now, carriesOut: false, vm });
  ground ??= { world: solanaWorld('simulated', GENESIS_HASH), accounts: missingOf(chain) };
  chain.found(ground.accounts);
  const end = (): void => {
    chain.empty();
    idle.push(vm);
  };
  return { chain, world: ground.world, end };
}
