import type { Request, Response, Router } from 'express';
import { Fault } from '../errors/fault.ts';
import { callEndpoint } from '../http/call.ts';
import type { HttpDeps } from '../http/deps.ts';
import type { Answer, Endpoint } from '../http/endpoint.ts';
import { limitFailures } from '../http/middleware/rate-limit.ts';
import { requireSameSite } from '../http/middleware/same-site.ts';
import { type Method, methodOf, routerOf } from '../http/router.ts';
import { secretIn } from '../http/session-cookie.ts';
import type { StaffRole } from '../store/collections.ts';
import type { WindowCounters } from '../store/windows.ts';
import { admitStaff, STAFF_COOKIE, STAFF_HEADER, visitorOf } from './access/admit.ts';
import { endSession, getSession, openSession } from './access/session-endpoints.ts';
import { listDeposits, listHeldDeposits, sendDeposit } from './deposits.ts';
import type { StaffCaller, StaffVisitor } from './endpoint.ts';
import {
  cancelPaymentAsStaff,
  cancelSubscriptionAsStaff,
  redeliverAsStaff,
  resumeAsStaff,
  retryAsStaff,
} from './inspect/action-endpoints.ts';
import {
  getMachine,
  getStaffDelivery,
  getStaffPayment,
  getStaffSubscription,
  stepPayment,
  stepSubscription,
} from './inspect/endpoints.ts';
import { getTrouble, listTrouble, searchAnything } from './inspect/front-endpoints.ts';
import { whatIfSubscription } from './inspect/what-if.ts';
import { listLetters, releaseAddress, reportBounce, resendLetter } from './letters.ts';
import {
  createMerchant,
  getMerchant,
  inviteMemberAsStaff,
  issueKey,
  listJournal,
  listMerchants,
  reinstateMerchant,
  removeWallet,
  revokeKey,
  setWallet,
  suspendMerchant,
  updateMerchant,
} from './merchants.ts';
import {
  getStaffCustomer,
  getStaffOffer,
  listStaffCustomers,
  listStaffOffers,
  listStaffSubscriptions,
} from './resources.ts';

/** One row of the staff API. `path` is relative to `/staff/api`. */
export interface StaffRoute {
  /** The merchant API has no PUT. */
  readonly method: Method | 'PUT';
  readonly path: `/${string}`;
  /** The least role that may call it. */
  readonly role: StaffRole;
  /** It makes a way to sign in: with a session, only in its first ten minutes. */
  readonly needsFreshSignIn?: true;
  readonly endpoint: Endpoint<StaffCaller>;
}

/** A row without authentication: to open a session, to end it, or to ask for the caller's identity. */
export interface StaffSessionRoute {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: '/session';
  readonly isForAll: true;
  readonly endpoint: Endpoint<StaffVisitor>;
}

export const STAFF_SESSION_ROUTES: readonly StaffSessionRoute[] = [
  { method: 'GET', path: '/session', isForAll: true, endpoint: getSession },
  { method: 'POST', path: '/session', isForAll: true, endpoint: openSession },
  { method: 'DELETE', path: '/session', isForAll: true, endpoint: endSession },
];

