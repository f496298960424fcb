import { buildCatalog, type Catalog } from '../../src/chains/catalog.ts';
import type { DestinationWallets } from '../../src/store/collections.ts';
import type { Chances } from './chance.ts';
import { createEvmPlace } from './evm/place.ts';
import type { Place } from './place.ts';
import { createSolanaPlace } from './solana/place.ts';

/** On which chains there is business. */
const KINDS = ['evm', 'evm', 'evm', 'solana', 'solana', 'both'] as const;

/** Of Solana's confirmations, `CONFIRMATIONS_<chainId>`; null: what is confirmed is final. */
const SOLANA_CONFIRMATIONS = [null, null, 4, 12] as const;

/** The chains of a run, and what all workers know of them. */
export interface Places {
  readonly all: readonly Place[];
  readonly catalog: Catalog;
  readonly platformWallets: DestinationWallets;
}

/** Which they are, and how they are configured, the seed decides. */
export function openPlaces({ story, chain }: Pick<Chances, 'story' | 'chain'>, now: () => number): Places {
  const kind = story.pick(KINDS);
  const random = () => chain.next();
  const common = { now, random, nodes: story.integer(1, 2) };
  const evm =
    kind === 'solana'
      ? null
      : createEvmPlace({ ...common, senders: story.integer(1, 2), confirmations: story.integer(1, 4) });
  const solana =
    kind === 'evm'
      ? null
      : createSolanaPlace({
          ...common,
          feePayers: story.integer(1, 2),
          confirmations: story.pick(SOLANA_CONFIRMATIONS),
        });
  return {
    all: [evm, solana].filter((place) => place !== null),
    catalog: buildCatalog({
      ...(evm === null ? {} : { localEvm: { tokens: evm.sim.world.tokens } }),
      ...(solana === null ? {} : { localSolana: { tokens: solana.sim.world.tokens } }),
    }),
    platformWallets: {
      evm: evm?.hands.stranger() ?? null,
      solana: solana?.hands.stranger() ?? null,
    },
  };
}
