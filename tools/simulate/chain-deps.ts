import { newId } from '../../src/store/ids.ts';
import { storeLeases, Workers } from '../../src/store/workers.ts';
import type { Answer } from './evm/transport.ts';
import { rpcPort } from './ports/rpc.ts';
import type { Process } from './simulated-chain.ts';

/** The length of a chain's leases, and the intervals at which its loops check for orphaned work. Milliseconds. */
const LEASE_MS = 5_000;
export const TIMING = { queueIdleMs: 2_000, reconcileIdleMs: 2_500, logsMs: 1_500, leaseMs: LEASE_MS } as const;

/** A small number, so that runs have more than one batch. */
export const CHARGES_AT_ONCE = 3;

/** The nodes of one chain: their names, their answers, and their answers when they are behind. */
export interface Nodes {
  readonly names: readonly [string, ...string[]];
  readonly answer: Answer;
  readonly behind: Answer;
}

export function nodeNames(chain: string, count: number): [string, ...string[]] {
  const others = Array.from({ length: count - 1 }, (_, index) => `https://${chain}-${index + 2}.example`);
  return [`https://${chain}-1.example`, ...others];
}

/** The deps of a chain of either family that come from its process. */
export function chainDeps(process: Process, { answer, behind }: Nodes) {
  const { life, store, mishaps, clock, fault, log, listener } = process;
  return {
    records: store.records,
    listener,
    leases: storeLeases({
      records: store.records,
      workers: new Workers({ records: store.records, holder: life.name }),
      leaseMs: LEASE_MS,
      clock,
    }),
    clock,
    newId: () => newId('txn', clock()),
    fault,
    log,
    openRpc: ({ url }: { readonly url: string }) => rpcPort({ host: new URL(url).host, answer, behind, life, mishaps }),
  };
}
