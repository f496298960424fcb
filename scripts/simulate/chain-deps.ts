import { storeLeases } from '../../src/chains/leases.ts';
import { newId } from '../../src/ids.ts';
import type { Answer } from './evm/transport.ts';
import { LEASE_MS, type Process } from './place.ts';
import { rpcPort } from './ports/rpc.ts';

/** What every node of a chain says: as it is, and when it is behind. */
export interface Nodes {
  readonly names: readonly [string, ...string[]];
  readonly answer: Answer;
  readonly behind: Answer;
}

/** So many nodes of one chain, by their names. */
export function nodeNames(chain: string, count: number): [string, ...string[]] {
  const others = Array.from({ length: count - 1 }, (_, index) => `https://${chain}-${index + 2}.example`);
  return [`https://${chain}-1.example`, ...others];
}

/** What the product's chain of either family gets of the process that it runs in. */
export function chainDeps(process: Process, { answer, behind }: Nodes) {
  const { life, store, mishaps, clock, fault, log, listener } = process;
  return {
    records: store.records,
    listener,
    leases: storeLeases({ records: store.records, holder: life.name, leaseMs: LEASE_MS, clock }),
    clock,
    newId: () => newId('txn', clock()),
    fault,
    log,
    openRpc: ({ url }: { readonly url: string }) => rpcPort({ host: new URL(url).host, answer, behind, life, mishaps }),
  };
}
