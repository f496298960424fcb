import { type RpcAnswer, type RpcCall, type RpcTransport, resultOf } from '../../../src/chains/rpc.ts';

/** What a simulated node says to one call, at once. Never throws. */
export type Answer = (call: RpcCall) => RpcAnswer;

/**
 * The way to a simulated node without a network: all calls of a batch are answered at the same moment, in their order. Whoever
 * simulates a network puts a transport of its own around `answer`.
 */
export function simTransport(host: string, answer: Answer): RpcTransport {
  const batch = async (calls: readonly RpcCall[]): Promise<RpcAnswer[]> => calls.map(answer);
  return {
    host,
    batch,
    call: async (method, params) => resultOf((await batch([{ method, params }]))[0]),
    abort() {},
    async close() {},
  };
}
