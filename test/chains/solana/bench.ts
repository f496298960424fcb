import type { CatalogToken } from '../../../src/chains/catalog.ts';
import type { Chain } from '../../../src/chains/port.ts';
import { createSolanaChain } from '../../../src/chains/solana/chain.ts';
import { Delegates, rootOfSeed } from '../../../src/chains/solana/key-root.ts';
import { keyFromSecret } from '../../../src/chains/solana/keys.ts';
import { ChainBench, type SharedConfig, type SharedDeps, type SharedWish, useBench } from '../support/bench.ts';
import { CHAIN_ID, type SolanaOptions, SolanaTestWorld } from './world.ts';

export interface SolanaWish extends SharedWish {
  readonly confirmations?: number;
  readonly operatorSeed?: Uint8Array | null;
  /** The decimals that the configuration expects. */
  readonly decimals?: number;
  readonly feePayers?: readonly string[];
  /** Many stores charge on one chain here, so none searches for unknown charges unless a test needs it. */
  readonly searchesForUnknown?: boolean;
}

/** A store, a listener, and Solana chains on them. */
export class SolanaBench extends ChainBench<SolanaWish> {
  readonly world: SolanaTestWorld;

  constructor(world: SolanaTestWorld) {
    super();
    this.world = world;
  }

  protected override make(wish: SolanaWish, config: SharedConfig, deps: SharedDeps): Chain {
    const { facts } = this.world;
    const tokens = facts.tokens.map(({ ticker, address, decimals }): CatalogToken => {
      const key = `${ticker.toLowerCase()}-local-solana`;
      const expected = wish.decimals ?? decimals;
      return { key, ticker, decimals: expected, chainId: CHAIN_ID, family: 'solana', address, symbols: [ticker] };
    });
    const seed = wish.operatorSeed === undefined ? facts.operatorSeed : wish.operatorSeed;
    const feePayers = wish.feePayers ?? facts.feePayers.slice(0, wish.senders ?? 1);
    return createSolanaChain(
      {
        ...config,
        chain: { chainId: CHAIN_ID, label: 'Test', tokens, blockMs: 50 },
        genesisHash: facts.genesisHash,
        delegates: seed === null ? null : new Delegates(rootOfSeed(seed)),
        confirmations: wish.confirmations ?? null,
        searchesForUnknown: wish.searchesForUnknown ?? false,
      },
      { ...deps, feePayers: feePayers.map(keyFromSecret) },
    );
  }
}

/** A chain, and a bench on it. */
export function useSolana(options: SolanaOptions = {}) {
  const world = new SolanaTestWorld(options);
  return { world, bench: useBench(new SolanaBench(world), { pumps: true }) };
}
