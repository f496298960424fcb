import { z } from 'zod';
import type { BlockRef, TransactionDoc } from '../../../store/collections.ts';
import { type RpcAnswer, type RpcCall, resultOf } from '../../rpc.ts';
import type { SolanaContext } from '../context.ts';
import { STATUSES_PER_CALL } from '../options.ts';
import { blockSchema, epochInfoSchema, statusesSchema, type WireError, type WireStatus } from '../wire.ts';

/** How certain a block is: there, deep enough, or never to change again. */
export type Stage = 'mined' | 'final' | 'finalized';

/** What the chain says about one transaction. */
export type Standing =
  | { readonly kind: 'included'; readonly stage: Stage; readonly block: BlockRef; readonly err: WireError | null }
  /** In no block, and it can still get into one. */
  | { readonly kind: 'absent' }
  /** In no block up to the last one that could hold it, all of which are finalized. */
  | { readonly kind: 'expired'; readonly asOf: number }
  /** The node did not say, or does not know enough to say: asked again. */
  | { readonly kind: 'unsure' };

/** Where the chain stands. */
interface Ends {
  readonly finalizedSlot: number;
  readonly finalizedHeight: number;
  /** The oldest slot that the node still knows. */
  readonly firstSlot: number;
}

/** Asks the chain about transactions, in two requests for all of them. One standing each, in their order. */
export async function ask(ctx: SolanaContext, transactions: readonly TransactionDoc[]): Promise<Standing[]> {
  const signatures = transactions.map(({ versions }) => versions.at(-1)?.hash ?? '');
  const statusCalls: RpcCall[] = [];
  for (let at = 0; at < signatures.length; at += STATUSES_PER_CALL) {
    const part = signatures.slice(at, at + STATUSES_PER_CALL);
    statusCalls.push({ method: 'getSignatureStatuses', params: [part, { searchTransactionHistory: true }] });
  }
  const [first, epoch, ...statusAnswers] = await ctx.link.batch([
    { method: 'getFirstAvailableBlock', params: [] },
    { method: 'getEpochInfo', params: [{ commitment: 'finalized' }] },
    ...statusCalls,
  ]);
  const { absoluteSlot, blockHeight } = epochInfoSchema.parse(resultOf(epoch));
  const ends: Ends = {
    finalizedSlot: absoluteSlot,
    finalizedHeight: blockHeight,
    firstSlot: z.int().parse(resultOf(first)),
  };
  const statuses = statusAnswers.flatMap((answer, index) => readStatuses(answer, statusCalls[index]));
  return standings(ctx, transactions, statuses, ends);
}

interface Status {
  /** The slot as of which the node answered; null: it did not. */
  readonly asOf: number | null;
  readonly status: WireStatus | null;
}

function readStatuses(answer: RpcAnswer | undefined, call: RpcCall | undefined): Status[] {
  const asked = Array.isArray(call?.params[0]) ? call.params[0].length : 0;
  if (answer?.ok !== true) return Array.from({ length: asked }, () => ({ asOf: null, status: null }));
  const { context, value } = statusesSchema.parse(answer.result);
  return Array.from({ length: asked }, (_, index) => ({ asOf: context.slot, status: value[index] ?? null }));
}

async function standings(
  ctx: SolanaContext,
  transactions: readonly TransactionDoc[],
  statuses: readonly Status[],
  ends: Ends,
): Promise<Standing[]> {
  const slots = new Set(statuses.flatMap(({ status }) => (isIn(status) ? [status.slot] : [])));
  const hashes = await blockhashes(ctx, [...slots]);
  return transactions.map((transaction, index) => {
    const { asOf, status } = statuses[index] ?? { asOf: null, status: null };
    if (asOf === null) return { kind: 'unsure' };
    if (status === null) return absence(transaction, asOf, ends);
    const hash = isIn(status) ? hashes.get(status.slot) : undefined;
    if (hash === undefined) return { kind: 'unsure' };
    const block = { number: status.slot, hash };
    return { kind: 'included', stage: stageOf(status, ctx.confirmations), block, err: status.err };
  });
}

/** A block that is only processed may be another's tomorrow: it counts for nothing yet. */
function isIn(status: WireStatus | null): status is WireStatus {
  return status?.confirmationStatus === 'confirmed' || status?.confirmationStatus === 'finalized';
}

function stageOf({ confirmationStatus, confirmations }: WireStatus, wanted: number | null): Stage {
  if (confirmationStatus === 'finalized') return 'finalized';
  return wanted === null || (confirmations ?? 0) >= wanted ? 'final' : 'mined';
}

/**
 * That a node knows nothing of a transaction proves something only if it has come past the last block that could hold it,
 * has that finalized, and still knows the first one that could.
 */
function absence({ expiry }: TransactionDoc, asOf: number, ends: Ends): Standing {
  if (!expiry) return { kind: 'unsure' };
  if (ends.finalizedHeight <= expiry.lastValidBlockHeight) return { kind: 'absent' };
  const isPast = asOf >= ends.finalizedSlot;
  const isRemembered = ends.firstSlot <= expiry.fromSlot;
  return isPast && isRemembered ? { kind: 'expired', asOf: ends.finalizedSlot } : { kind: 'unsure' };
}

/** By slot; one that the node does not show yet is left out. */
async function blockhashes(ctx: SolanaContext, slots: readonly number[]): Promise<Map<number, string>> {
  if (slots.length === 0) return new Map();
  const options = {
    transactionDetails: 'none',
    rewards: false,
    commitment: 'confirmed',
    maxSupportedTransactionVersion: 0,
  };
  const answers = await ctx.link.batch(slots.map((slot) => ({ method: 'getBlock', params: [slot, options] })));
  const found = slots.flatMap((slot, index): [number, string][] => {
    const answer = answers[index];
    const block = answer?.ok === true ? blockSchema.safeParse(answer.result) : undefined;
    return block?.success ? [[slot, block.data.blockhash]] : [];
  });
  return new Map(found);
}
