import type { AuthorizationState } from '../../billing/checkout/authorize.ts';
import type { Catalog } from '../../chains/catalog.ts';
import { brandingView } from '../../http/branding.ts';
import { unitsView } from '../../http/schemas.ts';
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
      trialDays,
      tokenKey: state.tokenKey,
      chainId: state.chainId,
    },
    signedBy: state.signedBy,
    isSigned: state.isSigned,
    isAuthorized: state.isAuthorized,
    expiresAt: state.expiresAt.toISOString(),
    asked: allowance && requestedAllowanceView(allowance),
    chain: payerStateView(allowance, state.payer),
    permitToSign: permitToSignView(state.permit),
    mandate: allowance && mandate && mandateView(mandate, allowance.token.play.decimals),
    outcome: outcomeView(state.outcome, allowance, catalog),
  };
}
