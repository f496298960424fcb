import { NodeUnreachable, type OpenRpc, type RpcAnswer, type RpcCall } from './rpc.ts';

/** The end of one call or batch. `method`: of a batch the one method of all its calls, else `batch`. */
export interface TimedCall {
  readonly method: string;
  readonly outcome: 'answered' | 'refused' | 'unreachable';
}

/** Opens connections that tell `note` how long each call took, in seconds. */
export function timedRpc(open: OpenRpc, note: (call: TimedCall, seconds: number) => void): OpenRpc {
  return (options) => {
    const rpc = open(options);
    const timed = async <T>(method: string, ask: () => Promise<T>): Promise<T> => {
      const began = performance.now();
      const done = (outcome: TimedCall['outcome']) => note({ method, outcome }, (performance.now() - began) / 1_000);
      try {
        const answer = await ask();
        done('answered');
        return answer;
      } catch (error) {
        done(error instanceof NodeUnreachable ? 'unreachable' : 'refused');
        throw error;
      }
    };
    return {
      host: rpc.host,
      batch: (calls): Promise<RpcAnswer[]> => timed(methodOf(calls), () => rpc.batch(calls)),
      call: (method, params) => timed(method, () => rpc.call(method, params)),
      abort: () => rpc.abort(),
      close: () => rpc.close(),
    };
  };
}

function methodOf(calls: readonly RpcCall[]): string {
  const methods = new Set(calls.map(({ method }) => method));
  const [only] = methods;
  return methods.size === 1 && only !== undefined ? only : 'batch';
}
