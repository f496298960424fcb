import { paymentAttributes } from '../../model/payment.ts';
import { subscriptionAttributes } from '../../model/subscription.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { Store } from '../../store/port.ts';

/** The name of the purchase; null: a direct charge. A subscription keeps the name that was agreed. */
export async function offerNameOf(
  { actors, records }: Pick<Store, 'actors' | 'records'>,
  payment: ActorDoc,
): Promise<string | null> {
  const { subscriptionId, offerId } = paymentAttributes.parse(payment.attributes);
  const [subscription] = subscriptionId === null ? [] : await actors.load('subscription', [subscriptionId]);
  if (subscription !== undefined) return subscriptionAttributes.parse(subscription.attributes).offerName;
  const [offer] = offerId === null ? [] : await records.get('offers', [offerId]);
  return offer?.name ?? null;
}
