import { z } from 'zod';
import type { OfferDoc, PricingOption } from '../../store/collections.ts';
import { idSchema, jsonMap, moment, momentOrNull, stringMap } from './shared.ts';

const pricingOption = z.strictObject({
  id: idSchema('price_'),
  label: z.string().nullable(),
  amount: z.string(),
  currency: z.string(),
  billing: z.strictObject({
    type: z.enum(['recurring', 'one_time']),
    interval: z.enum(['day', 'week', 'month', 'year']).nullable(),
    intervalCount: z.int().nullable(),
  }),
  acceptedTokens: z.array(
    z.strictObject({ tokenKey: z.string(), chainId: z.int(), amountBaseUnits: z.string().regex(/^\d+$/) }),
  ),
  trialDays: z.int().nullable(),
  maxCycles: z.int().nullable(),
  maxFailedCycles: z.int().nullable(),
  merchantDestinationWallet: z.strictObject({ evm: z.string().nullable(), solana: z.string().nullable() }).nullable(),
  active: z.boolean(),
});

/** Offer and PricingOption (reference, section 2). */
export const offerSchema = z.strictObject({
  id: idSchema('offer_'),
  name: z.string(),
  description: z.string().nullable(),
  imageUrl: z.string().nullable(),
  identifier: z.string().nullable(),
  productRef: z.string().nullable(),
  checkoutUrl: z.url(),
  pricing: z.array(pricingOption).min(1),
  active: z.boolean(),
  availableQuantity: z.int().nullable(),
  redeemedCount: z.int(),
  expiresAt: moment.nullable(),
  afterCompletion: jsonMap,
  features: z.array(jsonMap),
  collectFields: jsonMap,
  allowedPaymentMethods: jsonMap,
  metadata: stringMap,
  reference: z.string().nullable(),
  splitEvm: z.array(z.strictObject({ address: z.string(), percentage: z.string() })),
  isSandbox: z.boolean(),
  idempotencyKey: z.string().nullable(),
  createdAt: moment,
  updatedAt: moment,
});

type OfferView = z.output<typeof offerSchema>;

/** `publicUrl` is where the hosted checkout is; the URL never changes with the offer. */
export function offerView(offer: OfferDoc, publicUrl: string): OfferView {
  return {
    id: offer._id,
    name: offer.name,
    description: offer.description,
    imageUrl: offer.imageUrl,
    identifier: offer.identifier,
    productRef: offer.productRef,
    checkoutUrl: `${publicUrl}/checkout/${offer._id}`,
    pricing: offer.pricing.map(pricingOptionView),
    active: offer.active,
    availableQuantity: offer.availableQuantity,
    redeemedCount: offer.redeemedCount,
    expiresAt: momentOrNull(offer.expiresAt),
    afterCompletion: offer.afterCompletion,
    features: [...offer.features],
    collectFields: offer.collectFields,
    allowedPaymentMethods: offer.allowedPaymentMethods,
    metadata: { ...offer.metadata },
    reference: offer.reference,
    splitEvm: offer.splitEvm.map(({ address, percentage }) => ({ address, percentage })),
    isSandbox: offer.mode === 'test',
    idempotencyKey: offer.idempotencyKey,
    createdAt: offer.createdAt.toISOString(),
    updatedAt: offer.updatedAt.toISOString(),
  };
}

function pricingOptionView(option: PricingOption): OfferView['pricing'][number] {
  const { type, interval, intervalCount } = option.billing;
  const destination = option.merchantDestinationWallet;
  return {
    id: option.id,
    label: option.label,
    amount: option.amount,
    currency: option.currency,
    billing: { type, interval, intervalCount },
    acceptedTokens: option.acceptedTokens.map(({ tokenKey, chainId, amountBaseUnits }) => ({
      tokenKey,
      chainId,
      amountBaseUnits,
    })),
    trialDays: option.trialDays,
    maxCycles: option.maxCycles,
    maxFailedCycles: option.maxFailedCycles,
    merchantDestinationWallet: destination === null ? null : { evm: destination.evm, solana: destination.solana },
    active: option.active,
  };
}
