import type { SessionState } from '../../billing/checkout/checkout-state.ts';
import type { Catalog } from '../../chains/catalog.ts';
import type * as wire from '../wire.ts';
import { depositView, outcomeView, payerStateView } from './checkout-state.ts';
import { mandateView } from './mandate.ts';
import { permitToSignView } from './permit.ts';
import { requestedAllowanceView } from './requested-allowance.ts';

export function sessionView(state: SessionState, catalog: Catalog): wire.Session {
  const { session, merchant, allowance, payer, mandate, deposit, outcome } = state;
  return {
    id: session._id,
    kind: session.kind,
    offerId: session.offerId,
    offerName: session.terms.offerName,
    priceId: session.terms.priceId,
    quantity: session.terms.quantity ?? null,
    merchantName: merchant.name,
    isSandbox: session.mode === 'test',
    paymentMethod: session.wallet === null ? 'wallet_transfer' : 'wallet_connect',
    wallet: session.wallet,
    isExisting: session.isExisting,
    createdAt: session.createdAt.toISOString(),
    expiresAt: session.kind === 'payment' ? session.expiresAt.toISOString() : null,
    asked: allowance && requestedAllowanceView(allowance),
    chain: payerStateView(allowance, payer),
    permitToSign: permitToSignView(state.permit),
    mandate: allowance && mandate && mandateView(mandate, allowance.token.play.decimals),
    deposit: depositView(allowance, deposit),
    outcome: outcomeView(outcome, allowance, catalog),
  };
}
