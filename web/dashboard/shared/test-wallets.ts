import { useEffect, useState } from 'preact/hooks';
import { type Devnet, type LocalWallet, loadDevnet } from '../../pay/devnet.ts';
import type { Chain } from '../merchant-api.ts';

/** The local chains beside the service; null: none, or not loaded yet. */
export function useDevnet(): Devnet | null {
  const [devnet, setDevnet] = useState<Devnet | null>(null);
  useEffect(() => void loadDevnet().then(setDevnet), []);
  return devnet;
}

export function walletsOf(devnet: Devnet | null, family: Chain['family']): readonly LocalWallet[] {
  return (family === 'evm' ? devnet?.evm : devnet?.solana)?.wallets ?? [];
}

/** Those that have approved the merchant, so that a charge needs no signature; the best one first. */
export function payersOf(devnet: Devnet | null, family: Chain['family']): readonly LocalWallet[] {
  return walletsOf(devnet, family).filter(({ behaviour }) => /\bhas approved (?!nobody)/.test(behaviour));
}
