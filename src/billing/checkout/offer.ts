import { invalid, notFound } from '../../errors/fault.ts';
import type { AcceptedToken, MerchantDoc, OfferDoc, PricingOption } from '../../store/collections.ts';
import type { Store } from '../../store/port.ts';
import { acceptedBy, requireOpen } from '../subscriptions/opening.ts';

/** An offer, visible to anybody with its id. */
export interface PublicOffer {
  readonly offer: OfferDoc;
  readonly merchant: MerchantDoc;
}

/** Throws 404 if the offer does not exist or was deleted, or if its merchant is suspended. */
export async function publicOffer(store: Store, offerId: string): Promise<PublicOffer> {
  const [offer] = await store.records.get('offers', [offerId]);
  if (offer === undefined || offer.deletedAt !== null) throw notFound();
  return { offer, merchant: await activeMerchant(store, offer.merchantId) };
}

/** Throws 404 for a suspended merchant (docs/rules.md, "Staff"). */
export async function activeMerchant(store: Store, merchantId: string): Promise<MerchantDoc> {
  const [merchant] = await store.records.get('merchants', [merchantId]);
  if (merchant?.status !== 'active') throw notFound();
  return merchant;
}

export interface Chosen {
  readonly priceId: string;
  readonly tokenKey: string | null;
}

/** The chosen option and token. Throws 400 if the offer accepts no new customers, or has no such option or token. */
export function chosenOf(
  offer: OfferDoc,
  { priceId, tokenKey }: Chosen,
  now: Date,
): { readonly option: PricingOption; readonly token: AcceptedToken } {
  requireOpen(offer, now);
  const option = offer.pricing.find(({ id }) => id === priceId);
  if (!option) throw invalid('priceId is not a pricing option of this offer');
  if (!option.active) throw invalid('priceId is a retired pricing option; expected an active one');
  return { option, token: acceptedBy(option, tokenKey) };
}
