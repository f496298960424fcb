import { JsonRpcProvider, Network } from 'ethers';
import { messageOf } from '../src/errors/message-of.ts';
import { isRecord } from './json.ts';

const BATCH_MAX = 100;

interface RpcCall {
  method: string;
  params: readonly unknown[];
}

/** The result of one call; `error` is the node's message. */
type RpcOutcome = { ok: true; result: unknown } | { ok: false; error: string };

/** Related reads and writes of the local EVM chain, in as few HTTP requests as possible. */
export interface JsonRpc {
  /** All results, in order. @throws the error of the first failed call */
  all(calls: readonly RpcCall[]): Promise<unknown[]>;
  /** All outcomes, in order. */
  settle(calls: readonly RpcCall[]): Promise<RpcOutcome[]>;
}

/** Calls `use` with a separate provider for `rpcUrl` that caches no answers and does not delay requests. */
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

/** The node's own message. The message of ethers around it contains the whole request, up to 50 KB of code. */
function nodesWords(error: unknown): string {
  if (!isRecord(error)) return messageOf(error);
  const { error: inner, info, shortMessage } = error;
  if (isRecord(inner)) return messageOf(inner);
  if (isRecord(info) && isRecord(info['error'])) return messageOf(info['error']);
  return typeof shortMessage === 'string' ? shortMessage : messageOf(error);
}
