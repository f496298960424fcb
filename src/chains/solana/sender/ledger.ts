import type { SolanaContext } from '../context.ts';

/** The next number in a fee payer's signing queue, after the last one in the own ledger. The chain knows nothing of these numbers. */
export async function nextNumber(ctx: SolanaContext, feePayer: string): Promise<number> {
  const [last] = await ctx.records.find('transactions', {
    where: { chainId: ctx.chainId, sender: feePayer },
    sort: [['nonce', -1]],
    limit: 1,
  });
  return last ? last.nonce + 1 : 0;
}
