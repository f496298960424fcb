import type { TransactionDoc } from '../../../store/collections.ts';
import { type RpcAnswer, type RpcCall, resultOf } from '../../rpc.ts';
import type { EvmContext } from '../context.ts';
import { blockSchema, receiptSchema, toQuantity, type WireReceipt } from '../wire.ts';
import { type Ends, isDeepEnough, judge, type Standing } from './judge.ts';

/** Where the chain stands with finality; a tag that has been known once is never taken for unknown again. */
export class FinalityTag {
  #known = false;

  /** The number of the finalized block; null: the chain has no such tag. Throws while it is not certain. */
  read(answer: RpcAnswer | undefined): number | null {
    if (answer?.ok === true && answer.result !== null) {
      this.#known = true;
      return blockSchema.parse(answer.result).number;
    }
    if (this.#known) resultOf(answer);
    return null;
  }
}

/** Asks the chain about transactions, in two requests for all of them. One standing each, in their order. */
export async function ask(
  ctx: EvmContext,
  tag: FinalityTag,
  transactions: readonly TransactionDoc[],
): Promise<Standing[]> {
  const receiptCalls = transactions.map((transaction) =>
    transaction.versions.map(({ hash }) => byHash('Receipt', hash)),
  );
  // The head is asked for last: a receipt is then never of a block beyond it.
  const answers = await ctx.link.batch([
    ...receiptCalls.flat(),
    { method: 'eth_getBlockByNumber', params: ['finalized', false] },
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
  ]);
  const head = ctx.link.sawBlock(resultOf(answers.at(-1))).number;
  const ends: Ends = { head, finalized: tag.read(answers.at(-2)), confirmations: ctx.confirmations };
  let at = 0;
  const receipts = receiptCalls.map((calls) => {
    at += calls.length;
    return readReceipt(answers.slice(at - calls.length, at));
  });
  return standings(ctx, transactions, receipts, ends);
}

/** The receipt of whichever version is in a block; null: of none; undefined: the node did not say. */
type ReceiptAnswer = WireReceipt | null | undefined;

function readReceipt(answers: readonly RpcAnswer[]): ReceiptAnswer {
  let silent = false;
  for (const answer of answers) {
    if (!answer.ok) silent = true;
    else if (answer.result !== null) return receiptSchema.parse(answer.result);
  }
  return silent ? undefined : null;
}

async function standings(
  ctx: EvmContext,
  transactions: readonly TransactionDoc[],
  receipts: readonly ReceiptAnswer[],
  ends: Ends,
): Promise<Standing[]> {
  const heights = new Map<number, number>();
  const calls: RpcCall[] = [];
  const places = receipts.map((receipt, index) => {
    if (receipt === undefined) return null;
    if (receipt === null) {
      const last = transactions[index]?.versions.at(-1);
      return last ? calls.push(byHash('ByHash', last.hash)) - 1 : null;
    }
    if (!isDeepEnough(receipt.blockNumber, ends)) return null;
    const known = heights.get(receipt.blockNumber);
    if (known !== undefined) return known;
    const place = calls.push({ method: 'eth_getBlockByNumber', params: [toQuantity(receipt.blockNumber), false] }) - 1;
    heights.set(receipt.blockNumber, place);
    return place;
  });
  const answers = calls.length === 0 ? [] : await ctx.link.batch(calls);
  return receipts.map((receipt, index) => {
    const place = places[index] ?? null;
    const answer = place === null ? undefined : answers[place];
    if (receipt === undefined) return { kind: 'unsure' };
    if (receipt === null)
      return answer?.ok === true ? { kind: 'absent', known: answer.result !== null } : { kind: 'unsure' };
    return judge(receipt, hashAt(answer), ends);
  });
}

function hashAt(answer: RpcAnswer | undefined): string | null {
  return answer?.ok === true && answer.result !== null ? blockSchema.parse(answer.result).hash : null;
}

function byHash(what: 'Receipt' | 'ByHash', hash: string): RpcCall {
  return { method: what === 'Receipt' ? 'eth_getTransactionReceipt' : 'eth_getTransactionByHash', params: [hash] };
}
