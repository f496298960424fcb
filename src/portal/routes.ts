import type { Request, Router } from 'express';
import { findPortalSession } from '../billing/portal/sessions.ts';
import { callEndpoint } from '../http/call.ts';
import type { HttpDeps } from '../http/deps.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { unauthorized } from '../http/middleware/authenticate.ts';
import { limitVisitor } from '../http/middleware/rate-limit.ts';
import { requireSameSite } from '../http/middleware/same-site.ts';
import { routerOf } from '../http/router.ts';
import { secretIn } from '../http/session-cookie.ts';
import type { WindowCounters } from '../store/windows.ts';
import { PORTAL_COOKIE, PORTAL_HEADER, type PortalCaller, type PortalVisitor } from './endpoint.ts';
import { getOwnProof, listOwnPayments } from './payments.ts';
import { challengePortal, endPortalSession, getPortalSession, openPortalLink, signInToPortal } from './session.ts';
import {
  authorizeOwnSubscription,
  cancelOwnChange,
  cancelOwnSubscription,
  changeOwnPlan,
  changeOwnQuantity,
  correctOwnInvoices,
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
  { method: 'POST', path: '/subscriptions/{subscriptionId}/invoice-details', endpoint: correctOwnInvoices },
  { method: 'POST', path: '/subscriptions/{subscriptionId}/authorization', endpoint: authorizeOwnSubscription },
  { method: 'POST', path: '/subscriptions/{subscriptionId}/revocation', endpoint: draftRevocation },
  { method: 'GET', path: '/payments', endpoint: listOwnPayments },
  { method: 'GET', path: '/payments/{paymentId}/proof', endpoint: getOwnProof },
];

/** The API of the portal: a session's cookie, limited by address. */
export function portalRouter(deps: HttpDeps, counters: WindowCounters): Router {
  return routerOf([...PORTAL_SESSION_ROUTES, ...PORTAL_ROUTES], async (row, request, response) => {
    const now = deps.clock();
    await limitVisitor(counters, request, 'portal', now);
    requireSameSite(request, PORTAL_HEADER);
    const visitor = await visitorOf(deps, request);
    if ('isForAll' in row) return callEndpoint(row.endpoint, { request, response, caller: visitor, now }, deps);
    if (visitor.session === null) throw unauthorized();
    const { subject } = visitor.session;
    return callEndpoint(row.endpoint, { request, response, caller: { subject }, now }, deps);
  });
}

async function visitorOf(deps: HttpDeps, { headers }: Request): Promise<PortalVisitor> {
  const secret = secretIn(PORTAL_COOKIE, headers.cookie);
  return { secret, session: secret === null ? null : await findPortalSession(deps, secret) };
}
