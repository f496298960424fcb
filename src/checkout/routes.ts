import type { Router } from 'express';
import { type BudgetHolder, spend, spendOfDay } from '../billing/resources/budgets.ts';
import { callEndpoint } from '../http/call.ts';
import type { HttpDeps } from '../http/deps.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { clientOf } from '../http/middleware/client-address.ts';
import { limitVisitor, PAYMENT_SESSIONS_PER_DAY } from '../http/middleware/rate-limit.ts';
import { routerOf } from '../http/router.ts';
import type { Mode } from '../store/documents.ts';
import type { WindowCounters } from '../store/windows.ts';
import {
  authorize,
  challengeAuthorization,
  draftLinkApproval,
  draftSessionApproval,
  getAuthorization,
  requestAuthorization,
} from './authorizations.ts';
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

/** The checkout API: without authentication, limited by address (reference, section 5.8). */
export function checkoutRouter(deps: HttpDeps, counters: WindowCounters): Router {
  return routerOf(CHECKOUT_ROUTES, async ({ endpoint }, request, response) => {
    const now = deps.clock();
    await limitVisitor(counters, request, 'checkout', now);
    const { address, network, isReadable, limitFactor } = clientOf(request);
    const countPaymentSession = async (wallet: string | null) => {
      if (wallet === null && !isReadable) return;
      await spendOfDay(deps, { ...paymentSessionsOf(wallet, address), perDay: PAYMENT_SESSIONS_PER_DAY });
    };
    const countSignUp = (merchant: BudgetHolder, mode: Mode) =>
      spend(deps, merchant, { mode, budget: 'signUpsPerDay', of: network, times: limitFactor });
    return callEndpoint(endpoint, { request, response, caller: { countPaymentSession, countSignUp }, now }, deps);
  });
}

/** Of a wallet by its address alone, wherever it signs. */
function paymentSessionsOf(wallet: string | null, address: string) {
  return wallet === null
    ? {
        subject: `ip/checkout-transfer/${address}`,
        too: 'too many payments by transfer from this network today. Pay from a wallet, or try again tomorrow',
      }
    : {
        subject: `wallet/checkout-payment/${wallet}`,
        too: 'too many one-time payments of this wallet today. Try again tomorrow',
      };
}
