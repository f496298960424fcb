import type { ChargeDoc, TransactionDoc } from '../../../store/collections.ts';
import type { RpcAnswer, RpcCall } from '../../rpc.ts';
import { release } from '../../sender/release.ts';
import { adopt } from '../adopt.ts';
import { type EvmContext, messageOf } from '../context.ts';
import { decodeChargedAt, encodeChargedAt } from '../contracts/router.ts';
import { hexBytes, smallQuantity, toQuantity } from '../wire.ts';

/**
 * Ends transactions of which no version can ever land, because another one has used their nonce in a block that is deep
 * enough: one that the ledger does not know, from before a backup or from elsewhere. The router says, as of that block, what
 * has become of their charges: made by the other one, and then they take transaction and amounts from its event, or not, and
 * then they wait again. A node's word that it has no receipt decides about no money.
 *
 * @param absent transactions without a receipt, each just asked about
 * @returns the ids of those whose nonce is used: to broadcast them would be in vain
 */
export async function endOvertaken(
  ctx: EvmContext,
  router: string,
  absent: readonly TransactionDoc[],
): Promise<ReadonlySet<string>> {
  const signed = absent.filter(({ state }) => state === 'signed');
  const deep = ctx.link.head === null ? -1 : ctx.link.head - ctx.confirmations + 1;
  if (signed.length === 0 || deep < 0) return new Set();
  const used = await withUsedNonce(ctx, signed, deep);
  const overtaken = await withoutReceipt(ctx, used);
  for (const transaction of overtaken) {
    await end(ctx, router, transaction, deep).catch((error: unknown) => {
      const about = { chainId: ctx.chainId, transactionId: transaction._id, error: messageOf(error) };
      ctx.log.warn(about, 'a transaction that cannot land any more is not ended yet');
    });
  }
  return new Set(used.map(({ _id }) => _id));
}

async function withUsedNonce(
  ctx: EvmContext,
  transactions: readonly TransactionDoc[],
  block: number,
): Promise<TransactionDoc[]> {
  const senders = [...new Set(transactions.map(({ sender }) => sender))];
  const answers = await ctx.link.batch(
    senders.map((sender) => ({ method: 'eth_getTransactionCount', params: [sender, toQuantity(block)] })),
  );
  const counts = new Map(senders.map((sender, index) => [sender, countIn(answers[index])]));
  return transactions.filter(({ sender, nonce }) => nonce < (counts.get(sender) ?? 0));
}

function countIn(answer: RpcAnswer | undefined): number {
  return answer?.ok === true ? smallQuantity.parse(answer.result) : 0;
}

/** Asked once more, after the count: one may have landed between the two. */
async function withoutReceipt(ctx: EvmContext, transactions: readonly TransactionDoc[]): Promise<TransactionDoc[]> {
  const calls = transactions.map(({ versions }) =>
    versions.map(({ hash }): RpcCall => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
  );
  const answers = await ctx.link.batch(calls.flat());
  let at = 0;
  return transactions.filter((_, index) => {
    const own = answers.slice(at, at + (calls[index]?.length ?? 0));
    at += own.length;
    return own.every((answer) => answer.ok && answer.result === null);
  });
}

async function end(ctx: EvmContext, router: string, transaction: TransactionDoc, block: number): Promise<void> {
  const { _id, chargeIds, sender, nonce, asked } = transaction;
  const charges = (await ctx.records.get('charges', chargeIds)).filter((charge) => isIn(charge, transaction));
  const made = await areMade(ctx, router, charges, block);
  if (made === null) return;
  const about = { chainId: ctx.chainId, transactionId: _id, sender, nonce };
  ctx.log.warn({ ...about, charges: charges.length }, 'its nonce is used by another transaction');
  await release(
    ctx,
    charges.filter((_, index) => made[index] === false),
  );
  for (const [index, charge] of charges.entries()) if (made[index] === true) await adopt(ctx, router, charge);
  // Where the other one was a version of this very transaction, it is followed from now on: it has been asked about anew.
  const set = { state: 'expired', updatedAt: ctx.clock() };
  await ctx.records.change('transactions', _id, { state: 'signed', asked }, { set });
}

/** On its way in this very transaction. */
function isIn({ state, transactionId }: ChargeDoc, { _id }: TransactionDoc): boolean {
  return (state === 'started' || state === 'sent' || state === 'mined') && transactionId === _id;
}

/**
 * Whether each has been made, as of the block or of the newest one: a node that has neither says nothing. Null: it does not
 * say of all of them.
 */
async function areMade(
  ctx: EvmContext,
  router: string,
  charges: readonly ChargeDoc[],
  block: number,
): Promise<boolean[] | null> {
  if (charges.length === 0) return [];
  const ask = (as: string): RpcCall[] =>
    charges.map(({ key }) => ({ method: 'eth_call', params: [{ to: router, data: encodeChargedAt(key) }, as] }));
  const answers = await ctx.link.batch([...ask(toQuantity(block)), ...ask('latest')]);
  const seen: boolean[] = [];
  for (const answer of answers) {
    if (!answer.ok) return null;
    seen.push(decodeChargedAt(hexBytes.parse(answer.result)) !== null);
  }
  return charges.map((_, index) => seen[index] === true || seen[charges.length + index] === true);
}
