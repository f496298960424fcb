import type { RequestHandler, Response } from 'express';
import type { Log } from '../../observability/log.ts';
import { requestIdOf } from './request-id.ts';

/** What a request was for: the row of the table that took it, and the id in its path. */
export interface Matched {
  readonly route: string;
  readonly id: string | null;
}

export const ID_LENGTH_MAX = 64;
const matched = new WeakMap<Response, Matched>();

/** Remembers, for the log, which row a request went to. */
export function noteMatch(response: Response, { route, id }: Matched): void {
  matched.set(response, { route, id: id?.slice(0, ID_LENGTH_MAX) ?? null });
}

/**
 * One line per request, when its connection is done with it. The path itself is not in it, nor its query, nor any
 * header: there may be a token in each of them.
 */
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