/** The table of the staff API (docs/rules.md, "Staff"). */
export const STAFF_ROUTES: readonly StaffRoute[] = [
  { method: 'POST', path: '/merchants', role: 'admin', endpoint: createMerchant },
  { method: 'GET', path: '/merchants', role: 'read', endpoint: listMerchants },
  { method: 'GET', path: '/merchants/{merchantId}', role: 'read', endpoint: getMerchant },
  { method: 'PATCH', path: '/merchants/{merchantId}', role: 'admin', endpoint: updateMerchant },
  { method: 'POST', path: '/merchants/{merchantId}/suspend', role: 'admin', endpoint: suspendMerchant },
  { method: 'POST', path: '/merchants/{merchantId}/reinstate', role: 'admin', endpoint: reinstateMerchant },
  {
    method: 'POST',
    path: '/merchants/{merchantId}/keys',
    role: 'admin',
    needsFreshSignIn: true,
    endpoint: issueKey,
  },
  { method: 'DELETE', path: '/merchants/{merchantId}/keys/{keyId}', role: 'admin', endpoint: revokeKey },
  {
    method: 'POST',
    path: '/merchants/{merchantId}/members',
    role: 'admin',
    needsFreshSignIn: true,
    endpoint: inviteMemberAsStaff,
  },
  { method: 'PUT', path: '/merchants/{merchantId}/wallets', role: 'admin', endpoint: setWallet },
  { method: 'DELETE', path: '/merchants/{merchantId}/wallets/{walletId}', role: 'admin', endpoint: removeWallet },
  { method: 'GET', path: '/merchants/{merchantId}/journal', role: 'read', endpoint: listJournal },
  { method: 'GET', path: '/merchants/{merchantId}/customers', role: 'read', endpoint: listStaffCustomers },
  { method: 'GET', path: '/merchants/{merchantId}/offers', role: 'read', endpoint: listStaffOffers },
  { method: 'GET', path: '/merchants/{merchantId}/subscriptions', role: 'read', endpoint: listStaffSubscriptions },
  { method: 'GET', path: '/customers/{customerId}', role: 'read', endpoint: getStaffCustomer },
  { method: 'GET', path: '/offers/{offerId}', role: 'read', endpoint: getStaffOffer },
  { method: 'GET', path: '/search', role: 'read', endpoint: searchAnything },
  { method: 'GET', path: '/trouble', role: 'read', endpoint: getTrouble },
  { method: 'GET', path: '/trouble/{name}', role: 'read', endpoint: listTrouble },
  { method: 'GET', path: '/machines/{kind}', role: 'read', endpoint: getMachine },
  { method: 'GET', path: '/subscriptions/{subscriptionId}', role: 'read', endpoint: getStaffSubscription },
  { method: 'GET', path: '/subscriptions/{subscriptionId}/steps', role: 'read', endpoint: stepSubscription },
  { method: 'GET', path: '/subscriptions/{subscriptionId}/what-if', role: 'read', endpoint: whatIfSubscription },
  { method: 'POST', path: '/subscriptions/{subscriptionId}/retry', role: 'act', endpoint: retryAsStaff },
  { method: 'POST', path: '/subscriptions/{subscriptionId}/resume', role: 'act', endpoint: resumeAsStaff },
  { method: 'POST', path: '/subscriptions/{subscriptionId}/cancel', role: 'act', endpoint: cancelSubscriptionAsStaff },
  { method: 'GET', path: '/payments/{paymentId}', role: 'read', endpoint: getStaffPayment },
  { method: 'GET', path: '/payments/{paymentId}/steps', role: 'read', endpoint: stepPayment },
  { method: 'POST', path: '/payments/{paymentId}/cancel', role: 'act', endpoint: cancelPaymentAsStaff },
  { method: 'GET', path: '/deliveries/{deliveryId}', role: 'read', endpoint: getStaffDelivery },
  { method: 'POST', path: '/deliveries/{deliveryId}/redeliver', role: 'act', endpoint: redeliverAsStaff },
  { method: 'GET', path: '/deposits', role: 'read', endpoint: listHeldDeposits },
  { method: 'POST', path: '/deposits/{depositId}/send', role: 'act', endpoint: sendDeposit },
  { method: 'GET', path: '/payments/{paymentId}/deposits', role: 'read', endpoint: listDeposits },
  { method: 'GET', path: '/letters', role: 'read', endpoint: listLetters },
  { method: 'POST', path: '/letters/bounces', role: 'act', endpoint: reportBounce },
  { method: 'POST', path: '/letters/releases', role: 'act', endpoint: releaseAddress },
  { method: 'POST', path: '/letters/resends', role: 'act', endpoint: resendLetter },
];

/** The staff API: a token or a session, and a role; only failed attempts are metered. */
export function staffRouter(deps: HttpDeps, counters: WindowCounters): Router {
  return routerOf([...STAFF_ROUTES, ...STAFF_SESSION_ROUTES], async (row, request, response) => {
    const now = deps.clock();
    if ('isForAll' in row) return serveSession(deps, counters, row, request, response, now);
    const caller = await admitStaff(deps, counters, request, {
      now,
      needs: row.role,
      isFresh: row.needsFreshSignIn === true,
    });
    return callEndpoint(row.endpoint, { request, response, caller, now }, deps);
  });
}

async function serveSession(
  deps: HttpDeps,
  counters: WindowCounters,
  { endpoint }: StaffSessionRoute,
  request: Request,
  response: Response,
  now: Date,
): Promise<Answer> {
  requireSameSite(request, STAFF_HEADER);
  try {
    const who = methodOf(request) === 'GET' ? await visitorOf(deps, counters, request, now) : null;
    const caller = { session: secretIn(STAFF_COOKIE, request.headers.cookie), who };
    return await callEndpoint(endpoint, { request, response, caller, now }, deps);
  } catch (error) {
    if (error instanceof Fault && error.code === 'unauthenticated')
      await limitFailures(counters, request, 'staff', now);
    throw error;
  }
}
