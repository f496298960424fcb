import { z } from 'zod';
import { formatAmount } from '../../billing/amounts.ts';
import type { OfferOnSale } from '../../billing/checkout/checkout.ts';
import { findTokenOnChain, type TokenOnChainDeps } from '../../billing/checkout/token-on-chain.ts';
import {
  billingInterval,
  billingType,
  chainFamily,
  computedAmount,
  idSchema,
  jsonMap,
  momentOrNull,
} from '../../http/schemas.ts';
import type { AcceptedToken, PricingOption } from '../../store/collections.ts';
import type { Tenant } from '../../store/tenant.ts';
import { placeSchema, tokenOnChainView } from './asked.ts';

const acceptedTokenSchema = z.strictObject({
  tokenKey: z.string(),
  ticker: z.string(),
  chainId: z.int(),
  chainLabel: z.string(),
  chainFamily,
  /** One charge in token units. */
  amount: computedAmount,
  /** True if it can be used for payment now. */
  enabled: z.boolean(),
  /** null: not enabled. */
  playing: placeSchema.shape.playing.nullable(),
  operator: z.string().nullable(),
  /** One charge in base units of the playing token. */
  amountBaseUnits: z.string().nullable(),
});

const optionSchema = z.strictObject({
  id: idSchema('price_'),
  label: z.string().nullable(),
  amount: z.string(),
  currency: z.string(),
  billing: z.strictObject({
    type: billingType,
    interval: billingInterval.nullable(),
    intervalCount: z.int().nullable(),
  }),
  trialDays: z.int().nullable(),
  maxCycles: z.int().nullable(),
  acceptedTokens: z.array(acceptedTokenSchema),
});

/** The parts of an offer that a page shows; `afterCompletion` is only for payers who have completed it. */
export const offerOnSaleSchema = z.strictObject({
  id: idSchema('offer_'),
  name: z.string(),
  description: z.string().nullable(),
  imageUrl: z.string().nullable(),
  features: z.array(jsonMap),
  collectFields: jsonMap,
  allowedPaymentMethods: jsonMap,
  merchantName: z.string(),
  isSandbox: z.boolean(),
  isOpen: z.boolean(),
  closedFor: z.enum(['inactive', 'expired', 'sold_out']).nullable(),
  unitsLeft: z.int().nullable(),
  expiresAt: z.string().nullable(),
  pricing: z.array(optionSchema),
});

export function offerOnSaleView(sale: OfferOnSale, known: TokenOnChainDeps): z.output<typeof offerOnSaleSchema> {
  const { offer, merchant, closedFor, unitsLeft } = sale;
  return {
    id: offer._id,
    name: offer.name,
    description: offer.description,
    imageUrl: offer.imageUrl,
    features: [...offer.features],
    collectFields: offer.collectFields,
    allowedPaymentMethods: offer.allowedPaymentMethods,
    merchantName: merchant.name,
    isSandbox: offer.mode === 'test',
    isOpen: closedFor === null,
    closedFor,
    unitsLeft,
    expiresAt: momentOrNull(offer.expiresAt),
    pricing: offer.pricing.filter(({ active }) => active).map((option) => optionView(option, offer, known)),
  };
}

function optionView(option: PricingOption, tenant: Tenant, known: TokenOnChainDeps): z.output<typeof optionSchema> {
  const { type, interval, intervalCount } = option.billing;
  return {
    id: option.id,
    label: option.label,
    amount: option.amount,
    currency: option.currency,
    billing: { type, interval, intervalCount },
    trialDays: option.trialDays,
    maxCycles: option.maxCycles,
    acceptedTokens: option.acceptedTokens.flatMap((token) => acceptedTokenView(token, tenant, known)),
  };
}

/** A token that this installation does not (or no longer) know cannot be used for payment. */
function acceptedTokenView(
  { tokenKey, amountBaseUnits }: AcceptedToken,
  tenant: Tenant,
  known: TokenOnChainDeps,
): z.output<typeof acceptedTokenSchema>[] {
  const token = known.catalog.tokenByKey(tokenKey);
  const chain = token && known.catalog.chain(token.chainId);
  if (token === undefined || chain === undefined) return [];
  const place = findTokenOnChain(known, tenant, tokenKey);
  const units = BigInt(amountBaseUnits);
  return [
    {
      tokenKey,
      ticker: token.ticker,
      chainId: token.chainId,
      chainLabel: chain.label,
      chainFamily: token.family,
      amount: formatAmount(units, token.decimals),
      enabled: place !== null,
      playing: place && tokenOnChainView(place).playing,
      operator: place?.operator ?? null,
      amountBaseUnits: place?.play.rescale(units).toString() ?? null,
    },
  ];
}
