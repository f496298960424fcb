import { JsonRpcProvider, Network } from 'ethers';
import type { DevnetFacts } from '../scripts/lib/devnet-facts.ts';

/** The local chain makes blocks within a fraction of a second. */
const POLL_MS = 50;

/** A connection to the local chain without a cache. The caller must destroy it. */
export function connectTo({ rpcUrl, chainId }: Pick<DevnetFacts, 'rpcUrl' | 'chainId'>): JsonRpcProvider {
  return new JsonRpcProvider(rpcUrl, chainId, {
    staticNetwork: Network.from(chainId),
    cacheTimeout: -1,
    batchStallTime: 0,
    pollingInterval: POLL_MS,
  });
}
