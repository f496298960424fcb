import type { Router } from 'express';
import { notFound } from '../fault.ts';
import type { HttpDeps } from '../http/deps.ts';
import { FAILED_AUTHENTICATIONS_PER_MINUTE } from '../http/limits.ts';
import { unauthorized } from '../http/middleware/authenticate.ts';
import { limitAddress } from '../http/middleware/rate-limit.ts';
import { requestIdOf } from '../http/middleware/request-id.ts';
import type { WindowCounters } from '../http/middleware/windows.ts';
import { nameIgnored, rawRequest, routerOf } from '../http/router.ts';
import { isStaff } from './authenticate.ts';
import { STAFF_ROUTES } from './routes.ts';

/** The staff API: a bearer token, no metering but that of failed attempts. Without a token configured there is none. */
export function staffRouter(deps: HttpDeps, counters: WindowCounters): Router {
  return routerOf(STAFF_ROUTES, async ({ endpoint }, request, response) => {
    if (deps.staff === null) throw notFound();
    const now = deps.clock();
    if (!isStaff(request.headers.authorization, deps.staff.tokenHash)) {
      const address = request.ip ?? 'unknown';
      const perMinute = FAILED_AUTHENTICATIONS_PER_MINUTE;
      await limitAddress(counters, response, { purpose: 'staff', address, perMinute, now });
      throw unauthorized();
    }
    const prepared = endpoint.prepare(await rawRequest(request));
    nameIgnored(response, prepared.ignored);
    return prepared.run({ caller: { by: 'staff' }, now, requestId: requestIdOf(response) }, deps);
  });
}
