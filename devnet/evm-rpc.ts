import { JsonRpcProvider, Network, SigningKey, Transaction } from 'ethers';
import { messageOf } from '../src/errors/message-of.ts';
import { isRecord } from './json.ts';

const BATCH_MAX = 100;

/** A provider of its own: no cache, no delay, and related requests in as few HTTP requests as possible. */
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

const LOCAL_EVM_CHAIN_ID = 31337;

/** A transaction to sign; `to` is null for the creation of a contract. */
export interface LocalTransaction {
  to: string | null;
  data: string;
  gasLimit: bigint;
}

/** A signed transaction as 0x-hex. */
export interface SignedTransaction {
  hash: string;
  bytes: string;
}

const GWEI = 10n ** 9n;

/**
 * Signs for the local chain. The fees are fixed, and far above any base fee of the chain. So a transaction with a nonce
 * always has the same bytes, whoever signs it, and sending it twice has no effect.
 */
export function signLocal(privateKey: string, nonce: number, transaction: LocalTransaction): SignedTransaction {
  const signed = Transaction.from({
    type: 2,
    chainId: LOCAL_EVM_CHAIN_ID,
    nonce,
    maxFeePerGas: 1000n * GWEI,
    maxPriorityFeePerGas: GWEI,
    ...transaction,
  });
  signed.signature = new SigningKey(privateKey).sign(signed.unsignedHash);
  return { hash: signed.hash ?? '', bytes: signed.serialized };
}
