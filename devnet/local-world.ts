import { localEvmTokens } from '../src/chains/catalog.ts';
import type { LocalWorld, SolanaWorld } from '../src/service/local-world.ts';
import { approveOperator } from './approve-operator.ts';
import { type EvmWorldOptions, prepareEvmWorld } from './evm-world.ts';
import type { Devnet } from './join.ts';
import { solanaGenesisHash } from './solana-marker.ts';
import { solanaWorld } from './solana-world.ts';

/** The joined parts' contents; missing contracts are deployed first. `payeeDelay`: of a new router, in seconds. */
export async function openLocalWorld(
  devnet: Devnet,
  options: Pick<EvmWorldOptions, 'payeeDelay' | 'log'>,
): Promise<LocalWorld> {
  const tokens = localEvmTokens();
  const evm = devnet.evm ? await prepareEvmWorld({ ...options, rpcUrl: devnet.evm.rpcUrl, tokens }) : null;
  const solana = devnet.solana ? solanaWorld(devnet.solana.rpcUrl, solanaGenesisHash(devnet.folderId)) : null;
  return {
    evm,
    solana,
    onLost: (callback) => devnet.onLost(callback),
    approve: async (operators) => {
      const [spender, delegate] = [operators.get('evm'), operators.get('solana')];
      await Promise.all([
        evm !== null && spender !== undefined ? approveOperator(evm, spender) : undefined,
        solana !== null && delegate !== undefined ? approveOnSolana(solana, delegate) : undefined,
      ]);
    },
  };
}

/** Loaded on demand: Solana's libraries load slowly, and not every installation has a Solana chain. */
async function approveOnSolana(world: SolanaWorld, delegate: string): Promise<void> {
  const { approveDelegate } = await import('./approve-delegate.ts');
  await approveDelegate(world, delegate);
}
