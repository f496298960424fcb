import { momentOrNull, momentsOf } from '../http/schemas.ts';
import { subscriptionAttributes, subscriptionContextOf, subscriptionStatusOf } from '../model/subscription.ts';
import type { CustomerDoc, OfferDoc, PricingOption } from '../store/collections.ts';
import type { ActorDoc } from '../store/documents.ts';
import type { CustomerRow, OfferRow, PriceRow, SubscriptionRow } from './wire.ts';

export function customerView(customer: CustomerDoc): CustomerRow {
  const { _id: id, merchantId, mode, name, email, phone, merchantReferenceId, wallets } = customer;
  return {
    id,
    merchantId,
    mode,
    name,
    email,
    phone,
    merchantReferenceId,
    wallets: wallets.map(({ chainFamily, address }) => ({ chainFamily, address })),
    ...momentsOf(customer),
    deletedAt: momentOrNull(customer.deletedAt),
  };
}

/** `publicUrl` is the address of the hosted checkout. */
export function offerView(offer: OfferDoc, publicUrl: string): OfferRow {
  const { _id: id, merchantId, mode, name, description, identifier, reference } = offer;
  const { active, availableQuantity, redeemedCount } = offer;
  return {
    id,
    merchantId,
    mode,
    name,
    description,
    identifier,
    reference,
    checkoutUrl: `${publicUrl}/checkout/${id}`,
    prices: offer.pricing.map(priceView),
    active,
    availableQuantity,
    redeemedCount,
    expiresAt: momentOrNull(offer.expiresAt),
    ...momentsOf(offer),
    deletedAt: momentOrNull(offer.deletedAt),
  };
}

function priceView(option: PricingOption): PriceRow {
  const { id, label, amount, currency, billing, acceptedTokens, trialDays, maxCycles, active } = option;
  const { type, interval, intervalCount } = billing;
  return {
    id,
    label,
    amount,
    currency,
    billing: { type, interval, intervalCount },
    tokenKeys: acceptedTokens.map(({ tokenKey }) => tokenKey),
    trialDays,
    maxCycles,
    active,
  };
}

export function subscriptionRow(doc: ActorDoc): SubscriptionRow {
  const { offerId, offerName, customerId } = subscriptionAttributes.parse(doc.attributes);
  const { terms, cyclesCompleted, currentPeriodEnd } = subscriptionContextOf(doc);
  return {
    id: doc._id,
    merchantId: doc.merchantId,
    mode: doc.mode,
    status: subscriptionStatusOf(doc),
    offerId,
    offerName,
    customerId,
    priceAmount: terms.priceAmount,
    priceCurrency: terms.priceCurrency,
    cyclesCompleted,
    currentPeriodEnd,
    createdAt: doc.createdAt.toISOString(),
  };
}
