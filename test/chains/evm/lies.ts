import { z } from 'zod';
import type { Answered, Called, RpcProxy } from '../support/proxy.ts';

const number = z.string().transform(Number);
const inBlock = z.looseObject({ blockNumber: number.nullable() });

/** The node stops following the chain after this block; with `isFrozen`, one of several nodes at its address. */
export function freezeAt(proxy: RpcProxy, height: number, isFrozen: (call: Called) => boolean = () => true): void {
  const at = `0x${height.toString(16)}`;
  const isLater = (param: unknown): boolean => typeof param === 'string' && param.length < 20 && Number(param) > height;
  proxy.replace = (call) => {
    if (!isFrozen(call)) return call;
    const { method, params } = call;
    if (params.some(isLater)) return null;
    return { method, params: params.map((param) => (param === 'latest' ? at : param)) };
  };
  proxy.rewriteOne = (answer, call) => {
    if (!isFrozen(call)) return answer;
    const { method, params } = call;
    if (method === 'eth_blockNumber') return { ...answer, result: at };
    if (method === 'eth_call' && params.some(isLater)) return { error: { code: -32_000, message: 'header not found' } };
    if (method !== 'eth_getTransactionReceipt' && method !== 'eth_getTransactionByHash') return answer;
    const found = inBlock.safeParse(answer.result);
    return found.success && (found.data.blockNumber ?? 0) > height ? { ...answer, result: null } : answer;
  };
}

/** The node has other blocks from this one on, with the same content. */
export function forkAt(proxy: RpcProxy, height: number): void {
  const other = (hash: string): string => `0x${'f0'.repeat(4)}${hash.slice(10)}`;
  const block = z.looseObject({ number, hash: z.string() });
  const receipt = z.looseObject({ blockNumber: number, blockHash: z.string() });
  proxy.rewriteOne = (answer, { method }): Answered => {
    if (method === 'eth_getBlockByNumber') {
      const found = block.safeParse(answer.result);
      if (!found.success || found.data.number < height) return answer;
      return withResult(answer, { hash: other(found.data.hash) });
    }
    if (method !== 'eth_getTransactionReceipt') return answer;
    const found = receipt.safeParse(answer.result);
    if (!found.success || found.data.blockNumber < height) return answer;
    return withResult(answer, { blockHash: other(found.data.blockHash) });
  };
}

/** The node knows no transaction, at any height. */
export function forgetTransactions(proxy: RpcProxy): void {
  proxy.rewriteOne = (answer, { method }) =>
    method === 'eth_getTransactionReceipt' || method === 'eth_getTransactionByHash'
      ? { ...answer, result: null }
      : answer;
}

function withResult(answer: Answered, change: object): Answered {
  return { ...answer, result: { ...z.looseObject({}).parse(answer.result), ...change } };
}
