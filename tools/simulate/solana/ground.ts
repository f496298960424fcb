import { missingOf } from '../../../devnet/solana/genesis.ts';
import { LocalChain, type LocalChainOptions } from '../../../devnet/solana/local-chain.ts';
import { Vm } from '../../../devnet/solana/vm.ts';
import { solanaGenesisHash } from '../../../devnet/solana-marker.ts';
import { solanaWorld } from '../../../devnet/solana-world.ts';
import type { SolanaWorld } from '../../../src/service/local-world.ts';

const FOLDER_ID = '5'.repeat(32);

export const GENESIS_HASH = solanaGenesisHash(FOLDER_ID);

/** The same on every simulated chain, and derived once per process because that takes tens of milliseconds. */
let ground: { readonly world: SolanaWorld; readonly accounts: ReturnType<typeof missingOf> } | undefined;

/** The VMs of ended chains, for reuse: a VM's memory outside of the heap is freed only by garbage collection. */
const idle: Vm[] = [];

/** A chain in this process with the accounts of the local devnet. It runs nothing on its own. */
export function groundedChain(options: {
  /** Decides the blockhashes. Each chain of a run needs its own. */
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
