import type { PublicOffer } from '../../billing/checkout/offer.ts';
import type { RequestedAllowance } from '../../billing/checkout/requested-allowance.ts';
import { findTokenOnChain, type TokenOnChain, type TokenOnChainDeps } from '../../billing/checkout/token-on-chain.ts';
import type { BillingDeps } from '../../billing/deps.ts';
import { brandingView } from '../../http/branding.ts';
import { meteredOptionView } from '../../http/metered.ts';
import { momentOrNull, unitsView } from '../../http/schemas.ts';
import { formatAmount } from '../../model/amounts.ts';
import { closedFor, unitsLeft } from '../../model/offer.ts';
import { pick } from '../../model/pick.ts';
import type { AcceptedToken, PricingOption } from '../../store/collections.ts';
import type { Tenant } from '../../store/documents.ts';
import type * as wire from '../wire.ts';

export function offerOnSaleView(
  { offer, merchant }: PublicOffer,
  deps: TokenOnChainDeps & Pick<BillingDeps, 'clock'>,
): wire.Offer {
  const whyClosed = closedFor(offer, deps.clock());
  return {
    id: offer._id,
    ...pick(offer, 'name', 'description', 'imageUrl', 'collectFields', 'allowedPaymentMethods'),
    features: [...offer.features],
    merchantName: merchant.name,
    branding: brandingView(merchant),
    isSandbox: offer.mode === 'test',
    isOpen: whyClosed === null,
    closedFor: whyClosed,
    unitsLeft: unitsLeft(offer),
    expiresAt: momentOrNull(offer.expiresAt),
    takesCodes: merchant.takesCodes?.[offer.mode] === true,
    pricing: offer.pricing.filter(({ active }) => active).map((option) => optionView(option, offer, deps)),
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

/** Each amount in units of the playing token, and as `<name>BaseUnits` in base units. */
export function inBothUnits<K extends string>(
  allowance: RequestedAllowance,
  amounts: { readonly [N in K]: bigint },
): { [N in K | `${K}BaseUnits`]: string };
export function inBothUnits({ token }: RequestedAllowance, amounts: { readonly [name: string]: bigint }): object {
  const both = Object.entries(amounts).flatMap(([name, units]) => [
    [name, formatAmount(units, token.play.decimals)],
    [`${name}BaseUnits`, units.toString()],
  ]);
  return Object.fromEntries(both);
}

export function sumView(allowance: RequestedAllowance): wire.Sum {
  const { lines, total, least } = allowance;
  return {
    lines: lines.map(({ offerName, cycles, ...line }) => ({
      ...{ offerName, cycles },
      ...inBothUnits(allowance, pick(line, 'amount', 'total')),
    })),
    ...inBothUnits(allowance, { total, least }),
  };
}

export function requestedAllowanceView(allowance: RequestedAllowance): wire.RequestedAllowance {
  return {
    ...tokenOnChainView(allowance.token),
    ...inBothUnits(allowance, { amount: allowance.due }),
    ...sumView(allowance),
  };
}
