import type { TransactionDoc } from '../../../store/collections.ts';
import type { InsertVerdict } from '../../../store/port.ts';
import { later } from '../../context.ts';
import { newTransaction } from '../../sender/new-transaction.ts';
import type { SolanaContext } from '../context.ts';
import type { SignedCharge } from './sign.ts';

/** How often other processes may take the numbers before the signing queue gives up for this run. */
export const TRIES = 20;

/** The next number in a fee payer's signing queue, after the last stored one. The chain does not know these numbers. */
export async function nextNumber(ctx: SolanaContext, feePayer: string): Promise<number> {
  const [last] = await ctx.records.find('transactions', {
    where: { chainId: ctx.chainId, sender: feePayer },
    sort: [['nonce', -1]],
    limit: 1,
  });
  return last ? last.nonce + 1 : 0;
}

/**
 * Stores signed transactions. A repeated insert whose first answer was lost counts as stored.
 * @throws Error after `TRIES` tries in which other processes took the numbers
 */
export async function storeTransactions(
  ctx: SolanaContext,
  feePayer: string,
  signed: readonly SignedCharge[],
): Promise<TransactionDoc[]> {
  const stored: TransactionDoc[] = [];
  let left = signed;
  for (let tries = 0; left.length > 0; tries += 1) {
    if (tries === TRIES) throw new Error(`Fee payer ${feePayer} found no free number in ${TRIES} tries`);
    const first = await nextNumber(ctx, feePayer);
    const docs = left.map((each, index) => docOf(ctx, feePayer, each, first + index));
    const verdicts = await ctx.records.insert('transactions', docs);
    const isTaken = (index: number): boolean => {
      const verdict = verdicts[index];
      return verdict !== undefined && !isStored(verdict);
    };
    stored.push(...docs.filter((_, index) => !isTaken(index)));
    left = left.filter((_, index) => isTaken(index));
  }
  return stored;
}

/** A conflict with its own id: it is stored already, the answer was lost, and it may have changed since. */
export function isStored(verdict: InsertVerdict): boolean {
  return verdict.inserted || verdict.index === '_id';
}

function docOf(ctx: SolanaContext, feePayer: string, signed: SignedCharge, nonce: number): TransactionDoc {
  const { id, chargeId, signature, raw, lastValidBlockHeight, fromSlot } = signed;
  return newTransaction(ctx, {
    _id: id,
    sender: feePayer,
    nonce,
    expiry: { lastValidBlockHeight, fromSlot },
    versions: [{ hash: signature, raw, maxFeePerGas: '0', maxPriorityFeePerGas: '0', at: ctx.clock() }],
    chargeIds: [chargeId],
    askAt: later(ctx, ctx.timing.askFirstMs),
  });
}
