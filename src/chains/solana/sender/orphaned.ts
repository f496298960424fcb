import { asSeen, waitingAgain } from '../../charges.ts';
import { later } from '../../context.ts';
import { notifyOne } from '../../notify.ts';
import type { SolanaContext } from '../context.ts';

const AT_ONCE = 200;

/**
 * Charges that say that they are in a transaction which can never land: whoever found that out did not see that a charge was
 * just being put into it. They wait again. Checked for now and then, among those that have been on their way for long.
 */
export async function releaseOrphaned(ctx: SolanaContext): Promise<void> {
  const sent = await ctx.records.find('charges', {
    where: { chainId: ctx.chainId, state: 'sent', updatedAt: { lt: later(ctx, -ctx.timing.orphanMs) } },
    limit: AT_ONCE,
  });
  if (sent.length === 0) return;
  const ids = sent.flatMap(({ transactionId }) => transactionId ?? []);
  const expired = (await ctx.records.get('transactions', ids)).filter(({ state }) => state === 'expired');
  const lost = new Set(expired.map(({ _id }) => _id));
  for (const charge of sent.filter(({ transactionId }) => transactionId !== null && lost.has(transactionId))) {
    if (!(await notifyOne(ctx, charge, 'released'))) continue;
    await ctx.records.change('charges', charge._id, asSeen(charge), { set: waitingAgain(charge, ctx.clock()) });
  }
}
