import { LearnedSize } from './learned-size.ts';
import { NodeRefused, type RpcAnswer, type RpcCall, type RpcNode } from './rpc.ts';

/** A question whose calls of `method` nodes limit in size: blocks of logs, accounts, statuses. */
export interface SizedQuestion {
  readonly method: string;
  /** How much each call should ask for, unless the node takes less. At least 1. */
  readonly amount: number;
  /** The calls. Each call of `method` asks for at most `size` entries. */
  readonly calls: (size: number) => readonly RpcCall[];
}

export interface SizedAnswers {
  /** How much each call asked for. */
  readonly size: number;
  /** One answer for each call of that size, in their order. */
  readonly answers: readonly RpcAnswer[];
}

/** How much one node takes in one call, by method. */
export class LearnedSizes {
  readonly #byMethod = new Map<string, LearnedSize>();

  of(method: string): LearnedSize {
    const size = this.#byMethod.get(method) ?? new LearnedSize(Number.MAX_SAFE_INTEGER);
    this.#byMethod.set(method, size);
    return size;
  }
}

/**
 * Asks one node. If it refuses a call of the method, for any reason, the size is halved; the size that it takes is
 * remembered. A refusal of size 1 is the answer.
 * @throws NodeUnreachable if the node does not answer
 */
export async function askSized(
  node: Pick<RpcNode, 'batch'>,
  sizes: LearnedSizes,
  { method, amount, calls }: SizedQuestion,
): Promise<SizedAnswers> {
  const learned = sizes.of(method);
  const first = Math.min(amount, learned.now);
  for (let size = first; ; size = Math.floor(size / 2)) {
    const asked = calls(size);
    const answers = await node.batch(asked);
    const isRefused = answers.some((answer, index) => asked[index]?.method === method && isTooMuch(answer));
    if (isRefused && size > 1) continue;
    if (!isRefused && size < first) learned.learn(size);
    return { size, answers };
  }
}

/** False if the call names no contracts: a smaller size does not help. */
function isTooMuch(answer: RpcAnswer): boolean {
  if (answer.ok || !(answer.error instanceof NodeRefused)) return false;
  const { verdict } = answer.error;
  return verdict.about !== 'request' || verdict.tooMuch !== 'contracts';
}
