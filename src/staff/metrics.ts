import type { RequestHandler } from 'express';
import type { HttpDeps } from '../http/deps.ts';
import type { WindowCounters } from '../http/middleware/windows.ts';
import { admitStaff } from './access/admit.ts';

/** `GET /metrics`: the metrics of this process, for staff (docs/rules.md, "Names, roots, shapes"). */
export function metricsPage(deps: HttpDeps, counters: WindowCounters): RequestHandler {
  return async (request, response) => {
    await admitStaff(deps, counters, request, response, { now: deps.clock(), needs: 'read' });
    const { contentType, text } = await deps.metrics();
    response.statusCode = 200;
    response.setHeader('Content-Type', contentType);
    response.setHeader('Content-Length', Buffer.byteLength(text));
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.end(text);
  };
}
