import { depositsOf } from '../../billing/administration/deposits.ts';
import { journalOf } from '../../engine/journal.ts';
import type { HttpDeps } from '../../http/deps.ts';
import { paymentAttributes, paymentUnits } from '../../model/payment.ts';
import { paymentIdOf } from '../../store/ids.ts';
import { depositView } from '../views.ts';
import type { Inspection } from '../wire.ts';
import { paymentAnswers } from './answers.ts';
import { asNewest, generalPart, requireActor } from './inspection.ts';
import { paymentFacts } from './next-charge.ts';
import { actorNotes, chargeNotes, chargesOf, deliveriesOf, paymentRowOf } from './views.ts';

/** In any of the three spellings. Throws 404. */
export async function inspectPayment(deps: HttpDeps, spelling: string): Promise<Inspection> {
  const stored = await requireActor(deps, 'payment', paymentIdOf(spelling));
  const { subscriptionId, customerId, offerId, paymentMethod } = paymentAttributes.parse(stored.attributes);
  const resource = subscriptionId ?? stored._id;
  const suffix = stored._id.slice(stored._id.indexOf('_') + 1);
  const isTransfer = paymentMethod === 'wallet_transfer';
  const [rows, charges, deposits, deliveries] = await Promise.all([
    journalOf(deps.store, stored),
    chargesOf(deps, [stored._id]),
    isTransfer ? depositsOf(deps, stored._id) : [],
    deliveriesOf(
      deps.store,
      resource,
      100,
      ({ data }) => subscriptionId === null || JSON.stringify(data).includes(suffix),
    ),
  ]);
  const general = await generalPart(deps, stored, rows);
  const { doc, unsound } = asNewest(stored);
  const payment = unsound === null ? paymentRowOf(deps, doc) : null;
  return {
    ...general,
    title: payment === null ? 'A payment' : `${payment.amount} ${payment.token}`,
    facts: payment === null ? [] : await paymentFacts(deps, payment, customerId),
    answers:
      payment === null
        ? []
        : paymentAnswers({
            ...{ doc, payment, deposits: deposits.map(depositView) },
            inTokens: paymentUnits(doc, deps.catalog),
          }),
    notes: [...actorNotes(stored, unsound), ...chargeNotes(charges)],
    related: [
      ...(subscriptionId === null ? [] : [{ kind: 'subscription', id: subscriptionId, label: 'Its subscription' }]),
      ...(customerId === null ? [] : [{ kind: 'customer', id: customerId, label: 'Its customer' }]),
      ...(offerId === null ? [] : [{ kind: 'offer', id: offerId, label: 'Its offer' }]),
    ],
    payments: payment === null ? [] : [payment],
    charges,
    deliveries,
    deposits: deposits.map(depositView),
  };
}
