import type { ReconcilerStrategy } from '../../reconciler/reconciler.ts';
import type { CheckedTokens, SolanaContext } from '../context.ts';
import { broadcast, mayBroadcast } from '../sender/broadcast.ts';
import { abandon } from './abandon.ts';
import type { TransactionStatus } from './agree.ts';
import { ask } from './ask.ts';
import { settle } from './settle.ts';

/** Every check sends unconfirmed bytes again: nodes forget, and bytes that are sent twice pull once. */
export function solanaReconciling(ctx: SolanaContext): ReconcilerStrategy<CheckedTokens, TransactionStatus> {
  return {
    ready: () => ctx.link.ready(),
    ask: (transactions) => ask(ctx, transactions),
    needsCharges: ({ kind }) => kind !== 'unsure',
    abandon: (expired, tokens) => abandon(ctx, tokens, expired),
    sendAgain: async (absent) => {
      const allowed = absent.filter(({ transaction, charges }) =>
        charges.some((charge) => mayBroadcast(transaction, charge)),
      );
      await broadcast(
        ctx,
        allowed.map(({ transaction }) => transaction),
      );
    },
    settle: (included, tokens) => settle(ctx, tokens, included),
  };
}
