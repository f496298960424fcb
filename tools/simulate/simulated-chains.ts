import { buildCatalog, type Catalog } from '../../src/chains/catalog.ts';
import type { DestinationWallets } from '../../src/store/collections.ts';
import type { Random } from '../crashtest/random.ts';
import type { Chances } from './chance.ts';
import { openSimulatedEvm } from './evm/simulated-evm.ts';
import type { SimulatedChain } from './simulated-chain.ts';
import { createSimulatedSolana } from './solana/simulated-solana.ts';

/** The chains of a run, from which the seed chooses. */
const KINDS = ['evm', 'evm', 'evm', 'solana', 'solana', 'both'] as const;

/** Solana's `CONFIRMATIONS_<chainId>`; null: `confirmed` is final. */
const SOLANA_CONFIRMATIONS = [null, null, 4, 12] as const;

/** The chains of a run, and the configuration that all workers share. */
export interface SimulatedChains {
  readonly all: readonly SimulatedChain[];
  readonly catalog: Catalog;
  readonly platformWallets: DestinationWallets;
}

/** Opens the chains. The seed decides which, and their configuration. */
export async function openSimulatedChains(
  { story, blocks }: Pick<Chances, 'story' | 'blocks'>,
  now: () => number,
): Promise<SimulatedChains> {
  const kind = story.pick(KINDS);
  const random = () => blocks.next();
  const common = { now, random, nodes: story.integer(1, 2) };
  const evm =
    kind === 'solana' ? null : await openSimulatedEvm({ ...common, senders: story.integer(1, 2), ...depths(story) });
  const solana =
    kind === 'evm'
      ? null
      : createSimulatedSolana({
          ...common,
          feePayers: story.integer(1, 2),
          confirmations: story.pick(SOLANA_CONFIRMATIONS),
        });
  return {
    all: [evm, solana].filter((chain) => chain !== null),
    catalog: buildCatalog({
      ...(evm === null ? {} : { localEvm: { tokens: evm.sim.world.tokens } }),
      ...(solana === null ? {} : { localSolana: { tokens: solana.sim.world.tokens } }),
    }),
    platformWallets: {
      evm: evm?.controls.stranger() ?? null,
      solana: solana?.controls.stranger() ?? null,
    },
  };
}

/** Some reorganisations are deeper than the confirmations after which a charge is reported. */
function depths(story: Random): { readonly confirmations: number; readonly finalizedDepth: number } {
  const confirmations = story.integer(1, 4);
  return { confirmations, finalizedDepth: confirmations + story.integer(0, 4) };
}
