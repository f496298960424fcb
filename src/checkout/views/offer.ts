import type { OfferOnSale } from '../../billing/checkout/checkout.ts';
import type { AllowanceLine, RequestedAllowance } from '../../billing/checkout/requested-allowance.ts';
import { findTokenOnChain, type TokenOnChain, type TokenOnChainDeps } from '../../billing/checkout/token-on-chain.ts';
import { brandingView } from '../../http/branding.ts';
import { meteredOptionView } from '../../http/metered.ts';
import { momentOrNull, unitsView } from '../../http/schemas.ts';
import { formatAmount } from '../../model/amounts.ts';
import { pick } from '../../model/pick.ts';
import type { AcceptedToken, PricingOption } from '../../store/collections.ts';
import type { Tenant } from '../../store/documents.ts';
import type * as wire from '../wire.ts';

export function offerOnSaleView(sale: OfferOnSale, known: TokenOnChainDeps): wire.Offer {
  const { offer, merchant, closedFor, unitsLeft } = sale;
  return {
    id: offer._id,
    ...pick(offer, 'name', 'description', 'imageUrl', 'collectFields', 'allowedPaymentMethods'),
    features: [...offer.features],
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
  return {
    ...pick(option, 'id', 'label', 'amount', 'currency', 'trialDays', 'maxCycles'),
    billing: pick(option.billing, 'type', 'interval', 'intervalCount'),
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

function tokenOnChainView({ requested, play, playing, operator }: TokenOnChain): wire.TokenOnChain {
  return {
    tokenKey: requested.key,
    ticker: requested.ticker,
    chainId: requested.chainId,
    chainFamily: requested.family,
    playing: {
      chainId: play.chainId,
      label: playing.label,
      tokenKey: play.tokenKey,
      token: play.token,
      decimals: play.decimals,
    },
    operator,
  };
}

export function sumView(allowance: RequestedAllowance): wire.Sum {
  const { decimals } = allowance.token.play;
  const lineView = ({ offerName, amount, cycles, total }: AllowanceLine) => ({
    offerName,
    amount: formatAmount(amount, decimals),
    amountBaseUnits: amount.toString(),
    cycles,
    total: formatAmount(total, decimals),
    totalBaseUnits: total.toString(),
  });
  return {
    lines: allowance.lines.map(lineView),
    total: formatAmount(allowance.total, decimals),
    totalBaseUnits: allowance.total.toString(),
    least: formatAmount(allowance.least, decimals),
    leastBaseUnits: allowance.least.toString(),
  };
}

export function requestedAllowanceView(allowance: RequestedAllowance): wire.RequestedAllowance {
  const { token, due } = allowance;
  return {
    ...tokenOnChainView(token),
    amount: formatAmount(due, token.play.decimals),
    amountBaseUnits: due.toString(),
    ...sumView(allowance),
  };
}
