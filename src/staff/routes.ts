import type { Endpoint, StaffCaller, StaffVisitor } from '../http/endpoint.ts';
import type { Method } from '../http/router.ts';
import type { StaffRole } from '../store/collections.ts';
import { endSession, getSession, openSession } from './access/session-endpoints.ts';
import { listDeposits, listHeldDeposits, sendDeposit } from './deposits.ts';
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
import { getTrouble, searchAnything } from './inspect/front-endpoints.ts';
import { whatIfSubscription } from './inspect/what-if-endpoint.ts';
import { issueKey, revokeKey } from './keys.ts';
import {
  createMerchant,
  getMerchant,
  listJournal,
  listMerchants,
  reinstateMerchant,
  suspendMerchant,
  updateMerchant,
} from './merchants.ts';
import { removeWallet, setWallet } from './wallets.ts';

/** One row of the staff API. `path` is relative to `/staff/api`. */
export interface StaffRoute {
  /** The merchant API has no PUT. */
  readonly method: Method | 'PUT';
  readonly path: `/${string}`;
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

/** The role that a row needs: `read` for a GET, `act` for every change. */
export function roleOf({ method }: StaffRoute): StaffRole {
  return method === 'GET' ? 'read' : 'act';
}

/** The table of the staff API (docs/rules.md, "Staff"). */
export const STAFF_ROUTES: readonly StaffRoute[] = [
  { method: 'POST', path: '/merchants', endpoint: createMerchant },
  { method: 'GET', path: '/merchants', endpoint: listMerchants },
  { method: 'GET', path: '/merchants/{merchantId}', endpoint: getMerchant },
  { method: 'PATCH', path: '/merchants/{merchantId}', endpoint: updateMerchant },
  { method: 'POST', path: '/merchants/{merchantId}/suspend', endpoint: suspendMerchant },
  { method: 'POST', path: '/merchants/{merchantId}/reinstate', endpoint: reinstateMerchant },
  { method: 'POST', path: '/merchants/{merchantId}/keys', endpoint: issueKey },
  { method: 'DELETE', path: '/merchants/{merchantId}/keys/{keyId}', endpoint: revokeKey },
  { method: 'PUT', path: '/merchants/{merchantId}/wallets', endpoint: setWallet },
  { method: 'DELETE', path: '/merchants/{merchantId}/wallets/{walletId}', endpoint: removeWallet },
  { method: 'GET', path: '/merchants/{merchantId}/journal', endpoint: listJournal },
  { method: 'GET', path: '/search', endpoint: searchAnything },
  { method: 'GET', path: '/trouble', endpoint: getTrouble },
  { method: 'GET', path: '/machines/{kind}', endpoint: getMachine },
  { method: 'GET', path: '/subscriptions/{subscriptionId}', endpoint: getStaffSubscription },
  { method: 'GET', path: '/subscriptions/{subscriptionId}/steps', endpoint: stepSubscription },
  { method: 'GET', path: '/subscriptions/{subscriptionId}/what-if', endpoint: whatIfSubscription },
  { method: 'POST', path: '/subscriptions/{subscriptionId}/retry', endpoint: retryAsStaff },
  { method: 'POST', path: '/subscriptions/{subscriptionId}/resume', endpoint: resumeAsStaff },
  { method: 'POST', path: '/subscriptions/{subscriptionId}/cancel', endpoint: cancelSubscriptionAsStaff },
  { method: 'GET', path: '/payments/{paymentId}', endpoint: getStaffPayment },
  { method: 'GET', path: '/payments/{paymentId}/steps', endpoint: stepPayment },
  { method: 'POST', path: '/payments/{paymentId}/cancel', endpoint: cancelPaymentAsStaff },
  { method: 'GET', path: '/deliveries/{deliveryId}', endpoint: getStaffDelivery },
  { method: 'POST', path: '/deliveries/{deliveryId}/redeliver', endpoint: redeliverAsStaff },
  { method: 'GET', path: '/deposits', endpoint: listHeldDeposits },
  { method: 'POST', path: '/deposits/{depositId}/send', endpoint: sendDeposit },
  { method: 'GET', path: '/payments/{paymentId}/deposits', endpoint: listDeposits },
];
