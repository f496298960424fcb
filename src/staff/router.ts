import type { Router } from 'express';
import { invalid } from '../fault.ts';
import type { HttpDeps } from '../http/deps.ts';
import { requestIdOf } from '../http/middleware/request-id.ts';
import type { WindowCounters } from '../http/middleware/windows.ts';
import { nameIgnored, rawRequest, routerOf } from '../http/router.ts';
import { requireStaff } from './require-staff.ts';
import { STAFF_ROUTES } from './routes.ts';

/** The staff API: a bearer token, no metering but that of failed attempts. Without a token configured there is none. */
export function staffRouter(deps: HttpDeps, counters: WindowCounters): Router {
  return routerOf(STAFF_ROUTES, async ({ endpoint }, request, response) => {
    const now = deps.clock();
    await requireStaff(deps, counters, request, response, now);
    const by = staffName(request.headers['x-staff-name']);
    const prepared = endpoint.prepare(await rawRequest(request));
    nameIgnored(response, prepared.ignored);
    return prepared.run({ caller: { by }, now, requestId: requestIdOf(response) }, deps);
  });
}

/**
 * Who of the staff it is, as the journal keeps it. The token lets in and is one for all; a header may say whose hand it was.
 */
function staffName(header: string | string[] | undefined): string {
  if (header === undefined || header === '') return 'staff';
  if (typeof header === 'string' && /^[\w.@+-][\w .@+-]{0,63}$/.test(header)) return `staff:${header}`;
  throw invalid('X-Staff-Name must be 1 to 64 letters, digits, spaces or . _ @ + -');
}
