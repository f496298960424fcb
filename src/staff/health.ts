import type { RequestHandler } from 'express';
import type { HttpDeps } from '../http/deps.ts';
import type { WindowCounters } from '../http/middleware/windows.ts';
import { sendJson } from '../http/send.ts';
import { hasConfiguredToken, isMonitor } from './monitor.ts';

/**
 * `GET /health`: the status for everybody; the details, which name addresses and balances, for `METRICS_TOKEN` and for
 * staff. 503 if the process cannot serve. Then it may have no database, so it knows only the tokens of its
 * configuration.
 */
export function healthPage(deps: HttpDeps, counters: WindowCounters): RequestHandler {
  return async (request, response) => {
    const report = await deps.health();
    const isDown = report.status === 'down';
    const isWhole = isDown ? hasConfiguredToken(deps, request) : await isMonitor(deps, counters, request, response);
    sendJson(response, isDown ? 503 : 200, isWhole ? report : { status: report.status });
  };
}
