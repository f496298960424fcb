import { RpcFault, rpcCodes } from '../../../devnet/solana/rpc-fault.ts';
import { NodeRefused, type RpcAnswer, type RpcCall } from '../../../src/chains/rpc.ts';
import { messageOf } from '../../../src/errors/message-of.ts';

/** A simulated node's answer to one call, which waits for nothing outside of this process. Never rejects. */
export type Answer = (call: RpcCall) => Promise<RpcAnswer>;

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
