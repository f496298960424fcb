import type { Request, RequestHandler } from 'express';
import { notFound } from '../errors/fault.ts';
import { HEALTH_ANSWER_MS, type HttpDeps } from '../http/deps.ts';
import { unauthorized } from '../http/middleware/authenticate.ts';
import { sendJson } from '../http/send.ts';
import { secretHash } from '../model/secrets.ts';
import type { WindowCounters } from '../store/windows.ts';
import { within } from '../store/within.ts';
import { bearerIn, isSameHash, visitorOf } from './access/admit.ts';

/** True for `METRICS_TOKEN` and for staff. Throws 429 for an address that has failed too often. */
async function isMonitor(deps: HttpDeps, counters: WindowCounters, request: Request): Promise<boolean> {
  if (hasConfiguredToken(deps, request)) return true;
  return (await visitorOf(deps, counters, request, deps.clock())) !== null;
}

/** True for `METRICS_TOKEN` and for the shared staff token: they are known without the database. */
function hasConfiguredToken(
  { metricsTokenHash, staff }: Pick<HttpDeps, 'metricsTokenHash' | 'staff'>,
  { headers }: Pick<Request, 'headers'>,
): boolean {
  const token = bearerIn(headers.authorization);
  if (token === null) return false;
  const hash = secretHash(token);
  return [metricsTokenHash, staff?.tokenHash ?? null].some((known) => known !== null && isSameHash(hash, known));
}

/**
 * `GET /health`: the status for everybody; the details, which name addresses and balances, for `METRICS_TOKEN` and for
 * staff. 503 if the process cannot serve. Then it may have no database, so it knows only the tokens of its
 * configuration. Answers within a second: a token that the database has not confirmed by then shows no details.
 */
export function healthPage(deps: HttpDeps, counters: WindowCounters): RequestHandler {
  return async (request, response) => {
    const monitor = within(HEALTH_ANSWER_MS, isMonitor(deps, counters, request), false);
    monitor.catch(() => undefined);
    const report = await deps.health();
    const isDown = report.status === 'down';
    const isWhole = isDown ? hasConfiguredToken(deps, request) : await monitor;
    sendJson(response, isDown ? 503 : 200, isWhole ? report : { status: report.status });
  };
}

/**
 * `GET /metrics`: the metrics of this process, for `METRICS_TOKEN` and for staff (docs/rules.md, "Names, roots,
 * shapes"). Throws 401, or 404 if this process has neither a metrics token nor a shared staff token; 429 after too many
 * failures.
 */
export function metricsPage(deps: HttpDeps, counters: WindowCounters): RequestHandler {
  return async (request, response) => {
    if (!(await isMonitor(deps, counters, request))) {
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
