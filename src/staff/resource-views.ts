import type { SubscriptionRecord } from '../billing/services.ts';
import { momentOrNull, momentsOf } from '../http/schemas.ts';
import type { CustomerDoc, OfferDoc, PricingOption } from '../store/collections.ts';
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

export function subscriptionRow(record: SubscriptionRecord): SubscriptionRow {
  const { id, merchantId, mode, status, offerId, offerName, customerId } = record;
  const { priceAmount, priceCurrency, cyclesCompleted, currentPeriodEnd, createdAt } = record;
  return {
    id,
    merchantId,
    mode,
    status,
    offerId,
    offerName,
    customerId,
    priceAmount,
    priceCurrency,
    cyclesCompleted,
    currentPeriodEnd: momentOrNull(currentPeriodEnd),
    createdAt: createdAt.toISOString(),
  };
}
