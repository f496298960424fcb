import { type RpcAnswer, type RpcCall, resultOf } from '../../rpc.ts';
import type { SizedAnswers, SizedQuestion } from '../../sized.ts';
import { logsSchema, toQuantity, type WireLog } from '../wire.ts';
import type { LogFilter } from './filters.ts';

/** The nodes, and the most blocks in one request. */
interface LogSource {
  readonly link: { sized(question: SizedQuestion): Promise<SizedAnswers> };
  readonly sizes: { readonly logBlocks: number };
}

/** Both ends are included. */
export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

/** All logs of the filters from the end of the part before up to block `to`, included. */
export interface LogPart {
  readonly logs: readonly WireLog[];
  readonly to: number;
}

const METHOD = 'eth_getLogs';

/**
 * The logs of these filters in a range of blocks, oldest first, in parts of as many blocks as the node accepts. It asks
 * for the next part only when the caller wants it.
 * @throws NodeUnreachable; NodeRefused when the node refuses even one block
 */
export async function* logParts(
  source: LogSource,
  filters: readonly LogFilter[],
  range: BlockRange,
): AsyncGenerator<LogPart> {
  for (let from = range.from; from <= range.to; ) {
    const { answers, to } = await askLogs(source, filters, { from, to: range.to });
    yield { logs: answers.flatMap((answer) => logsSchema.parse(resultOf(answer))), to };
    from = to + 1;
  }
}

/**
 * One answer for each filter, from the first block of the range up to `to`, included: as many blocks as the node
 * accepts.
 */
export async function askLogs(
  { link, sizes }: LogSource,
  filters: readonly LogFilter[],
  { from, to: last }: BlockRange,
): Promise<{ readonly answers: readonly RpcAnswer[]; readonly to: number }> {
  const amount = Math.min(sizes.logBlocks, last - from + 1);
  const calls = (blocks: number) => filters.map((filter) => logsCall(filter, { from, to: from + blocks - 1 }));
  const { size, answers } = await link.sized({ method: METHOD, amount, calls });
  return { answers, to: from + size - 1 };
}

export function logsCall(filter: LogFilter, { from, to }: BlockRange): RpcCall {
  return { method: METHOD, params: [{ fromBlock: toQuantity(from), toBlock: toQuantity(to), ...filter }] };
}
