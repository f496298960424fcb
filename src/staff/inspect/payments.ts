import type { HttpDeps } from '../../http/deps.ts';
import { paymentAttributes, paymentContextOf, paymentStatusOf, paymentUnits } from '../../model/payment.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { PaymentRow } from '../wire.ts';

export function paymentRowOf({ catalog }: Pick<HttpDeps, 'catalog'>, doc: ActorDoc): PaymentRow {
  const { tokenKey, subscriptionId, cycle } = paymentAttributes.parse(doc.attributes);
  const { amount, cycleOf, fromWallet, toWallet, hashes, failureReason, nextAttemptAt, attempt } =
    paymentContextOf(doc);
  return {
    id: doc._id,
    status: paymentStatusOf(doc),
    amount: paymentUnits(doc, catalog)(amount),
    token: catalog.tokenByKey(tokenKey)?.ticker ?? tokenKey,
    subscriptionId,
    cycle,
    period: cycleOf === null ? '' : `${dayOf(cycleOf.periodStart)} to ${dayOf(cycleOf.periodEnd)}`,
    from: fromWallet,
    to: toWallet,
    txHash: hashes.pullTxHash,
    failureReason,
    nextAttemptAt,
    attempts: attempt,
    createdAt: doc.createdAt.toISOString(),
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

function dayOf(moment: string): string {
  return moment.slice(0, 10);
}
