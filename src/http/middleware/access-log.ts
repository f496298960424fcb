import type { RequestHandler, Response } from 'express';
import type { Durations } from '../../observability/durations.ts';
import type { Log } from '../../observability/log.ts';
import { requestIdOf } from './request-id.ts';

/** The row of the table that matched a request, and the id in its path. */
export interface Matched {
  readonly route: string;
  readonly id: string | null;
  /** Where the table of the row is mounted, such as `/v1`. */
  readonly base: string;
}

export const ID_LENGTH_MAX = 64;
const matched = new WeakMap<Response, Matched>();

/** Stores the matched row for the log. */
export function noteMatch(response: Response, { route, id, base }: Matched): void {
  matched.set(response, { route, base, id: id?.slice(0, ID_LENGTH_MAX) ?? null });
}

/**
 * One line and one duration per request, when its connection is finished. It has no path, query or header, because each
 * may contain a token.
 */
export function accessLog(log: Log, answered: Durations['answered']): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now();
    response.once('close', () => {
      const { route = null, id = null, base = '' } = matched.get(response) ?? {};
      const { method } = request;
      const { statusCode: status } = response;
      const ms = performance.now() - startedAt;
      answered({ method, route: route === null ? null : `${base}${route}`, status }, ms / 1_000);
      const fields = { requestId: requestIdOf(response), method, route, id, status, ms: Math.round(ms) };
      log.info(fields, response.writableFinished ? 'answered' : 'connection ended before the answer');
    });
    next();
  };
}
