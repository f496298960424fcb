import { invalid, notFound } from '../../errors/fault.ts';
import type { AcceptedToken, MerchantDoc, OfferDoc, PricingOption } from '../../store/collections.ts';
import type { Store } from '../../store/port.ts';
import { acceptedBy, quantityIn, requireOpen } from '../subscriptions/opening.ts';

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
  /** null: the least, or the price is fixed. */
  readonly quantity: number | null;
  /** The code of a coupon; null: the full price. */
  readonly coupon: string | null;
}

/** A choice, checked against its offer. `quantity` null: the price is fixed. */
export interface Choice {
  readonly option: PricingOption;
  readonly token: AcceptedToken;
  readonly quantity: number | null;
}

/**
 * The chosen option, token and quantity. Throws 400 if the offer accepts no new customers, has no such option or token,
 * or does not let a customer choose this quantity.
 */
export function chosenOf(offer: OfferDoc, { priceId, tokenKey, quantity: wanted }: Chosen, now: Date): Choice {
  requireOpen(offer, now);
  const option = offer.pricing.find(({ id }) => id === priceId);
  if (!option) throw invalid('priceId is not a pricing option of this offer');
  if (!option.active) throw invalid('priceId is a retired pricing option; expected an active one');
  const quantity = quantityIn(option, wanted);
  const { model } = option;
  if (model?.kind === 'per_unit' && model.quantityChangedBy === 'merchant' && quantity !== model.minQuantity) {
    throw invalid(`quantity is chosen by the merchant for this price; expected ${model.minQuantity}`);
  }
  return { option, token: acceptedBy(option, tokenKey), quantity };
}
