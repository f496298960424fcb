import type { TransactionDoc } from '../../../store/collections.ts';
import { Reconciler } from '../../reconciler/reconciler.ts';
import type { SolanaContext } from '../context.ts';
import type { CheckedTokens } from '../link.ts';
import { broadcast, mayBroadcast } from '../sender/broadcast.ts';
import { abandon } from './abandon.ts';
import { ask } from './ask.ts';
import { type Landing, settle } from './settle.ts';

/**
 * The reconciler of a Solana chain. Until a transaction is confirmed, every check sends the same bytes again: nodes forget, and
 * bytes that are sent twice pull once.
 */
export function solanaReconciler(ctx: SolanaContext): Reconciler<CheckedTokens> {
  return new Reconciler(ctx, {
    ready: () => ctx.link.ready(),
    follow: (tokens, due) => follow(ctx, tokens, due),
  });
}

async function follow(ctx: SolanaContext, tokens: CheckedTokens, due: readonly TransactionDoc[]): Promise<void> {
  const standings = await ask(ctx, due);
  const ids = due.flatMap(({ chargeIds }) => chargeIds);
  const charges = new Map((await ctx.records.get('charges', ids)).map((charge) => [charge._id, charge]));
  const landings: Landing[] = [];
  const absent: TransactionDoc[] = [];
  for (const [index, transaction] of due.entries()) {
    const standing = standings[index];
    const own = transaction.chargeIds.flatMap((id) => charges.get(id) ?? []);
    if (standing?.kind === 'included') landings.push({ transaction, standing, charges: own });
    if (standing?.kind === 'expired') await abandon(ctx, tokens, transaction, own, standing.asOf);
    if (standing?.kind === 'absent' && own.some((charge) => mayBroadcast(transaction, charge))) {
      absent.push(transaction);
    }
  }
  await broadcast(ctx, absent);
  await settle(ctx, tokens, landings);
  // A confirmed transaction lets another one follow of its fee payer, and for waiting charges of its payer.
  if (landings.some(({ transaction }) => transaction.state === 'signed')) ctx.wakeQueues();
}
