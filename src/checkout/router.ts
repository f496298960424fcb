import type { Router } from 'express';
import { callEndpoint } from '../http/call.ts';
import type { HttpDeps } from '../http/deps.ts';
import { CHECKOUT_CALLS_PER_MINUTE } from '../http/limits.ts';
import { clientAddress } from '../http/middleware/client-address.ts';
import { limitAddress } from '../http/middleware/rate-limit.ts';
import type { WindowCounters } from '../http/middleware/windows.ts';
import { routerOf } from '../http/router.ts';
import { CHECKOUT_ROUTES } from './routes.ts';

/** The checkout API: without authentication, limited by address (reference, section 5.8). */
export function checkoutRouter(deps: HttpDeps, counters: WindowCounters): Router {
  return routerOf(CHECKOUT_ROUTES, async ({ method, endpoint }, request, response) => {
    const now = deps.clock();
    const what = method === 'GET' ? 'read' : 'write';
    await limitAddress(counters, response, {
      purpose: `checkout-${what}`,
      address: clientAddress(request.ip),
      perMinute: CHECKOUT_CALLS_PER_MINUTE[what],
      now,
    });
    return callEndpoint(endpoint, { request, response, caller: null, now }, deps);
  });
}
