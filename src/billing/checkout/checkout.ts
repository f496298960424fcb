import { operatorConsent } from '../../model/consent.ts';
import { type ClosedFor, closedFor, unitsLeft } from '../../model/offer.ts';
import type { MerchantDoc, OfferDoc } from '../../store/collections.ts';
import type { Created } from '../resources/idempotency.ts';
import { type ApprovalToDraft, draftApproval } from './approvals.ts';
import {
  type AuthorizationStanding,
  authorizeLink,
  challengeLink,
  linkedToken,
  linkStanding,
  requestOfLink,
} from './authorize.ts';
import { challengeOffer, requestOfOffer } from './challenge-offer.ts';
import type { Challenged, Requested, Signed } from './challenges.ts';
import type { CheckoutDeps } from './deps.ts';
import { type Chosen, publicOffer } from './offer.ts';
import { nameRefundWallet } from './refund-wallet.ts';
import { type CountsSessions, type OpenSession, openSession, requireSession, type SessionKind } from './sessions.ts';
import { type SessionStanding, sessionStanding } from './standing.ts';

/** An offer as shown by its checkout. */
export interface OfferOnSale {
  readonly offer: OfferDoc;
  readonly merchant: MerchantDoc;
  /** null: it is open. */
  readonly closedFor: ClosedFor | null;
  /** null: there is no limit. */
  readonly unitsLeft: number | null;
}

/**
 * The hosted checkout (docs/rules.md, "Checkout API"), for anybody with an offer's id, a session's key or a link's
 * token. Every method throws 404 if that does not exist, or if the merchant is suspended.
 */
export interface Checkout {
  offer(offerId: string): Promise<OfferOnSale>;
  /** Creates a text to sign for these terms. Throws 400. */
  challenge(offerId: string, input: Chosen & { readonly address: string }, publicUrl: string): Promise<Challenged>;
  /** The sum that a wallet would be asked to approve, and its state on the chain now. Throws 400. */
  request(offerId: string, input: Chosen & { readonly address: string }): Promise<Requested>;
  /** Throws 400, 409 if the session key is used for something else, and what `visitor` throws. */
  open(
    offerId: string,
    kind: SessionKind,
    input: OpenSession,
    visitor: CountsSessions,
  ): Promise<Created<SessionStanding>>;
  /** Checks the chain, and creates the payment of a session once the allowance suffices. */
  session(sessionKey: string): Promise<SessionStanding>;
  /** As `nameRefundWallet`; then as `session`. */
  refundTo(sessionKey: string, refundWallet: string): Promise<SessionStanding>;
  authorization(token: string): Promise<AuthorizationStanding>;
  /** Throws 400, and 409 if there is nothing left to authorize. */
  challengeAuthorization(token: string, address: string, publicUrl: string): Promise<Challenged>;
  /** As `request`, for a link. Throws 400, and 409 if there is nothing left to authorize. */
  requestOfLink(token: string, address: string): Promise<Requested>;
  authorize(token: string, signed: Signed): Promise<AuthorizationStanding>;
  /** The transaction, base64 and unsigned, by which a Solana wallet approves or revokes. Throws 400 and 409. */
  sessionApproval(sessionKey: string, wanted: ApprovalToDraft): Promise<string>;
  linkApproval(token: string, wanted: ApprovalToDraft): Promise<string>;
}

export function createCheckout(deps: CheckoutDeps): Checkout {
  return {
    offer: (offerId) => offerOnSale(deps, offerId),
    challenge: (offerId, input, publicUrl) => challengeOffer(deps, offerId, input, publicUrl),
    request: (offerId, input) => requestOfOffer(deps, offerId, input),
    open: async (offerId, kind, input, visitor) => {
      const { offer, merchant } = await publicOffer(deps.store, offerId);
      const opened = await openSession(deps, offer, kind, input, visitor);
      return { ...opened, resource: await sessionStanding(deps, opened.resource, merchant) };
    },
    session: async (sessionKey) => {
      const { session, merchant } = await requireSession(deps, sessionKey);
      return sessionStanding(deps, session, merchant);
    },
    refundTo: async (sessionKey, refundWallet) => {
      const { session, merchant } = await requireSession(deps, sessionKey);
      await nameRefundWallet(deps, session, refundWallet);
      return sessionStanding(deps, session, merchant);
    },
    authorization: (token) => linkStanding(deps, token),
    challengeAuthorization: (token, address, publicUrl) => challengeLink(deps, token, { address, publicUrl }),
    requestOfLink: (token, address) => requestOfLink(deps, token, address),
    authorize: async (token, signed) => {
      await authorizeLink(deps, token, signed);
      return linkStanding(deps, token);
    },
    sessionApproval: async (sessionKey, wanted) => {
      const { session } = await requireSession(deps, sessionKey);
      const { tokenKey } = session.terms;
      return draftApproval(deps, session, { tokenKey, consent: operatorConsent(session.consent) }, wanted);
    },
    linkApproval: async (token, wanted) => {
      const { subscription, ...approved } = await linkedToken(deps, token);
      return draftApproval(deps, subscription, approved, wanted);
    },
  };
}

async function offerOnSale({ store, clock }: CheckoutDeps, offerId: string): Promise<OfferOnSale> {
  const { offer, merchant } = await publicOffer(store, offerId);
  return { offer, merchant, closedFor: closedFor(offer, clock()), unitsLeft: unitsLeft(offer) };
}
