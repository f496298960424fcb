import type { Purchase } from './purchase.ts';

/** The facts of a receipt. */
export interface Receipt {
  /** null: nothing was charged, for example in a trial. */
  readonly paid: {
    readonly id: string;
    readonly amount: string;
    readonly at: string;
    readonly hash: string | null;
    readonly explorerUrl: string | null;
  } | null;
  /** null: no charge follows. */
  readonly nextAt: string | null;
}

export function receiptOf({ outcome: { payment, subscription } }: Pick<Purchase, 'outcome'>): Receipt {
  const paid =
    payment === null || payment.paidAt === null
      ? null
      : {
          id: payment.id,
          amount: payment.amount,
          at: payment.paidAt,
          hash: payment.pullTxHash,
          explorerUrl: payment.explorerUrl,
        };
  return { paid, nextAt: subscription?.currentPeriodEnd ?? subscription?.trialEnd ?? null };
}

/** "basescan.org". */
export function explorerName(url: string): string {
  return new URL(url).host;
}
