import type { Request, RequestHandler, Response } from 'express';
import { secretHash } from '../billing/api-keys.ts';
import { notFound } from '../errors/fault.ts';
import type { HttpDeps } from '../http/deps.ts';
import { unauthorized } from '../http/middleware/authenticate.ts';
import type { WindowCounters } from '../http/middleware/windows.ts';
import { bearerIn, visitorOf } from './access/admit.ts';
import { isSameHash } from './access/tokens.ts';

/** `GET /metrics`: the metrics of this process, for `METRICS_TOKEN` and for staff (docs/rules.md, "Names, roots, shapes"). */
export function metricsPage(deps: HttpDeps, counters: WindowCounters): RequestHandler {
  return async (request, response) => {
    await admitReader(deps, counters, request, response);
    const { contentType, text } = await deps.metrics();
    response.statusCode = 200;
    response.setHeader('Content-Type', contentType);
    response.setHeader('Content-Length', Buffer.byteLength(text));
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.end(text);
  };
}

/** Throws 401, or 404 if this process has neither a metrics token nor a shared staff token; 429 after too many failures. */
async function admitReader(
  deps: HttpDeps,
  counters: WindowCounters,
  request: Request,
  response: Response,
): Promise<void> {
  const { metricsTokenHash, staff } = deps;
  const token = bearerIn(request.headers.authorization);
  if (token !== null && metricsTokenHash !== null && isSameHash(secretHash(token), metricsTokenHash)) return;
  const now = deps.clock();
  if ((await visitorOf(deps, counters, request, response, now)) !== null) return;
  if (staff === null && metricsTokenHash === null) throw notFound();
  throw unauthorized();
}
