import type { ErrorRequestHandler, RequestHandler } from 'express';
import { Fault, notFound } from '../../errors/fault.ts';
import type { Log } from '../../observability/log.ts';
import { sendJson } from '../send.ts';
import { requestIdOf } from './request-id.ts';

/** A request without a matching route: 404, before authentication (docs/rules.md, "Errors"). */
export const unknownPath: RequestHandler = () => {
  throw notFound();
};

/** The one place where an error becomes a response: flat `{"error": "message"}`, no other keys. */
export function answerErrors(log: Log): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const fault = asFault(error);
    if (fault.status >= 500) {
      log.error(
        { requestId: requestIdOf(response), method: request.method, err: error, why: fault.internal },
        'request failed',
      );
    }
    if (response.headersSent) {
      response.destroy();
      return;
    }
    sendJson(response, fault.status, { error: fault.code === 'internal' ? 'Internal error' : fault.message });
  };
}

function asFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  // The router could not decode the path, so no resource can have that name.
  if (error instanceof URIError) return notFound();
  return new Fault('internal', 'Internal error', { cause: error });
}
