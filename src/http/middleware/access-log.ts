import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import type { Durations } from '../../observability/durations.ts';
import type { Log } from '../../observability/log.ts';

const HEADER = 'X-Request-Id';

/** Gives every response its `X-Request-Id`, which the log uses too. A client's own header of that name is ignored. */
export const requestId: RequestHandler = (_request, response, next) => {
  response.setHeader(HEADER, newRequestId());
  next();
};

export function newRequestId(): string {
  return `req_${randomUUID()}`;
}

export function requestIdOf(response: ServerResponse): string {
  return String(response.getHeader(HEADER) ?? '');
}

/** The row of the table that matched a request, and the id in its path. */
export interface Matched {
  readonly route: string;
  readonly id: string | null;
  /** Where the table of the row is mounted, such as `/v1`. */
  readonly base: string;
}

export const ID_LENGTH_MAX = 64;
const matched = new WeakMap<Response, Matched>();
const merchants = new WeakMap<Response, string>();

/** What orchestration and monitoring ask every few seconds; they are logged at the level `debug`. */
const PROBES: ReadonlySet<unknown> = new Set(['/livez', '/readyz', '/health', '/metrics']);

/** Stores the matched row for the log. */
export function noteMatch(response: Response, { route, id, base }: Matched): void {
  matched.set(response, { route, base, id: id?.slice(0, ID_LENGTH_MAX) ?? null });
}

export function noteMerchant(response: Response, merchantId: string): void {
  merchants.set(response, merchantId);
}

/** One line and one duration per request at its end. No path, query or header: each may contain a token. */
export function accessLog(log: Log, answered: Durations['answered']): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now();
    response.once('close', () => {
      const { route = null, id = null, base = '' } = matched.get(response) ?? {};
      const { method } = request;
      const { statusCode: status } = response;
      const ms = performance.now() - startedAt;
      answered({ method, route: route === null ? null : `${base}${route}`, status }, ms / 1_000);
      const known = { route: route ?? patternOf(request), id, merchantId: merchants.get(response) ?? null };
      const named = Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null));
      const fields = { requestId: requestIdOf(response), method, ...named, status, ms: Math.round(ms) };
      const level = PROBES.has(known.route) ? 'debug' : 'info';
      log[level](fields, response.writableFinished ? 'answered' : 'connection ended before the answer');
    });
    next();
  };
}

/** The pattern of a page's or file's path, such as `/checkout/:offerId`; null for an unknown path. */
function patternOf(request: Request): string | null {
  const pattern: unknown = request.route?.path;
  return typeof pattern === 'string' ? pattern : null;
}
