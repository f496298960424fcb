import type { FoundRefund, RefundDraft, RefundRead, RefundState, RefundTransaction } from '../port.ts';
import { resultOf } from '../rpc.ts';
import type { EvmContext } from './context.ts';
import { refundedTopic } from './contracts/charge-logs.ts';
import { encodeApprove, encodeRefund } from './contracts/router.ts';
import { firstBlock } from './deposits.ts';
import { logParts } from './logs/filters.ts';
import { refundsIn } from './reader/charges.ts';
import { FINALIZED_DEPTHS } from './reconciler/agree.ts';
import { blockSchema, toQuantity, type WireLog } from './wire.ts';

type Ctx = Pick<
  EvmContext,
  'chainId' | 'link' | 'allowances' | 'sizes' | 'confirmations' | 'clock' | 'timing' | 'routers'
>;

/**
 * The transactions by which `from` refunds: an approval of the router for exactly this amount, unless it has one, and
 * the call of the router. Some tokens accept another approval only from 0.
 */
export function refundTransactions(
  { chainId }: Pick<Ctx, 'chainId'>,
  router: string,
  { key, token, from, to, amount }: RefundDraft,
  allowance: bigint,
): RefundTransaction[] {
  const call = (purpose: RefundTransaction['purpose'], target: string, data: string): RefundTransaction => {
    return { family: 'evm', purpose, chainId, from, to: target, data, value: '0' };
  };
  const approve = (value: bigint) => call('approve', token, encodeApprove(router, value));
  const approvals = allowance >= amount ? [] : [...(allowance === 0n ? [] : [approve(0n)]), approve(amount)];
  return [...approvals, call('refund', router, encodeRefund({ key, token, to, amount }))];
}

/**
 * The refunds that the routers have logged for these keys, whoever sent them. One request reads the logs of all keys.
 * @throws NodeUnreachable
 */
export async function readRefunds(ctx: Ctx, reads: readonly RefundRead[]): Promise<RefundState[]> {
  if (reads.length === 0) return [];
  const head = (await ctx.link.latest()).number;
  const finalized = await finalizedBlock(ctx, head);
  const from = Math.min(...reads.map((read) => Math.min(firstBlock(ctx, read, head), head)));
  const logs = await logsOf(ctx, [...new Set(reads.map(({ key }) => key))], { from, to: head });
  const found = foundIn(ctx, logs, head);
  const states = reads.map((read): RefundState => {
    const mine = found.filter(({ key, token }) => key === read.key && token === read.token);
    const isMissing = ({ transaction, index, block }: RefundRead['known'][number]) =>
      block.number >= from && !mine.some((each) => each.transaction === transaction && each.index === index);
    // A reorg deeper than the overlap, in a chain that never finalizes, would be missed otherwise.
    const since = Math.max(read.since ?? 0, Math.min(finalized, head - ctx.sizes.logOverlap));
    return { found: mine, gone: read.known.filter(isMissing), finalized, since };
  });
  return droppedOnly(ctx, states);
}

async function finalizedBlock({ link, confirmations }: Ctx, head: number): Promise<number> {
  const [answer] = await link.batch([{ method: 'eth_getBlockByNumber', params: ['finalized', false] }]);
  const byTag = answer?.ok ? blockSchema.safeParse(answer.result).data?.number : undefined;
  return byTag ?? head - confirmations * FINALIZED_DEPTHS + 1;
}

async function logsOf(
  ctx: Ctx,
  keys: readonly string[],
  range: { readonly from: number; readonly to: number },
): Promise<WireLog[]> {
  const filter = { address: ctx.routers.all, topics: [refundedTopic, keys] };
  const logs: WireLog[] = [];
  for await (const part of logParts(ctx, [filter], range)) logs.push(...part.logs);
  return logs.sort((one, other) => one.blockNumber - other.blockNumber || one.logIndex - other.logIndex);
}

function foundIn({ confirmations, routers }: Ctx, logs: readonly WireLog[], head: number): FoundRefund[] {
  return refundsIn(logs, routers.all).map((refund) => {
    return { ...refund, isFinal: head - refund.block.number + 1 >= confirmations };
  });
}

/** Only those transfers are gone whose block the chain has replaced: a node that is behind lacks their logs, too. */
async function droppedOnly({ link }: Ctx, states: readonly RefundState[]): Promise<RefundState[]> {
  const heights = [...new Set(states.flatMap(({ gone }) => gone.map(({ block }) => block.number)))];
  if (heights.length === 0) return [...states];
  const answers = await link.batch(
    heights.map((height) => ({ method: 'eth_getBlockByNumber', params: [toQuantity(height), false] })),
  );
  const hashes = new Map(
    heights.map((height, index) => [height, blockSchema.nullable().parse(resultOf(answers[index]))?.hash]),
  );
  const isReplaced = ({ block }: RefundState['gone'][number]) => {
    const hash = hashes.get(block.number);
    return hash !== undefined && hash !== block.hash;
  };
  return states.map((state) => ({ ...state, gone: state.gone.filter(isReplaced) }));
}
