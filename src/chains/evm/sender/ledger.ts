import type { ChargeDoc, TransactionDoc } from '../../../store/collections.ts';
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
 * @throws where its charges have been taken over: it must go nowhere
 */
export async function storeTransaction(ctx: ChainContext, transaction: TransactionDoc): Promise<'stored' | 'taken'> {
  const [verdict] = await ctx.records.insert('transactions', [transaction]);
  if (verdict === undefined) throw new Error(`The store gave no verdict on transaction ${transaction._id}`);
  if (verdict.inserted) return 'stored';
  if (verdict.index !== '_id') return 'taken';
  const [known] = await ctx.records.get('transactions', [transaction._id]);
  if (known?.versions.length === 0) throw new Error(`The charges of transaction ${known._id} have been taken over`);
  return 'stored';
}

/**
 * Puts something that can never land into the place of each transaction that these charges were taken for, where it is not
 * stored: whoever took them and stands still cannot store it any more, whatever becomes of the charges meanwhile.
 */
export async function seal({ chainId, clock, records }: ChainContext, started: readonly ChargeDoc[]): Promise<void> {
  const now = clock();
  const ids = [...new Set(started.flatMap(({ transactionId }) => transactionId ?? []))];
  const sealed = ids.map((id): TransactionDoc => {
    // It uses no nonce of any sender's.
    const place = { chainId, sender: id, nonce: 0 };
    const nowhere = { versions: [], chargeIds: [], block: null, txHash: null, reverted: false };
    return { _id: id, ...place, state: 'expired', ...nowhere, askAt: now, asked: 0, createdAt: now, updatedAt: now };
  });
  await records.insert('transactions', sealed);
}
