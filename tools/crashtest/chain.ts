import { JsonRpcProvider, Network } from 'ethers';
import type { DevnetFacts } from './devnet-facts.ts';

const CHAIN_ID = 31337;

/** Blocks of the local chain come within a fraction of a second. */
const POLL_MS = 50;

/** A connection to the local chain that never answers from a cache. The caller destroys it. */
export function connectTo({ rpcUrl }: Pick<DevnetFacts, 'rpcUrl'>): JsonRpcProvider {
  return new JsonRpcProvider(rpcUrl, CHAIN_ID, {
    staticNetwork: Network.from(CHAIN_ID),
    cacheTimeout: -1,
    batchStallTime: 0,
    pollingInterval: POLL_MS,
  });
}
