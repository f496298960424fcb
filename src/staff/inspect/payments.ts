import { paymentRecord } from '../../billing/payments/record.ts';
import type { HttpDeps } from '../../http/deps.ts';
import { momentOrNull } from '../../http/schemas.ts';
import { formatAmount } from '../../model/amounts.ts';
import { paymentAttributes } from '../../model/payment.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { PaymentRow } from '../wire.ts';

export function paymentRowOf({ catalog }: Pick<HttpDeps, 'catalog'>, doc: ActorDoc): PaymentRow {
  const record = paymentRecord(doc, catalog);
  const { periodStart, periodEnd } = record;
  return {
    id: record.id,
    status: record.status,
    amount: formatAmount(record.amount, record.decimals),
    token: catalog.tokenByKey(record.tokenKey)?.ticker ?? record.tokenKey,
    subscriptionId: record.subscriptionId,
    cycle: paymentAttributes.parse(doc.attributes).cycle,
    period: periodStart && periodEnd ? `${dayOf(periodStart)} to ${dayOf(periodEnd)}` : '',
    from: record.fromWallet,
    to: record.toWallet,
    txHash: record.pullTxHash,
    failureReason: record.failureReason,
    nextAttemptAt: momentOrNull(record.nextAttemptAt),
    attempts: record.attempts,
    createdAt: record.createdAt.toISOString(),
  };
}

/** The newest payments of a subscription, the newest cycle first. */
export async function paymentsOf(deps: HttpDeps, { merchantId, _id }: ActorDoc, limit: number): Promise<PaymentRow[]> {
  const docs = await deps.store.actors.find('payment', {
    where: { merchantId, 'attributes.subscriptionId': _id },
    sort: [['attributes.cycle', -1]],
    limit,
  });
  return docs.map((doc) => paymentRowOf(deps, doc));
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
