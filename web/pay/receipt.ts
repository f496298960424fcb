import type { Purchase } from './purchase.ts';

/** What a receipt shows. `paid` null: nothing was charged, for example in a trial. `nextAt` null: no charge follows. */
export function receiptOf({ outcome: { payment, subscription } }: Pick<Purchase, 'outcome'>) {
  return {
    paid: payment === null || payment.paidAt === null ? null : { ...payment, paidAt: payment.paidAt },
    nextAt: subscription?.currentPeriodEnd ?? subscription?.trialEnd ?? null,
  };
}
