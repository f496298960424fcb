import { operatorConsent } from '../../model/consent.ts';
import type { Created } from '../resources/idempotency.ts';
import { type ApprovalToDraft, draftApproval } from './approvals.ts';
import { linkedToken } from './authorize.ts';
import { type SessionState, sessionState } from './checkout-state.ts';
import type { CheckoutDeps } from './deps.ts';
import { publicOffer } from './offer.ts';
import { nameRefundWallet } from './session-deposit.ts';
import { type CountsSessions, type OpenSession, openSession, requireSession, type SessionKind } from './sessions.ts';

/*
 * The hosted checkout (docs/rules.md, "Checkout API"), for anybody with an offer's id, a session's key or a link's
 * token. Every function throws 404 if that does not exist, or if the merchant is suspended.
 */

/** Throws 400, 409 if the session key is used for something else, and what `visitor` throws. */
export async function openCheckout(
  deps: CheckoutDeps,
  offerId: string,
  kind: SessionKind,
  input: OpenSession,
  visitor: CountsSessions,
): Promise<Created<SessionState>> {
  const found = await publicOffer(deps.store, offerId);
  const opened = await openSession(deps, found, kind, input, visitor);
  return { ...opened, resource: await sessionState(deps, opened.resource, found.merchant) };
}

/** Checks the chain, and creates the payment of a session once the allowance suffices. */
export async function continueSession(deps: CheckoutDeps, sessionKey: string): Promise<SessionState> {
  const { session, merchant } = await requireSession(deps, sessionKey);
  return sessionState(deps, session, merchant);
}

/** As `nameRefundWallet`; then as `continueSession`. */
export async function refundSessionTo(
  deps: CheckoutDeps,
  sessionKey: string,
  refundWallet: string,
): Promise<SessionState> {
  const { session, merchant } = await requireSession(deps, sessionKey);
  await nameRefundWallet(deps, session, refundWallet);
  return sessionState(deps, session, merchant);
}

/** The transaction, base64 and unsigned, by which a Solana wallet approves or revokes. Throws 400 and 409. */
export async function draftSessionApproval(
  deps: CheckoutDeps,
  sessionKey: string,
  wanted: ApprovalToDraft,
): Promise<string> {
  const { session } = await requireSession(deps, sessionKey);
  const { tokenKey } = session.terms;
  return draftApproval(deps, session, { tokenKey, consent: operatorConsent(session.consent) }, wanted);
}

/** As `draftSessionApproval`. */
export async function draftLinkApproval(deps: CheckoutDeps, token: string, wanted: ApprovalToDraft): Promise<string> {
  const { subscription, ...approved } = await linkedToken(deps, token);
  return draftApproval(deps, subscription, approved, wanted);
}
