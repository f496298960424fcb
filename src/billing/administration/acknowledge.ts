import type { DifferenceDoc } from '../../store/collections.ts';
import { acknowledgementId } from '../audit/refunds.ts';
import type { BillingDeps } from '../deps.ts';
import { keepEntries, type StaffOrder, staffEntry } from './staff-journal.ts';

/**
 * Acknowledges what the audit found of this transaction as `unknown_refund`: no later audit reports it, and the staff
 * journal keeps who did that and why. Returns the payments concerned; acknowledging twice changes nothing.
 */
export async function acknowledgeRefunds(
  { store, clock }: Pick<BillingDeps, 'store' | 'clock'>,
  found: readonly DifferenceDoc[],
  transaction: string,
  order: StaffOrder,
): Promise<string[]> {
  const mine = found.filter(({ kind, txHash }) => kind === 'unknown_refund' && txHash === transaction);
  const ids = [...new Set(mine.flatMap(({ paymentId }) => paymentId ?? []))];
  const payments = await store.actors.load('payment', ids);
  const entries = payments.map(({ _id: paymentId, merchantId }) => {
    const details = { paymentId, transaction };
    const entry = staffEntry(order, merchantId, clock(), { action: 'refund.acknowledged', details });
    return { ...entry, _id: acknowledgementId(paymentId, transaction) };
  });
  await keepEntries(store.records, entries);
  return ids;
}
