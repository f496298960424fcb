import type { z } from 'zod';
import type { PriceModel } from '../../machines/rules/price-model.ts';
import { levelOf, unitsLeft } from '../../machines/rules/usage.ts';
import { priceSoFar, type UsageSoFar } from '../billing/subscriptions/usage.ts';
import type { Catalog } from '../chains/catalog.ts';
import { formatAmount } from '../model/amounts.ts';
import { subscriptionContextOf } from '../model/subscription.ts';
import type { PricingOption } from '../store/collections.ts';
import type { meteredSchema, usageSchema } from './schemas.ts';

type Metered = z.output<typeof meteredSchema>;

/** A metered price of an offer, in the currency of the offer; null: it is not metered. */
export function meteredOptionView({ amount, currency, model }: PricingOption): Metered | null {
  if (model?.kind !== 'metered') return null;
  const { kind: _, includedUnits, tiers, ...terms } = model;
  return { currency, tiers: [{ above: includedUnits, amount }, ...tiers], ...terms };
}

/** That of a subscription, in its token; null: it is not metered. */
export function meteredView(model: PriceModel | undefined, tokenKey: string, catalog: Catalog): Metered | null {
  const token = catalog.tokenByKey(tokenKey);
  if (model?.kind !== 'metered' || token === undefined) return null;
  const inTokens = (baseUnits: string) => formatAmount(BigInt(baseUnits), token.decimals);
  const { tiers, capAmount, aboveCap, thresholdAmount, windowCapAmount } = model;
  // Included units are a tier that costs nothing.
  const paid = tiers.length > 1 && tiers[0]?.unitAmount === '0' ? tiers.slice(1) : tiers;
  return {
    currency: token.ticker,
    tiers: paid.map(({ above, unitAmount }) => ({ above, amount: inTokens(unitAmount) })),
    capAmount: inTokens(capAmount),
    aboveCap,
    ...(thresholdAmount === undefined ? {} : { thresholdAmount: inTokens(thresholdAmount) }),
    ...(windowCapAmount === undefined ? {} : { windowCapAmount: inTokens(windowCapAmount) }),
  };
}

/** The use of the present period, as the API and pages show it. */
export function usageView(period: UsageSoFar, catalog: Catalog): z.output<typeof usageSchema> {
  const { doc, model, units, before, amount, since, uncharged, waitsUntil } = period;
  const { thresholdAmount = null } = model;
  const { terms, ended, currentPeriodEnd } = subscriptionContextOf(doc);
  const shown = (baseUnits: bigint) => inTokens(baseUnits, terms.tokenKey, catalog);
  return {
    subscriptionId: doc._id,
    tokenKey: terms.tokenKey,
    from: since,
    to: ended === null ? currentPeriodEnd : null,
    units,
    amount: shown(priceSoFar(period)),
    carriedAmount: shown(before),
    capAmount: shown(BigInt(model.capAmount)),
    chargeAmount: shown(amount),
    unchargedAmount: shown(uncharged),
    level: levelOf(model, units, before),
    unitsLeft: unitsLeft(model, units, before),
    thresholdAmount: thresholdAmount === null ? null : shown(BigInt(thresholdAmount)),
    waitsUntil,
  };
}

export function inTokens(baseUnits: bigint, tokenKey: string, catalog: Catalog): string {
  const token = catalog.tokenByKey(tokenKey);
  if (token === undefined)
    throw new Error(`the catalog lost the token ${tokenKey}, in which a subscription is charged`);
  return formatAmount(baseUnits, token.decimals);
}
