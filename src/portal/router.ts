import type { Request, Router } from 'express';
import { findPortalSession } from '../billing/portal/sessions.ts';
import { callEndpoint } from '../http/call.ts';
import type { HttpDeps } from '../http/deps.ts';
import { unauthorized } from '../http/middleware/authenticate.ts';
import { limitVisitor } from '../http/middleware/rate-limit.ts';
import { requireSameSite } from '../http/middleware/same-site.ts';
import { routerOf } from '../http/router.ts';
import { secretIn } from '../http/session-cookie.ts';
import type { WindowCounters } from '../store/windows.ts';
import { PORTAL_COOKIE, PORTAL_HEADER, type PortalVisitor } from './endpoint.ts';
import { PORTAL_ROUTES, PORTAL_SESSION_ROUTES } from './routes.ts';

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
