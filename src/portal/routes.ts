import type { Endpoint } from '../http/endpoint.ts';
import type { PortalCaller, PortalVisitor } from './endpoint.ts';
import { getOwnProof, listOwnPayments } from './payments.ts';
import { challengePortal, endPortalSession, getPortalSession, openPortalLink, signInToPortal } from './session.ts';
import {
  authorizeOwnSubscription,
  cancelOwnChange,
  cancelOwnSubscription,
  changeOwnPlan,
  changeOwnQuantity,
  draftRevocation,
  getOwnSubscription,
  listOwnSubscriptions,
  pauseOwnSubscription,
  resumeOwnSubscription,
} from './subscriptions.ts';

/** One row of the portal. `path` is relative to `/portal/api`. */
export interface PortalRoute {
  readonly method: 'GET' | 'POST';
  readonly path: `/${string}`;
  readonly endpoint: Endpoint<PortalCaller>;
}

/** A row without a session: to open one, to end it, or to ask whether one is open. */
export interface PortalSessionRoute {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: `/${string}`;
  readonly isForAll: true;
  readonly endpoint: Endpoint<PortalVisitor>;
}

export const PORTAL_SESSION_ROUTES: readonly PortalSessionRoute[] = [
  { method: 'GET', path: '/session', isForAll: true, endpoint: getPortalSession },
  { method: 'POST', path: '/session', isForAll: true, endpoint: signInToPortal },
  { method: 'DELETE', path: '/session', isForAll: true, endpoint: endPortalSession },
  { method: 'POST', path: '/session/link', isForAll: true, endpoint: openPortalLink },
  { method: 'POST', path: '/challenges', isForAll: true, endpoint: challengePortal },
];

/** The table of the portal (docs/rules.md, "Portal"). */
export const PORTAL_ROUTES: readonly PortalRoute[] = [
  { method: 'GET', path: '/subscriptions', endpoint: listOwnSubscriptions },
  { method: 'GET', path: '/subscriptions/{subscriptionId}', endpoint: getOwnSubscription },
  { method: 'POST', path: '/subscriptions/{subscriptionId}/cancel', endpoint: cancelOwnSubscription },
  { method: 'POST', path: '/subscriptions/{subscriptionId}/pause', endpoint: pauseOwnSubscription },
  { method: 'POST', path: '/subscriptions/{subscriptionId}/resume', endpoint: resumeOwnSubscription },
  { method: 'POST', path: '/subscriptions/{subscriptionId}/quantity', endpoint: changeOwnQuantity },
  { method: 'POST', path: '/subscriptions/{subscriptionId}/change', endpoint: changeOwnPlan },
  { method: 'POST', path: '/subscriptions/{subscriptionId}/change/cancel', endpoint: cancelOwnChange },
  { method: 'POST', path: '/subscriptions/{subscriptionId}/authorization', endpoint: authorizeOwnSubscription },
  { method: 'POST', path: '/subscriptions/{subscriptionId}/revocation', endpoint: draftRevocation },
  { method: 'GET', path: '/payments', endpoint: listOwnPayments },
  { method: 'GET', path: '/payments/{paymentId}/proof', endpoint: getOwnProof },
];
