import { z } from 'zod';
import type { PayerConsent } from '../../../machines/consent.ts';
import type { Discount } from '../../../machines/rules/discount.ts';
import { addDays, periodAt } from '../../../machines/rules/period.ts';
import {
  amountOf,
  isWithin,
  type PriceModel,
  type QuantityLimits,
  quantityOf,
} from '../../../machines/rules/price-model.ts';
import { newSubscription, type Terms } from '../../../machines/subscription/context.ts';
import { unknownCase } from '../../../machines/unknown-case.ts';
import type { Create } from '../../engine/types.ts';
import { invalid, notFound } from '../../errors/fault.ts';
import type { Affiliate } from '../../model/affiliate.ts';
import { consentIn } from '../../model/consent.ts';
import { closedFor } from '../../model/offer.ts';
import type { CustomVariables, SubscriptionAttributes } from '../../model/subscription.ts';
import type { AcceptedToken, CustomerDoc, OfferDoc, PricingOption } from '../../store/collections.ts';
import type { TenantStore } from '../../store/tenant.ts';

/** A checked POST /subscriptions. `requestHash` identifies the body, so that a replay with another one is detected. */
export interface CreateSubscription {
  readonly priceId: string;
  readonly customerId: string;
  readonly offerId: string | null;
  readonly tokenKey: string | null;
  /** null: the least of a price per unit; a fixed price has none. */
  readonly quantity: number | null;
  /** null: the full price. */
  readonly couponId: string | null;
  readonly customVariables: CustomVariables;
  readonly affiliate: Affiliate | null;
  readonly idempotencyKey: string | null;
  readonly requestHash: string;
}

const jsonObject = z.record(z.string(), z.json());

/** The parties of a new subscription: an open offer's recurring option in one token, and a customer. */
export interface Parties {
  readonly offer: OfferDoc;
  readonly option: PricingOption;
  readonly token: AcceptedToken;
  /** null: the price has no quantity. */
  readonly quantity: number | null;
  readonly customer: CustomerDoc;
  /** Absent: it begins without one. */
  readonly discount?: Discount;
}

/**
 * Reads and checks the parties. Throws 404 for unknown ids, and 400 if there is nothing to subscribe to (docs/rules.md,
 * "Subscriptions").
 */
export async function partiesOf(store: TenantStore, input: CreateSubscription, now: Date): Promise<Parties> {
  const [offer] = await store.find('offers', { where: { 'pricing.id': input.priceId, deletedAt: null }, limit: 1 });
  const option = offer?.pricing.find(({ id }) => id === input.priceId);
  if (!offer || !option) throw notFound('priceId');
  if (input.offerId !== null && input.offerId !== offer._id) throw notFound('priceId in this offerId');
  const customer = await store.record('customers', input.customerId);
  if (!customer || customer.deletedAt !== null) throw notFound('customerId');
  if (option.billing.type !== 'recurring')
    throw invalid('priceId is a one-time pricing option; expected a recurring one');
  if (!option.active) throw invalid('priceId is a retired pricing option; expected an active one');
  requireOpen(offer, now);
  const token = acceptedBy(option, input.tokenKey);
  return { offer, option, token, quantity: quantityIn(option, input.quantity), customer };
}

/** Throws 400 if the offer accepts no new customers. */
export function requireOpen(offer: OfferDoc, now: Date): void {
  const closed = closedFor(offer, now);
  switch (closed) {
    case null:
      return;
    case 'inactive':
      throw invalid('The offer is inactive and takes no new subscriptions');
    case 'expired':
      throw invalid('The offer has expired');
    case 'sold_out':
      throw invalid('The offer is sold out');
    default:
      unknownCase(closed, 'reason');
  }
}

/** The token of this key; without a key, the option's only token. Throws 400 naming the accepted ones. */
export function acceptedBy({ acceptedTokens }: PricingOption, tokenKey: string | null): AcceptedToken {
  const keys = acceptedTokens.map((accepted) => accepted.tokenKey).join(', ');
  const [only] = acceptedTokens;
  if (tokenKey === null && acceptedTokens.length === 1 && only) return only;
  if (tokenKey === null) throw invalid(`tokenKey is required: the pricing option accepts ${keys}`);
  const accepted = acceptedTokens.find((each) => each.tokenKey === tokenKey);
  if (!accepted) throw invalid(`tokenKey is not accepted by the pricing option; expected one of ${keys}`);
  return accepted;
}

