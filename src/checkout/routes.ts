import type { Endpoint } from '../http/endpoint.ts';
import { authorize, challengeAuthorization, getAuthorization, requestAuthorization } from './authorizations.ts';
import { draftLinkApproval, draftSessionApproval } from './draft-approval.ts';
import type { Visitor } from './endpoint.ts';
import { challengeOffer, getCoupon, getOffer, requestOffer } from './offers.ts';
import {
  findSession,
  getReceiptProof,
  getSession,
  nameRefundWallet,
  openPayment,
  openSubscription,
} from './sessions.ts';

/** One row of the checkout API. `path` is relative to `/checkout/api`. */
export interface CheckoutRoute {
  readonly method: 'GET' | 'POST';
  readonly path: `/${string}`;
  readonly endpoint: Endpoint<Visitor>;
  /** The path contains a secret that gives access. */
  readonly hasSecret: boolean;
}

/** The table of the checkout API (docs/rules.md, "Checkout API"). */
export const CHECKOUT_ROUTES: readonly CheckoutRoute[] = [
  { method: 'GET', path: '/offers/{offerId}', endpoint: getOffer, hasSecret: false },
  { method: 'GET', path: '/offers/{offerId}/coupons/{code}', endpoint: getCoupon, hasSecret: false },
  { method: 'POST', path: '/offers/{offerId}/challenges', endpoint: challengeOffer, hasSecret: false },
  { method: 'GET', path: '/offers/{offerId}/wallets/{address}', endpoint: requestOffer, hasSecret: false },
  { method: 'POST', path: '/offers/{offerId}/subscriptions', endpoint: openSubscription, hasSecret: false },
  { method: 'POST', path: '/offers/{offerId}/payments', endpoint: openPayment, hasSecret: false },
  { method: 'GET', path: '/sessions/{sessionKey}', endpoint: getSession, hasSecret: true },
  { method: 'GET', path: '/sessions/{sessionKey}/found', endpoint: findSession, hasSecret: true },
  { method: 'GET', path: '/sessions/{sessionKey}/proof', endpoint: getReceiptProof, hasSecret: true },
  { method: 'POST', path: '/sessions/{sessionKey}/approvals', endpoint: draftSessionApproval, hasSecret: true },
  { method: 'POST', path: '/sessions/{sessionKey}/refund-wallet', endpoint: nameRefundWallet, hasSecret: true },
  { method: 'GET', path: '/authorizations/{token}', endpoint: getAuthorization, hasSecret: true },
  { method: 'POST', path: '/authorizations/{token}/challenges', endpoint: challengeAuthorization, hasSecret: true },
  {
    method: 'GET',
    path: '/authorizations/{token}/wallets/{address}',
    endpoint: requestAuthorization,
    hasSecret: true,
  },
  { method: 'POST', path: '/authorizations/{token}/approvals', endpoint: draftLinkApproval, hasSecret: true },
  { method: 'POST', path: '/authorizations/{token}', endpoint: authorize, hasSecret: true },
];
