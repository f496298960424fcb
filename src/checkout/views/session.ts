import type { SessionState } from '../../billing/checkout/checkout-state.ts';
import type { Catalog } from '../../chains/catalog.ts';
import type * as wire from '../wire.ts';
import { askedView } from './asked.ts';
import { depositView, outcomeView, payerStateView } from './checkout-state.ts';
import { mandateView } from './mandate.ts';
import { permitToSignView } from './permit.ts';

export function sessionView(state: SessionState, catalog: Catalog): wire.Session {
  const { session, merchant, asked, payer, mandate, deposit, outcome } = state;
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
    chain: payerStateView(asked, payer),
    permitToSign: permitToSignView(state.permit),
    mandate: asked && mandate && mandateView(mandate, asked.place.play.decimals),
    deposit: depositView(asked, deposit),
    outcome: outcomeView(outcome, asked, catalog),
  };
}
