import { RpcFault, rpcCodes } from '../../../devnet/solana/rpc-fault.ts';
import { NodeRefused, type RpcAnswer, type RpcCall, type RpcTransport, resultOf } from '../../../src/chains/rpc.ts';
import { messageOf } from '../../../src/errors/message-of.ts';

/** A simulated node's answer to one call, which waits for nothing outside of this process. Never rejects. */
export type Answer = (call: RpcCall) => Promise<RpcAnswer>;

/**
 * A transport to a simulated node without a network: it answers all calls of a batch at the same moment, in order. To
 * simulate a network, write another transport around `answer`.
 */
export function simTransport(host: string, answer: Answer): RpcTransport {
  const batch = async (calls: readonly RpcCall[]): Promise<RpcAnswer[]> => Promise.all(calls.map(answer));
  return {
    host,
    batch,
    call: async (method, params) => resultOf((await batch([{ method, params }]))[0]),
    abort() {},
    async close() {},
  };
}

/** Turns the result or the exception of `ask` into an answer. */
export function answering(ask: (method: string, params: readonly unknown[]) => unknown): Answer {
  return async ({ method, params }) => {
    try {
      return { ok: true, result: await ask(method, params) };
    } catch (error) {
      const { code, message, data } = error instanceof RpcFault ? error : faultOf(error);
      const hex = typeof data === 'string' ? data : null;
      return { ok: false, error: new NodeRefused(method, code, message, hex, data ?? null) };
    }
  };
}

function faultOf(error: unknown): RpcFault {
  return new RpcFault(rpcCodes.internal, `Internal error: ${messageOf(error)}`);
}
