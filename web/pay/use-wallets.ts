import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ChainFamily } from '../../src/checkout/wire.ts';
import { type Devnet, loadDevnet } from './devnet.ts';
import { watchInjected } from './wallets/injected.ts';
import { watchStandard } from './wallets/solana-standard.ts';
import { testEvmWallets } from './wallets/test-evm.ts';
import { testSolanaWallets } from './wallets/test-solana.ts';
import type { WalletOption } from './wallets/wallet.ts';

/** The wallets that can be picked for a chain family; `isSandbox`: those of the local chains too. */
export function useWallets(family: ChainFamily, isSandbox: boolean): readonly WalletOption[] {
  const loading = useMemo(loadDevnet, []);
  const [devnet, setDevnet] = useState<Devnet | null>(null);
  const [found, setFound] = useState<readonly WalletOption[]>([]);
  useEffect(() => {
    void loading.then(setDevnet);
  }, [loading]);
  useEffect(() => {
    if (family === 'solana') return watchStandard(setFound);
    // Waited for when they are asked for: a wallet can be connected before they are there.
    const factsOf = async (chainId: number) => {
      const evm = (await loading)?.evm;
      return evm?.chainId === chainId ? evm : null;
    };
    return watchInjected(factsOf, setFound);
  }, [loading, family]);
  const tests = devnet === null || !isSandbox ? [] : testWalletsOf(devnet);
  return [...found, ...tests].filter((option) => option.family === family);
}

function testWalletsOf(devnet: Devnet): WalletOption[] {
  return [...testEvmWallets(devnet), ...testSolanaWallets(devnet)];
}
