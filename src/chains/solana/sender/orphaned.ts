import { later } from '../../context.ts';
import { releaseCharge } from '../../reconciler/give-up.ts';
import type { SolanaContext } from '../context.ts';

const AT_ONCE = 200;

/**
 * Lets charges wait again whose transaction can never land. A charge can get into a transaction just when the
 * reconciler gives the transaction up. Checks only charges that have been in flight for `orphanMs`.
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
    await releaseCharge(ctx, charge);
  }
}
