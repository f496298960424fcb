import type { Request, Response, Router } from 'express';
import { Fault } from '../errors/fault.ts';
import { callEndpoint } from '../http/call.ts';
import type { HttpDeps } from '../http/deps.ts';
import type { Answer } from '../http/endpoint.ts';
import { limitFailures } from '../http/middleware/rate-limit.ts';
import { requireSameSite } from '../http/middleware/same-site.ts';
import { methodOf, routerOf } from '../http/router.ts';
import { secretIn } from '../http/session-cookie.ts';
import type { WindowCounters } from '../store/windows.ts';
import { admitStaff, STAFF_HEADER, visitorOf } from './access/admit.ts';
import { STAFF_COOKIE } from './access/sessions.ts';
import { STAFF_ROUTES, STAFF_SESSION_ROUTES, type StaffSessionRoute } from './routes.ts';

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
