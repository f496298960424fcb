import type { AuthorizationState } from '../../billing/checkout/authorize.ts';
import type { ChangeQuote } from '../../billing/subscriptions/plan-changes.ts';
import type { Catalog } from '../../chains/catalog.ts';
import { brandingView } from '../../http/branding.ts';
import { meteredView } from '../../http/metered.ts';
import { unitsView } from '../../http/schemas.ts';
import { formatAmount } from '../../model/amounts.ts';
import type * as wire from '../wire.ts';
import { outcomeView, payerStateView } from './checkout-state.ts';
import { mandateView } from './mandate.ts';
import { permitToSignView } from './permit.ts';
import { requestedAllowanceView } from './requested-allowance.ts';

export function authorizationView(state: AuthorizationState, catalog: Catalog): wire.Authorization {
  const { kind, merchant, terms, isSandbox, allowance, mandate } = state;
  const { interval, maxCycles, trialDays } = terms.recurring;
  return {
    kind,
    merchantName: merchant.name,
    branding: brandingView(merchant),
    offerName: terms.offerName,
    isSandbox,
    terms: {
      amount: terms.priceAmount,
      currency: terms.priceCurrency,
      interval: interval.unit,
      intervalCount: interval.count,
      maxCycles,
      units: unitsView(terms.model),
      metered: meteredView(terms.model, state.tokenKey, catalog),
      trialDays,
      tokenKey: state.tokenKey,
      chainId: state.chainId,
    },
    signedBy: state.signedBy,
    isSigned: state.isSigned,
    isAuthorized: state.isAuthorized,
    expiresAt: state.expiresAt.toISOString(),
    quote: state.quote && quoteView(state.quote, state.tokenKey, catalog),
    asked: allowance && requestedAllowanceView(allowance),
    chain: payerStateView(allowance, state.payer),
    permitToSign: permitToSignView(state.permit),
    mandate: allowance && mandate && mandateView(mandate, allowance.token.play.decimals),
    outcome: outcomeView(state.outcome, allowance, catalog),
  };
}

/** Amounts in units of the token of the subscription's next terms. */
export function quoteView(quote: ChangeQuote, tokenKey: string, catalog: Catalog): wire.Quote {
  const { at, paidUntil, now, credit, later } = quote;
  const { decimals = 0 } = catalog.tokenByKey(tokenKey) ?? {};
  const inTokens = (units: bigint) => formatAmount(units, decimals);
  return { at, paidUntil, now: inTokens(now), credit: inTokens(credit), later: inTokens(later) };
}
