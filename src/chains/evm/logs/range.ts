import { z } from 'zod';
import { NodeRefused, resultOf } from '../../rpc.ts';
import type { EvmContext } from '../context.ts';
import { logSchema, toQuantity, type WireLog } from '../wire.ts';
import type { LogFilter } from './filters.ts';

/**
 * All logs of these filters in a range of blocks, read in parts: where a node takes no range so large, in smaller ones.
 * @throws NodeUnreachable; NodeRefused when it does not even say for one block
 */
export async function logsBetween(
  { link, sizes }: Pick<EvmContext, 'link' | 'sizes'>,
  filters: readonly LogFilter[],
  range: { readonly from: number; readonly to: number },
): Promise<WireLog[]> {
  const logs: WireLog[] = [];
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
    logs.push(...answers.flatMap((answer) => z.array(logSchema).parse(resultOf(answer))));
    from = to + 1;
  }
  return logs;
}
