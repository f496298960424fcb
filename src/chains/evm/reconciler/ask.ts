import type { TransactionDoc } from '../../../store/collections.ts';
import { type NodeAnswers, readEach } from '../../endpoints.ts';
import { type RpcAnswer, type RpcCall, resultOf } from '../../rpc.ts';
import type { EvmContext } from '../context.ts';
import { blockSchema, receiptSchema, smallQuantity, toQuantity, type WireReceipt } from '../wire.ts';
import { agree, type Ends, isDeepEnough, type TransactionStatus, upToDate } from './agree.ts';

/** Reads each node's finalized block. Once a node has known the tag, a failed answer never counts as an unknown tag. */
export class FinalityTag {
  readonly #knownBy = new Set<string>();

  /** The number of the finalized block; null: the node has no such tag. Throws while that is not certain. */
  read(answer: RpcAnswer | undefined, node: string): number | null {
    if (answer?.ok === true && answer.result !== null) {
      this.#knownBy.add(node);
      return blockSchema.parse(answer.result).number;
    }
    if (this.#knownBy.has(node)) resultOf(answer);
    return null;
  }
}

/** One node's answers about all transactions; receipts in the order of the transactions. */
interface Account {
  readonly endpoint: NodeAnswers['endpoint'];
  readonly ends: Ends;
  readonly receipts: readonly ReceiptAnswer[];
}

/** The receipt of the version that is in a block. Null: no version is. Undefined: the node gave no answer. */
type ReceiptAnswer = WireReceipt | null | undefined;

/** Asks every node, in two or three requests for all transactions. One status each, in their order. */
export async function ask(
  ctx: EvmContext,
  tag: FinalityTag,
  transactions: readonly TransactionDoc[],
): Promise<TransactionStatus[]> {
  const receiptCalls = transactions.map(callsForReceipts);
  // The head is asked for last: then no receipt is of a block beyond it.
  const nodes = await ctx.link.everywhere([
    ...receiptCalls.flat(),
    { method: 'eth_getBlockByNumber', params: ['finalized', false] },
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
  ]);
  const accounts = readEach(nodes, (each) => accountOf(ctx, tag, receiptCalls, each));
  ctx.link.sawHead(Math.max(...accounts.map(({ ends }) => ends.head)));
  return withoutOvertaken(ctx, transactions, await statusesOf(ctx, transactions, accounts));
}

function callsForReceipts({ versions }: TransactionDoc): RpcCall[] {
  return versions.map(({ hash }) => ({ method: 'eth_getTransactionReceipt', params: [hash] }));
}

/**
 * Asks again for the receipt of each transaction with a used nonce, after all other answers: the transaction may have
 * landed between them, and have used its nonce itself. Nodes answer the calls of one batch in any order.
 */
async function withoutOvertaken(
  ctx: EvmContext,
  transactions: readonly TransactionDoc[],
  statuses: readonly TransactionStatus[],
): Promise<TransactionStatus[]> {
  const doubtful = transactions.filter((_, index) => isNonceUsed(statuses[index]));
  if (doubtful.length === 0) return [...statuses];
  const nodes = await ctx.link.everywhere(doubtful.flatMap(callsForReceipts));
  const answered = nodes.flatMap(({ answers }) => answers);
  const read = answered.map((answer) => (answer.ok ? landedSchema.safeParse(answer.result).data : undefined));
  const isUnsaid = read.length === 0 || read.includes(undefined);
  const landed = new Set(read.flatMap((receipt) => receipt?.transactionHash ?? []));
  const isOvertaken = ({ versions }: TransactionDoc) => isUnsaid || versions.some(({ hash }) => landed.has(hash));
  return transactions.map((transaction, index): TransactionStatus => {
    const status = statuses[index] ?? { kind: 'unsure' };
    return isNonceUsed(status) && isOvertaken(transaction) ? { kind: 'unsure' } : status;
  });
}

function isNonceUsed(status: TransactionStatus | undefined): boolean {
  return status?.kind === 'expired' || (status?.kind === 'absent' && status.displaced !== null);
}

const landedSchema = receiptSchema.pick({ transactionHash: true }).nullable();

function accountOf(
  ctx: EvmContext,
  tag: FinalityTag,
  calls: readonly (readonly RpcCall[])[],
  { endpoint, answers }: NodeAnswers,
): Account {
  const head = blockSchema.parse(resultOf(answers.at(-1))).number;
  const finalized = tag.read(answers.at(-2), endpoint.name);
  const read = answers
    .slice(0, -2)
    .map((answer) => (answer.ok ? receiptSchema.nullable().safeParse(answer.result).data : null));
  ctx.link.readable('receipts', read);
  let at = 0;
  const receipts = calls.map(({ length }) => {
    at += length;
    return receiptIn(answers.slice(at - length, at), read.slice(at - length, at));
  });
  return { endpoint, ends: { head, finalized, confirmations: ctx.confirmations }, receipts };
}

/** `read`: undefined for an answer in an unknown form, which is no answer. */
function receiptIn(answers: readonly RpcAnswer[], read: readonly ReceiptAnswer[]): ReceiptAnswer {
  const isAnswered = answers.every(({ ok }, index) => ok && read[index] === null);
  return read.find((receipt) => receipt) ?? (isAnswered ? null : undefined);
}

/** The calls of the second request, each once, with the indexes of their answers. */
class Questions {
  readonly calls: RpcCall[] = [];
  readonly #indexes = new Map<string, number>();

