import type { RequestHandler } from 'express';
import { notFound } from '../errors/fault.ts';
import type { HttpDeps } from '../http/deps.ts';
import { unauthorized } from '../http/middleware/authenticate.ts';
import type { WindowCounters } from '../http/middleware/windows.ts';
import { isMonitor } from './monitor.ts';

/**
 * `GET /metrics`: the metrics of this process, for `METRICS_TOKEN` and for staff (docs/rules.md, "Names, roots,
 * shapes"). Throws 401, or 404 if this process has neither a metrics token nor a shared staff token; 429 after too many
 * failures.
 */
export function metricsPage(deps: HttpDeps, counters: WindowCounters): RequestHandler {
  return async (request, response) => {
    if (!(await isMonitor(deps, counters, request, response))) {
      throw deps.staff === null && deps.metricsTokenHash === null ? notFound() : unauthorized();
    }
    const { contentType, text } = await deps.metrics();
    response.statusCode = 200;
    response.setHeader('Content-Type', contentType);
    response.setHeader('Content-Length', Buffer.byteLength(text));
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.end(text);
  };
}
