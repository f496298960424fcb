import { z } from 'zod';
import type { TransactionDoc } from '../../../store/collections.ts';
import { chunksOf } from '../../chain-reader.ts';
import { type NodeAnswers, readEach } from '../../endpoints.ts';
import { type RpcAnswer, type RpcCall, resultOf } from '../../rpc.ts';
import type { SolanaContext } from '../context.ts';
import { STATUSES_PER_CALL } from '../options.ts';
import { blockSchema, epochInfoSchema, READ_BLOCKHASH, statusesSchema, type WireStatus } from '../wire.ts';
import { agree, type Ends, isIn, type TransactionStatus, type View } from './agree.ts';

const STATUSES = 'getSignatureStatuses';

/** One node's answers about all transactions; statuses in their order. */
interface Account {
  readonly endpoint: NodeAnswers['endpoint'];
  readonly ends: Ends;
  readonly statuses: readonly Status[];
}

interface Status {
  /** The slot for which the node answered. Null: it did not answer. */
  readonly asOf: number | null;
  readonly status: WireStatus | null;
}

/** Asks every node about transactions, in two requests for all of them. Returns one status for each, in their order. */
export async function ask(ctx: SolanaContext, transactions: readonly TransactionDoc[]): Promise<TransactionStatus[]> {
  const signatures = transactions.map(({ versions }) => versions.at(-1)?.hash ?? '');
  const nodes = await ctx.link.everywhereSized({
    method: STATUSES,
    amount: Math.min(STATUSES_PER_CALL, Math.max(1, signatures.length)),
    calls: (size) => [
      { method: 'getFirstAvailableBlock', params: [] },
      { method: 'getEpochInfo', params: [{ commitment: 'finalized' }] },
      ...chunksOf(signatures, size).map((part): RpcCall => {
        return { method: STATUSES, params: [part, { searchTransactionHistory: true }] };
      }),
    ],
  });
  const accounts = readEach(nodes, ({ endpoint, size, answers: [first, epoch, ...statuses] }): Account => {
    const { absoluteSlot, blockHeight } = epochInfoSchema.parse(resultOf(epoch));
    const firstSlot = z.int().parse(resultOf(first));
    return {
      endpoint,
      ends: { finalizedSlot: absoluteSlot, finalizedHeight: blockHeight, firstSlot },
      statuses: chunksOf(signatures, size).flatMap((part, index) => readStatuses(ctx, statuses[index], part.length)),
    };
  });
  const slots = new Set(
    accounts.flatMap(({ statuses }) => statuses.flatMap(({ status }) => (isIn(status) ? [status.slot] : []))),
  );
  const hashes = await blockhashes(ctx, [...slots]);
  return transactions.map((transaction, index) => {
    const views = accounts.map(({ endpoint, ends, statuses }): View => {
      const { asOf, status } = statuses[index] ?? { asOf: null, status: null };
      return { ends, asOf, status, hashAt: (slot) => hashes.get(endpoint)?.get(slot) ?? null };
    });
    return agree(transaction, views, { lag: ctx.link.lagBlocks, wanted: ctx.confirmations });
  });
}

function readStatuses({ link }: SolanaContext, answer: RpcAnswer | undefined, asked: number): Status[] {
  if (answer?.ok !== true) return Array.from({ length: asked }, () => ({ asOf: null, status: null }));
  const { context, value } = statusesSchema.parse(answer.result);
  link.readable('statuses', value);
  return Array.from({ length: asked }, (_, index) => {
    const status = value[index];
    return status === undefined ? { asOf: null, status: null } : { asOf: context.slot, status };
  });
}

/** By node and slot. A block that a node does not show yet is left out. */
async function blockhashes(
  ctx: SolanaContext,
  slots: readonly number[],
): Promise<Map<NodeAnswers['endpoint'], Map<number, string>>> {
  if (slots.length === 0) return new Map();
  const nodes = await ctx.link.everywhere(
    slots.map((slot) => ({ method: 'getBlock', params: [slot, READ_BLOCKHASH] })),
  );
  return new Map(
    nodes.map(({ endpoint, answers }) => {
      const found = slots.flatMap((slot, index): [number, string][] => {
        const answer = answers[index];
        const block = answer?.ok === true ? blockSchema.safeParse(answer.result) : undefined;
        return block?.success ? [[slot, block.data.blockhash]] : [];
      });
      return [endpoint, new Map(found)];
    }),
  );
}
