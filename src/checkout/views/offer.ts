import type { OfferOnSale } from '../../billing/checkout/checkout.ts';
import { findTokenOnChain, type TokenOnChainDeps } from '../../billing/checkout/token-on-chain.ts';
import { brandingView } from '../../http/branding.ts';
import { meteredOptionView } from '../../http/metered.ts';
import { momentOrNull, unitsView } from '../../http/schemas.ts';
import { formatAmount } from '../../model/amounts.ts';
import type { AcceptedToken, PricingOption } from '../../store/collections.ts';
import type { Tenant } from '../../store/documents.ts';
import type * as wire from '../wire.ts';
import { tokenOnChainView } from './requested-allowance.ts';

export function offerOnSaleView(sale: OfferOnSale, known: TokenOnChainDeps): wire.Offer {
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
    branding: brandingView(merchant),
    isSandbox: offer.mode === 'test',
    isOpen: closedFor === null,
    closedFor,
    unitsLeft,
    expiresAt: momentOrNull(offer.expiresAt),
    takesCodes: merchant.takesCodes?.[offer.mode] === true,
    pricing: offer.pricing.filter(({ active }) => active).map((option) => optionView(option, offer, known)),
  };
}

function optionView(option: PricingOption, tenant: Tenant, known: TokenOnChainDeps): wire.Option {
  const { type, interval, intervalCount } = option.billing;
  return {
    id: option.id,
    label: option.label,
    amount: option.amount,
    currency: option.currency,
    billing: { type, interval, intervalCount },
    trialDays: option.trialDays,
    maxCycles: option.maxCycles,
    units: unitsView(option.model),
    metered: meteredOptionView(option),
    acceptedTokens: option.acceptedTokens.flatMap((token) => acceptedTokenView(token, tenant, known)),
  };
}

/** A token that this installation does not (or no longer) know cannot be used for payment. */
function acceptedTokenView(
  { tokenKey, amountBaseUnits, metered }: AcceptedToken,
  tenant: Tenant,
  known: TokenOnChainDeps,
): wire.AcceptedToken[] {
  const token = known.catalog.tokenByKey(tokenKey);
  const chain = token && known.catalog.chain(token.chainId);
  if (token === undefined || chain === undefined) return [];
  const tokenOnChain = findTokenOnChain(known, tenant, tokenKey);
  const units = BigInt(metered?.capAmount ?? amountBaseUnits);
  return [
    {
      tokenKey,
      ticker: token.ticker,
      chainId: token.chainId,
      chainLabel: chain.label,
      chainFamily: token.family,
      amount: formatAmount(units, token.decimals),
      enabled: tokenOnChain !== null,
      playing: tokenOnChain && tokenOnChainView(tokenOnChain).playing,
      operator: tokenOnChain?.operator ?? null,
      amountBaseUnits: tokenOnChain?.play.rescale(units).toString() ?? null,
    },
  ];
}
