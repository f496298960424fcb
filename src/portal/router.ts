import type { Request, Response, Router } from 'express';
import { callEndpoint } from '../http/call.ts';
import type { HttpDeps } from '../http/deps.ts';
import type { PortalVisitor } from '../http/endpoint.ts';
import { PORTAL_CALLS_PER_MINUTE } from '../http/limits.ts';
import { unauthorized } from '../http/middleware/authenticate.ts';
import { clientAddress } from '../http/middleware/client-address.ts';
import { limitAddress } from '../http/middleware/rate-limit.ts';
import { requireSameSite } from '../http/middleware/same-site.ts';
import type { WindowCounters } from '../http/middleware/windows.ts';
import { methodOf, routerOf } from '../http/router.ts';
import { secretIn } from '../http/session-cookie.ts';
import { PORTAL_COOKIE, PORTAL_HEADER } from './cookie.ts';
import { PORTAL_ROUTES, PORTAL_SESSION_ROUTES } from './routes.ts';

/** The API of the portal: a session's cookie, limited by address. */
export function portalRouter(deps: HttpDeps, counters: WindowCounters): Router {
  return routerOf([...PORTAL_SESSION_ROUTES, ...PORTAL_ROUTES], async (row, request, response) => {
    const now = deps.clock();
    await limitVisitor(counters, request, response, now);
    requireSameSite(request, PORTAL_HEADER);
    const visitor = await visitorOf(deps, request);
    if ('isForAll' in row) return callEndpoint(row.endpoint, { request, response, caller: visitor, now }, deps);
    if (visitor.session === null) throw unauthorized();
    const { subject } = visitor.session;
    return callEndpoint(row.endpoint, { request, response, caller: { subject }, now }, deps);
  });
}

async function limitVisitor(counters: WindowCounters, request: Request, response: Response, now: Date): Promise<void> {
  const what = methodOf(request) === 'GET' ? 'read' : 'write';
  await limitAddress(counters, response, {
    purpose: `portal-${what}`,
    address: clientAddress(request.ip),
    perMinute: PORTAL_CALLS_PER_MINUTE[what],
    now,
  });
}

async function visitorOf({ services }: HttpDeps, { headers }: Request): Promise<PortalVisitor> {
  const secret = secretIn(PORTAL_COOKIE, headers.cookie);
  return { secret, session: secret === null ? null : await services.portal.session(secret) };
}
