import { randomUUID } from 'node:crypto';
import type { Catalog, CatalogChain } from '../chains/catalog.ts';
import { createEvmChain } from '../chains/evm/chain.ts';
import type { EvmTiming } from '../chains/evm/options.ts';
import { createLocalSigner, type Signer } from '../chains/evm/signer.ts';
import { storeLeases } from '../chains/leases.ts';
import type { Chain, ChargeListener } from '../chains/port.ts';
import type { Config } from '../config.ts';
import type { FaultHook } from '../engine/faults.ts';
import type { Log } from '../engine/types.ts';
import { newId } from '../ids.ts';
import type { Store } from '../store/port.ts';
import type { LocalWorld } from './local-world.ts';

/** A lane whose process has died is taken over after this. */
const LEASE_MS = 3_000;

/** The local chain makes a block within some 20 ms of a transaction: to ask later than that would only be waiting. */
const LOCAL_TIMING = { askFirstMs: 25 } as const;

export interface ChainsDeps {
  readonly config: Config;
  readonly world: LocalWorld;
  readonly catalog: Catalog;
  readonly store: Store;
  readonly listener: ChargeListener;
  readonly clock: () => Date;
  readonly log: Log;
  readonly fault: FaultHook;
}

/** Every chain that this installation reaches: those configured, and the local ones where they run. */
export function openChains(deps: ChainsDeps): Chain[] {
  const { store, clock, world, config } = deps;
  const leases = storeLeases({ records: store.records, holder: randomUUID(), leaseMs: LEASE_MS, clock });
  return deps.catalog.chains.flatMap((chain) => {
    if (chain.family !== 'evm') return [];
    const place = chain.local ? localPlace(world) : configuredPlace(config, chain);
    if (!place) return [];
    const { signers, ...reached } = place;
    return [
      createEvmChain(
        { chain, ...reached },
        {
          records: store.records,
          listener: deps.listener,
          signers,
          leases,
          clock,
          newId: () => newId('txn', clock()),
          fault: deps.fault,
          log: deps.log,
        },
      ),
    ];
  });
}

interface Place {
  readonly rpcUrls: readonly [string, ...string[]];
  readonly router: string | null;
  readonly confirmations: number | null;
  readonly signers: readonly Signer[];
  readonly timing: Partial<EvmTiming>;
}

function localPlace({ evm }: LocalWorld): Place | null {
  if (evm === null) return null;
  return {
    rpcUrls: [evm.rpcUrl],
    router: evm.router,
    confirmations: null,
    signers: evm.senderKeys.map(createLocalSigner),
    timing: LOCAL_TIMING,
  };
}

function configuredPlace(config: Config, { chainId }: CatalogChain): Place | null {
  const configured = config.chains.find((chain) => chain.chainId === chainId);
  const [first, ...others] = configured?.rpcUrls ?? [];
  if (!configured || first === undefined) return null;
  return {
    rpcUrls: [first, ...others],
    router: configured.router,
    confirmations: configured.confirmations,
    signers: config.senderKeysEvm.map(createLocalSigner),
    timing: {},
  };
}
