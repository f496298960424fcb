import { JsonRpcProvider, Network } from 'ethers';
import { messageOf } from '../src/errors/message-of.ts';
import { isRecord } from './json.ts';

const BATCH_MAX = 100;

/** One call of a batch, and what it gave. */
export interface RpcCall {
  method: string;
  params: readonly unknown[];
}

/** The outcome of one call; `error` is the node's message. */
export type RpcOutcome = { ok: true; result: unknown } | { ok: false; error: string };

/** Reads and writes of the local EVM chain that belong together, in as few HTTP requests as can be. */
export interface JsonRpc {
  /** All results, in order. @throws on the first call that failed */
  all(calls: readonly RpcCall[]): Promise<unknown[]>;
  /** All outcomes, in order. */
  settle(calls: readonly RpcCall[]): Promise<RpcOutcome[]>;
}

/** Calls `use` with a provider of its own for `rpcUrl`, which keeps no answers and waits for nobody. */
export async function withJsonRpc<T>(rpcUrl: string, chainId: number, use: (rpc: JsonRpc) => Promise<T>): Promise<T> {
  const provider = new JsonRpcProvider(rpcUrl, chainId, {
    staticNetwork: Network.from(chainId),
    cacheTimeout: -1,
    batchStallTime: 0,
    batchMaxCount: BATCH_MAX,
  });
  const call = ({ method, params }: RpcCall): Promise<unknown> => provider.send(method, [...params]);
  try {
    return await use({
      all: (calls) => Promise.all(calls.map(call)),
      settle: (calls) => Promise.all(calls.map((each) => call(each).then(succeeded, failed))),
    });
  } finally {
    provider.destroy();
  }
}

function succeeded(result: unknown): RpcOutcome {
  return { ok: true, result };
}

function failed(error: unknown): RpcOutcome {
  return { ok: false, error: nodesWords(error) };
}

/** What the node said; the message of ethers around it holds the whole request, which may be 50 KB of code. */
function nodesWords(error: unknown): string {
  if (!isRecord(error)) return messageOf(error);
  const { error: inner, info, shortMessage } = error;
  if (isRecord(inner)) return messageOf(inner);
  if (isRecord(info) && isRecord(info['error'])) return messageOf(info['error']);
  return typeof shortMessage === 'string' ? shortMessage : messageOf(error);
}