/** The quantity of a new subscription, by default the least. Throws 400 if the option does not have it. */
export function quantityIn({ model }: PricingOption, wanted: number | null): number | null {
  if (model?.kind !== 'per_unit') {
    if (wanted === null) return null;
    throw invalid(`quantity is for a price per unit only, and this price is ${model?.kind ?? 'fixed'}`);
  }
  const quantity = wanted ?? model.minQuantity;
  if (isWithin(quantity, model)) return quantity;
  throw invalid(quantityRange(model));
}

export function quantityRange({ minQuantity, maxQuantity }: QuantityLimits): string {
  return `quantity must be from ${minQuantity} to ${maxQuantity} for this price`;
}

/** The present quantity, or the nearest one that the option has; null: it has none, or there is none to keep. */
export function keptQuantity({ model }: PricingOption, present: Terms): number | null {
  const quantity = quantityOf(present);
  if (model?.kind !== 'per_unit' || quantity === null) return null;
  return Math.min(Math.max(quantity, model.minQuantity), model.maxQuantity);
}

/** The terms that a subscription copies from its option. */
export function termsOf(option: PricingOption, token: AcceptedToken, quantity: number | null): Terms {
  const { interval, intervalCount } = option.billing;
  if (interval === null) throw new Error(`${option.id} is recurring and has no interval`);
  return {
    priceId: option.id,
    priceAmount: option.amount,
    priceCurrency: option.currency,
    tokenKey: token.tokenKey,
    chainId: token.chainId,
    ...amountIn(option, token, quantity),
    interval: { unit: interval, count: intervalCount ?? 1 },
    maxCycles: option.maxCycles,
    maxFailedCycles: option.maxFailedCycles,
    destination: option.merchantDestinationWallet,
  };
}

function amountIn(
  { model }: PricingOption,
  { amountBaseUnits, metered }: AcceptedToken,
  quantity: number | null,
): Pick<Terms, 'amount' | 'model'> {
  switch (model?.kind) {
    case undefined:
      return { amount: amountBaseUnits };
    case 'per_unit':
      return priced({ ...model, unitAmount: amountBaseUnits, quantity: quantity ?? model.minQuantity });
    case 'metered':
      if (metered === undefined) throw new Error('a metered price has no tiers in one of its tokens');
      return priced({ kind: 'metered', ...metered, tiers: [...metered.tiers], aboveCap: model.aboveCap });
  }
}

function priced(model: PriceModel): Pick<Terms, 'amount' | 'model'> {
  return { amount: amountOf(model).toString(), model };
}

/** When the first charge falls due, if the payer has agreed by then; null: at once. Use is charged after a period. */
export function firstChargeAt({ model, trialDays, billing }: PricingOption, now: Date): string | null {
  const from = now.toISOString();
  if (model?.kind === 'metered' && billing.interval !== null)
    return periodAt(from, { unit: billing.interval, count: billing.intervalCount ?? 1 }, 0).end;
  return trialDays ? addDays(from, trialDays) : null;
}

/** The wallet that pays, if one is known, and what it has consented to. */
export interface NewPayer {
  readonly wallet: string | null;
  readonly consent?: PayerConsent;
  /** For the keys of its charges; absent: they need none. */
  readonly chargeSecret?: string;
}

/** The command that creates the actor. */
export function subscriptionOf(
  id: string,
  { offer, option, token, quantity, discount }: Parties,
  input: CreateSubscription,
  { wallet: payerWallet, consent, chargeSecret }: NewPayer,
  now: Date,
): Create {
  const attributes: SubscriptionAttributes = {
    customerId: input.customerId,
    offerId: offer._id,
    offerName: offer.name,
    afterCompletion: jsonObject.parse(offer.afterCompletion),
    splits: [...offer.splitEvm],
    affiliatePartnerId: input.affiliate?.partnerId ?? null,
    affiliateCommissionPct: input.affiliate?.commissionPct ?? null,
    ...(chargeSecret === undefined ? {} : { chargeSecret }),
    idempotencyKey: input.idempotencyKey,
    requestHash: input.requestHash,
  };
  const context = newSubscription({
    id,
    offerId: offer._id,
    terms: termsOf(option, token, quantity),
    payerWallet,
    ...consentIn(consent),
    trialEnd: firstChargeAt(option, now),
    ...(discount === undefined ? {} : { discount }),
    ...(option.model?.kind === 'metered' ? { usage: { anchor: now.toISOString() } } : {}),
    customVariables: { ...input.customVariables },
  });
  const { merchantId, mode } = offer;
  return { kind: 'subscription', id, merchantId, mode, attributes, context, by: 'api' };
}
