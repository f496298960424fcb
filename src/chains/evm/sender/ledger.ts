import type { ChargeDoc, TransactionDoc } from '../../../store/collections.ts';
import type { ChainContext } from '../../context.ts';
import { newTransaction } from '../../sender/new-transaction.ts';

/** After the last one in the ledger and in blocks. Pending transactions do not count: a node forgets them. */
export async function nextNonce(
  ctx: Pick<ChainContext, 'chainId' | 'records'>,
  sender: string,
  minedCount: number,
): Promise<number> {
  const [last] = await ctx.records.find('transactions', {
    // A lower nonce cannot be the last. Without this condition the query would sort everything that was ever sent.
    where: { chainId: ctx.chainId, sender, nonce: { gte: minedCount } },
    sort: [['nonce', -1]],
    limit: 1,
  });
  return Math.max(last ? last.nonce + 1 : 0, minedCount);
}

/**
 * Stores a signed transaction. `taken`: another transaction has its nonce. If the answer to an insert is lost, the
 * repeated insert is `stored`: no other transaction has this id.
 * @throws Error if its charges have been taken over: then the transaction must not be broadcast
 */
export async function storeTransaction(ctx: ChainContext, transaction: TransactionDoc): Promise<'stored' | 'taken'> {
  const [verdict] = await ctx.records.insert('transactions', [transaction]);
  if (verdict === undefined) throw new Error(`The store did not say whether it stored transaction ${transaction._id}`);
  if (verdict.inserted) return 'stored';
  if (verdict.index !== '_id') return 'taken';
  const [known] = await ctx.records.get('transactions', [transaction._id]);
  if (known?.versions.length === 0)
    throw new Error(`The charges of transaction ${known._id} have been taken over; it is not broadcast`);
  return 'stored';
}

/**
 * For each transaction that these charges were started for and that is not stored: stores a document under its id that
 * can never land. A process that stood still after their start can no longer store its own.
 */
export async function seal(ctx: ChainContext, started: readonly ChargeDoc[]): Promise<void> {
  const ids = [...new Set(started.flatMap(({ transactionId }) => transactionId ?? []))];
  // The id as the sender: this uses no sender's nonce.
  const sealed = ids.map((id) =>
    newTransaction(ctx, { _id: id, sender: id, nonce: 0, state: 'expired', versions: [], chargeIds: [] }),
  );
  await ctx.records.insert('transactions', sealed);
}
