import type { TransactionDoc } from '../../../store/collections.ts';
import type { ChainContext } from '../../context.ts';

/**
 * The next nonce of a sender: after the last one in the own ledger, and after all that the chain has of it. What the node
 * calls pending counts for nothing: it forgets.
 */
export async function nextNonce(
  ctx: Pick<ChainContext, 'chainId' | 'records'>,
  sender: string,
  minedCount: number,
): Promise<number> {
  const [last] = await ctx.records.find('transactions', {
    // What is below cannot be the last; without that everything ever sent would be sorted.
    where: { chainId: ctx.chainId, sender, nonce: { gte: minedCount } },
    sort: [['nonce', -1]],
    limit: 1,
  });
  return Math.max(last ? last.nonce + 1 : 0, minedCount);
}

/**
 * Stores a signed transaction. `taken`: its nonce belongs to another one. An insert whose answer was lost and that is
 * repeated is `stored`: the id was its own from the start.
 */
export async function storeTransaction(ctx: ChainContext, transaction: TransactionDoc): Promise<'stored' | 'taken'> {
  const [verdict] = await ctx.records.insert('transactions', [transaction]);
  if (verdict === undefined) throw new Error(`The store gave no verdict on transaction ${transaction._id}`);
  return verdict.inserted || verdict.index === '_id' ? 'stored' : 'taken';
}
