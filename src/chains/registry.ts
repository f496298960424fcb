import type { Chain, Chains } from './port.ts';

/** The chains of this installation. Throws when two have the same id. */
export function createChains(chains: readonly Chain[]): Chains {
  const byId = new Map(chains.map((chain) => [chain.chainId, chain]));
  if (byId.size !== chains.length) {
    throw new Error(
      `Two chains have the same id (${chains.map((chain) => chain.chainId).join(', ')}): expected each id once`,
    );
  }
  return { get: (chainId) => byId.get(chainId), all: () => chains };
}
