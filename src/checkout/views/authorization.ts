import type { AuthorizationState } from '../../billing/checkout/authorize.ts';
import type { Quote } from '../../billing/checkout/quote.ts';
import type { Challenged } from '../../billing/checkout/sign.ts';
import type { Catalog } from '../../chains/catalog.ts';
import { typedDataOf } from '../../chains/mandates.ts';
import { brandingView } from '../../http/branding.ts';
import { meteredView } from '../../http/metered.ts';
import { quoteView } from '../../http/quote.ts';
import { unitsView } from '../../http/schemas.ts';
import { pick } from '../../model/pick.ts';
import type * as wire from '../wire.ts';
import { payerStateView, progressView } from './checkout-state.ts';
import { sumView } from './offer.ts';
import { mandateView, typedDataView } from './permit.ts';

export function authorizationView(state: AuthorizationState, catalog: Catalog): wire.Authorization {
  const { merchant, terms } = state;
  const { interval, maxCycles, trialDays } = terms.recurring;
  return {
    ...pick(state, 'kind', 'isSandbox', 'signedBy', 'isSigned', 'isAuthorized'),
    merchantName: merchant.name,
    branding: brandingView(merchant),
    offerName: terms.offerName,
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
    expiresAt: state.expiresAt.toISOString(),
    quote: state.quote && quoteView(state.quote, state.tokenKey, catalog),
    ...progressView(state, state.permit, catalog),
  };
}

export function requestView({ allowance, payer, takesPermit, isSubscribed }: Quote): wire.Request {
  return {
    ...sumView(allowance),
    chain: payerStateView(allowance, payer),
    takesPermit,
    isSubscribed,
  };
}

export function challengeView(challenged: Challenged): wire.Challenge {
  const { message, mandate, allowance, nonce, expiresAt } = challenged;
  return {
    message,
    typedData: typedDataView(typedDataOf(mandate)),
    mandate: mandateView(mandate, allowance.token.play.decimals),
    nonce,
    expiresAt: expiresAt.toISOString(),
    ...requestView(challenged),
  };
}
