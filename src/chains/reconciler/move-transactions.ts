import type { BlockRef, TransactionDoc } from '../../store/collections.ts';
import { type ChainContext, later } from '../context.ts';

/** How certain a block is: in the chain, deep enough, or never to change again. */
export type Stage = 'mined' | 'final' | 'finalized';

/** A transaction in a block. */
export interface IncludedTransaction {
  readonly transaction: TransactionDoc;
  readonly stage: Stage;
  readonly block: BlockRef;
  readonly txHash: string;
  readonly reverted: boolean;
}

/** Stores the blocks of transactions. A transaction that another process has moved meanwhile stays as it is. */
export async function moveTransactions(ctx: ChainContext, included: readonly IncludedTransaction[]): Promise<void> {
  const moved = included.filter(({ transaction, stage, block }) => {
    return transaction.state !== stage || transaction.block?.hash !== block.hash;
  });
  await ctx.records.changeMany(
    'transactions',
    moved.map(({ transaction, stage, block, txHash, reverted }) => ({
      id: transaction._id,
      where: { asked: transaction.asked, state: transaction.state },
      change: {
        set: {
          // A final transaction that landed again stays final while its new block is not deep: nobody is notified.
          state: transaction.state === 'final' && stage === 'mined' ? 'final' : stage,
          block,
          txHash,
          reverted,
          ...(stage === transaction.state ? {} : { asked: 0, askAt: firstAsk(ctx, stage) }),
          updatedAt: ctx.clock(),
        },
      },
    })),
  );
}

function firstAsk(ctx: ChainContext, stage: Stage): Date {
  const { askFirstMs, blockMs, finalizedFirstMs } = ctx.timing;
  return later(ctx, stage === 'mined' ? Math.max(askFirstMs, blockMs) : finalizedFirstMs);
}
