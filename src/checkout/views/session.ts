import type { SessionStanding } from '../../billing/checkout/standing.ts';
import type { Catalog } from '../../chains/catalog.ts';
import type * as wire from '../wire.ts';
import { askedView } from './asked.ts';
import { mandateView } from './mandate.ts';
import { permitToSignView } from './permit.ts';
import { chainSaysView, depositStandingView, outcomeView } from './standing.ts';

export function sessionView(standing: SessionStanding, catalog: Catalog): wire.Session {
  const { session, merchant, asked, payer, mandate, deposit, outcome } = standing;
  return {
    id: session._id,
    kind: session.kind,
    offerId: session.offerId,
    offerName: session.terms.offerName,
    priceId: session.terms.priceId,
    merchantName: merchant.name,
    isSandbox: session.mode === 'test',
    paymentMethod: session.wallet === null ? 'wallet_transfer' : 'wallet_connect',
    wallet: session.wallet,
    isExisting: session.isExisting,
    createdAt: session.createdAt.toISOString(),
    expiresAt: session.kind === 'payment' ? session.expiresAt.toISOString() : null,
    asked: asked && askedView(asked),
    chain: chainSaysView(asked, payer),
    permitToSign: permitToSignView(standing.permit),
    mandate: asked && mandate && mandateView(mandate, asked.place.play.decimals),
    deposit: depositStandingView(asked, deposit),
    outcome: outcomeView(outcome, asked, catalog),
  };
}