  ask(method: string, ...params: readonly unknown[]): void {
    const name = nameOf(method, params);
    if (!this.#indexes.has(name)) this.#indexes.set(name, this.calls.push({ method, params }) - 1);
  }

  /** A node's answer; null: it gave none, or was not asked. */
  read(answers: readonly RpcAnswer[], method: string, ...params: readonly unknown[]): unknown {
    const index = this.#indexes.get(nameOf(method, params));
    const answer = index === undefined ? undefined : answers[index];
    return answer?.ok === true ? answer.result : null;
  }
}

function nameOf(method: string, params: readonly unknown[]): string {
  return JSON.stringify([method, params]);
}

async function statusesOf(
  ctx: EvmContext,
  transactions: readonly TransactionDoc[],
  accounts: readonly Account[],
): Promise<TransactionStatus[]> {
  const questions = new Questions();
  const askBlock = (height: number) => questions.ask('eth_getBlockByNumber', toQuantity(height), false);
  const usedAt = Math.min(...upToDate(accounts, accounts, ctx.link.lagBlocks).map(({ ends }) => ends.head));
  const isAbsent = transactions.map((_, index) => accounts.every(({ receipts }) => !receipts[index]));
  for (const [index, transaction] of transactions.entries()) {
    if (isAbsent[index]) {
      if (accounts.every(({ receipts }) => receipts[index] === undefined)) continue;
      questions.ask('eth_getTransactionByHash', transaction.versions.at(-1)?.hash);
      questions.ask('eth_getTransactionCount', transaction.sender, toQuantity(usedAt));
      askBlock(usedAt);
      if (transaction.displaced) askBlock(transaction.displaced.number);
    }
    for (const { receipts } of accounts) {
      const receipt = receipts[index];
      if (receipt && accounts.some(({ ends }) => isDeepEnough(receipt.blockNumber, ends)))
        askBlock(receipt.blockNumber);
    }
  }
  const { calls } = questions;
  const nodes = calls.length === 0 ? [] : await ctx.link.everywhere(calls);
  const answersOf = new Map(nodes.map(({ endpoint, answers }) => [endpoint, answers]));
  compareBlocks(accounts, calls, answersOf);
  return transactions.map((transaction, index) => {
    const views = accounts.map(({ endpoint, ends, receipts }) => {
      const answers = answersOf.get(endpoint) ?? [];
      const asked = questions.read(answers, 'eth_getTransactionCount', transaction.sender, toQuantity(usedAt));
      const count = smallQuantity.safeParse(asked).data;
      return {
        ends,
        receipt: receipts[index],
        hashAt: (height: number) =>
          readHash(questions.read(answers, 'eth_getBlockByNumber', toQuantity(height), false)),
        isKnown: questions.read(answers, 'eth_getTransactionByHash', transaction.versions.at(-1)?.hash) !== null,
        isUsed: count === undefined ? null : count > transaction.nonce,
      };
    });
    return agree(transaction, views, { lag: ctx.link.lagBlocks, usedAt: isAbsent[index] ? usedAt : null });
  });
}

/** Reports for each node whether it has another block at a height than a node of higher preference. */
function compareBlocks(
  accounts: readonly Account[],
  calls: readonly RpcCall[],
  answersOf: ReadonlyMap<NodeAnswers['endpoint'], readonly RpcAnswer[]>,
): void {
  const first = new Map<number, { readonly hash: string; readonly name: string }>();
  for (const { endpoint } of accounts) {
    let compared = 0;
    let differing: { readonly block: number; readonly other: string } | null = null;
    for (const [index, { method, params }] of calls.entries()) {
      const answer = method === 'eth_getBlockByNumber' ? answersOf.get(endpoint)?.[index] : undefined;
      const hash = answer?.ok === true ? readHash(answer.result) : null;
      if (hash === null) continue;
      const block = Number(params[0]);
      const known = first.get(block);
      compared += 1;
      if (known === undefined) first.set(block, { hash, name: endpoint.name });
      else if (known.hash !== hash) differing ??= { block, other: known.name };
    }
    if (compared > 0) endpoint.contradict(differing);
  }
}

function readHash(block: unknown): string | null {
  return blockSchema.pick({ hash: true }).safeParse(block).data?.hash ?? null;
}
