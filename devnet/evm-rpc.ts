import { JsonRpcProvider, Network } from 'ethers';
import { messageOf } from '../src/errors/message-of.ts';
import { LOCAL_EVM_CHAIN_ID, type SignedTransaction } from './evm-signing.ts';
import { isRecord } from './json.ts';

const BATCH_MAX = 100;

/**
 * Calls `use` with a separate provider for the local EVM chain that caches no answers, does not delay requests, and
 * sends related ones in as few HTTP requests as possible.
 */
export async function withProvider<T>(rpcUrl: string, use: (provider: JsonRpcProvider) => Promise<T>): Promise<T> {
  const provider = new JsonRpcProvider(rpcUrl, LOCAL_EVM_CHAIN_ID, {
    staticNetwork: Network.from(LOCAL_EVM_CHAIN_ID),
    cacheTimeout: -1,
    batchStallTime: 0,
    batchMaxCount: BATCH_MAX,
  });
  try {
    return await use(provider);
  } finally {
    provider.destroy();
  }
}

/** Sends all transactions. Returns the refusals of the node for each, or null. */
export function broadcast(provider: JsonRpcProvider, signed: readonly SignedTransaction[]): Promise<(string | null)[]> {
  return Promise.all(
    signed.map(({ bytes }) => provider.send('eth_sendRawTransaction', [bytes]).then(() => null, nodesWords)),
  );
}

/** The node's own message. The message of ethers around it contains the whole request, up to 50 KB of code. */
function nodesWords(error: unknown): string {
  if (!isRecord(error)) return messageOf(error);
  const { error: inner, info, shortMessage } = error;
  if (isRecord(inner)) return messageOf(inner);
  if (isRecord(info) && isRecord(info['error'])) return messageOf(info['error']);
  return typeof shortMessage === 'string' ? shortMessage : messageOf(error);
}
