import type { Request, Response, Router } from 'express';
import { Fault } from '../errors/fault.ts';
import type { HttpDeps } from '../http/deps.ts';
import type { Answer, Prepared } from '../http/endpoint.ts';
import { requestIdOf } from '../http/middleware/request-id.ts';
import type { WindowCounters } from '../http/middleware/windows.ts';
import { methodOf, nameIgnored, rawRequest, routerOf } from '../http/router.ts';
import { admitStaff, limitFailures, requireSameSite, visitorOf } from './access/admit.ts';
import { sessionIn } from './access/sessions.ts';
import { roleOf, STAFF_ROUTES, STAFF_SESSION_ROUTES, type StaffSessionRoute } from './routes.ts';

/** The staff API: a token or a session, a role, no metering but that of failed attempts. */
export function staffRouter(deps: HttpDeps, counters: WindowCounters): Router {
  return routerOf([...STAFF_ROUTES, ...STAFF_SESSION_ROUTES], async (row, request, response) => {
    const now = deps.clock();
    if ('isForAll' in row) return serveSession(deps, counters, row, request, response, now);
    const caller = await admitStaff(deps, counters, request, response, { now, needs: roleOf(row) });
    return run(row.endpoint.prepare(await rawRequest(request)), caller, response, now, deps);
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
  requireSameSite(request);
  const prepared = endpoint.prepare(await rawRequest(request));
  try {
    const who = methodOf(request) === 'GET' ? await visitorOf(deps, counters, request, response, now) : null;
    return await run(prepared, { session: sessionIn(request.headers.cookie), who }, response, now, deps);
  } catch (error) {
    if (error instanceof Fault && error.code === 'unauthenticated')
      await limitFailures(counters, request, response, now);
    throw error;
  }
}

function run<C>(prepared: Prepared<C>, caller: C, response: Response, now: Date, deps: HttpDeps): Promise<Answer> {
  nameIgnored(response, prepared.ignored);
  return prepared.run({ caller, now, requestId: requestIdOf(response) }, deps);
}
