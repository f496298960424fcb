import { unknownCase } from '../../../machines/unknown-case.ts';
import type { TransactionDoc } from '../../store/collections.ts';
import { type ChainContext, later } from '../context.ts';
import type { ChainTiming } from '../timing.ts';

/** How many transactions are checked at once. */
const AT_ONCE = 100;

/**
 * A timer may fire a little early. A transaction due within this time counts as due, and does not wait for the idle
 * check.
 */
const EARLY_MS = 5;

/**
 * The transactions that are due for a check. A process takes one by setting its next time, which only one process can
 * do. So the processes share them, and a transaction that one of them drops comes up again.
 */
export async function takeDue(ctx: ChainContext): Promise<TransactionDoc[]> {
  const due = await ctx.records.find('transactions', {
    where: {
      chainId: ctx.chainId,
      state: { in: ['signed', 'mined', 'final'] },
      askAt: { lte: later(ctx, EARLY_MS) },
    },
    sort: [['askAt', 1]],
    limit: AT_ONCE,
  });
  if (due.length === 0) return [];
  const moves = due.map((transaction) => ({
    askAt: later(ctx, nextAskMs(ctx.timing, transaction.state, transaction.asked + 1)),
    asked: transaction.asked + 1,
  }));
  const won = await ctx.records.changeMany(
    'transactions',
    due.map((transaction, index) => ({
      id: transaction._id,
      where: { state: transaction.state, asked: transaction.asked },
      change: { set: { ...moves[index] } },
    })),
  );
  return due.flatMap((transaction, index) => (won[index] === true ? [{ ...transaction, ...moves[index] }] : []));
}

/** The time until the next check, in milliseconds, after `asked` checks in this state. */
export function nextAskMs(timing: ChainTiming, state: TransactionDoc['state'], asked: number): number {
  const growth = 1.5 ** Math.min(asked, 40);
  switch (state) {
    case 'signed':
      return Math.min(timing.askMaxMs, timing.askFirstMs * growth);
    case 'mined':
      return Math.min(timing.askMaxMs, Math.max(timing.askFirstMs, timing.blockMs));
    case 'final':
    case 'finalized':
    case 'expired':
      return Math.min(timing.finalizedMaxMs, timing.finalizedFirstMs * growth);
    default:
      return unknownCase(state, 'state of a transaction');
  }
}
