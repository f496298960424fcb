import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ChainFamily } from '../../src/checkout/wire.ts';
import { type Devnet, loadDevnet } from './devnet.ts';
import { watchInjected } from './wallets/injected.ts';
import { watchStandard } from './wallets/solana-standard.ts';
import { testEvmWallets } from './wallets/test-evm.ts';
import { testSolanaWallets } from './wallets/test-solana.ts';
import type { WalletOption } from './wallets/wallet.ts';
import { relayOfPage, walletConnect } from './wallets/walletconnect.ts';

/**
 * The available wallets of a chain family; `isSandbox`: also those of the local chains. `chainIds`: the chains that a
 * wallet on another device is asked for, the present one first.
 */
export function useWallets(
  family: ChainFamily,
  isSandbox: boolean,
  chainIds: readonly number[],
): readonly WalletOption[] {
  const loading = useMemo(loadDevnet, []);
  const [devnet, setDevnet] = useState<Devnet | null>(null);
  const [found, setFound] = useState<readonly WalletOption[]>([]);
  useEffect(() => {
    void loading.then(setDevnet);
  }, [loading]);
  // Awaited only here, because a wallet may connect before the file has loaded.
  const factsOf = async (chainId: number) => {
    const evm = (await loading)?.evm;
    return evm?.chainId === chainId ? evm : null;
  };
  useEffect(
    () => (family === 'solana' ? watchStandard(setFound) : watchInjected(factsOf, setFound)),
    [loading, family],
  );
  const remote = useMemo(() => {
    const relay = family === 'evm' ? relayOfPage() : null;
    return relay === null || chainIds.length === 0 ? [] : [walletConnect(relay, chainIds, factsOf)];
  }, [family, chainIds.join()]);
  const tests = devnet === null || !isSandbox ? [] : [...testEvmWallets(devnet), ...testSolanaWallets(devnet)];
  return [...found, ...remote, ...tests].filter((option) => option.family === family);
}
