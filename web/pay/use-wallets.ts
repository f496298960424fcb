import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ChainFamily } from '../../src/checkout/wire.ts';
import { type Devnet, loadDevnet } from './devnet.ts';
import { watchInjected } from './wallets/injected.ts';
import { watchStandard } from './wallets/solana-standard.ts';
import { testEvmWallets } from './wallets/test-evm.ts';
import { testSolanaWallets } from './wallets/test-solana.ts';
import type { WalletOption } from './wallets/wallet.ts';

/** The available wallets of a chain family; `isSandbox`: also those of the local chains. */
export function useWallets(family: ChainFamily, isSandbox: boolean): readonly WalletOption[] {
  const loading = useMemo(loadDevnet, []);
  const [devnet, setDevnet] = useState<Devnet | null>(null);
  const [found, setFound] = useState<readonly WalletOption[]>([]);
  useEffect(() => {
    void loading.then(setDevnet);
  }, [loading]);
  useEffect(() => {
    if (family === 'solana') return watchStandard(setFound);
    // Awaited only here, because a wallet may connect before the file has loaded.
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
