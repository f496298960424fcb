import { NodeRefused, resultOf } from '../../rpc.ts';
import type { EvmContext } from '../context.ts';
import { logsSchema, toQuantity, type WireLog } from '../wire.ts';
import type { LogFilter } from './filters.ts';

type Ctx = Pick<EvmContext, 'link' | 'sizes'>;

/** Both blocks included. */
interface BlockRange {
  readonly from: number;
  readonly to: number;
}

/**
 * All logs of these filters in a range of blocks, read in parts: where a node takes no range so large, in smaller ones.
 * @throws NodeUnreachable; NodeRefused when it does not even say for one block
 */
export async function logsBetween(ctx: Ctx, filters: readonly LogFilter[], range: BlockRange): Promise<WireLog[]> {
  const logs: WireLog[] = [];
  for await (const part of logParts(ctx, filters, range)) logs.push(...part);
  return logs;
}

/** The same part by part, the oldest blocks first: what nobody takes is not asked for. Throws as `logsBetween`. */
export async function* logParts(
  { link, sizes }: Ctx,
  filters: readonly LogFilter[],
  range: BlockRange,
): AsyncGenerator<WireLog[]> {
  let span = sizes.logBlocks;
  for (let from = range.from; from <= range.to; ) {
    const to = Math.min(range.to, from + span - 1);
    const blocks = { fromBlock: toQuantity(from), toBlock: toQuantity(to) };
    const calls = filters.map((filter) => ({ method: 'eth_getLogs', params: [{ ...blocks, ...filter }] }));
    const answers = await link.batch(calls);
    if (to > from && answers.some((answer) => !answer.ok && answer.error instanceof NodeRefused)) {
      span = Math.ceil((to - from + 1) / 2);
      continue;
    }
    yield answers.flatMap((answer) => logsSchema.parse(resultOf(answer)));
    from = to + 1;
  }
}
