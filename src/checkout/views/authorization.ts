import type { AuthorizationStanding } from '../../billing/checkout/authorize.ts';
import type { Catalog } from '../../chains/catalog.ts';
import { brandingView } from '../../http/branding.ts';
import type * as wire from '../wire.ts';
import { askedView } from './asked.ts';
import { mandateView } from './mandate.ts';
import { permitToSignView } from './permit.ts';
import { chainSaysView, outcomeView } from './standing.ts';

export function authorizationView(standing: AuthorizationStanding, catalog: Catalog): wire.Authorization {
  const { kind, merchant, terms, isSandbox, asked, mandate } = standing;
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
      trialDays,
      tokenKey: standing.tokenKey,
      chainId: standing.chainId,
    },
    signedBy: standing.signedBy,
    isSigned: standing.isSigned,
    isAuthorized: standing.isAuthorized,
    expiresAt: standing.expiresAt.toISOString(),
    asked: asked && askedView(asked),
    chain: chainSaysView(asked, standing.payer),
    permitToSign: permitToSignView(standing.permit),
    mandate: asked && mandate && mandateView(mandate, asked.place.play.decimals),
    outcome: outcomeView(standing.outcome, asked, catalog),
  };
}
