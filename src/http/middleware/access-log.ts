import type { RequestHandler, Response } from 'express';
import type { Log } from '../../observability/log.ts';
import { requestIdOf } from './request-id.ts';

/** The row of the table that matched a request, and the id in its path. */
export interface Matched {
  readonly route: string;
  readonly id: string | null;
}

export const ID_LENGTH_MAX = 64;
const matched = new WeakMap<Response, Matched>();

/** Stores the matched row for the log. */
export function noteMatch(response: Response, { route, id }: Matched): void {
  matched.set(response, { route, id: id?.slice(0, ID_LENGTH_MAX) ?? null });
}

/** One line per request, when its connection is finished. It has no path, query or header, because each may contain a token. */
export function accessLog(log: Log): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now();
    response.once('close', () => {
      const fields = {
        requestId: requestIdOf(response),
        method: request.method,
        ...(matched.get(response) ?? { route: null, id: null }),
        status: response.statusCode,
        ms: Math.round(performance.now() - startedAt),
      };
      log.info(fields, response.writableFinished ? 'answered' : 'connection ended before the answer');
    });
    next();
  };
}
