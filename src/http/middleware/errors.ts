import type { ErrorRequestHandler, RequestHandler } from 'express';
import { Fault, notFound } from '../../errors/fault.ts';
import type { Log } from '../../observability/log.ts';
import { StoreUnavailable, UnknownOutcome } from '../../store/errors.ts';
import { sendJson } from '../send.ts';
import { requestIdOf } from './access-log.ts';

/** A request without a matching route: 404, before authentication (docs/rules.md, "Errors"). */
export const unknownPath: RequestHandler = () => {
  throw notFound();
};

/** Seconds after which a request that cannot be served now may be sent again. */
const AGAIN_S = '1';

/** The only function that turns an error into a response: flat `{"error": "message"}`, no other keys. */
export function answerErrors(log: Log): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const fault = asFault(error);
    const about = { requestId: requestIdOf(response), method: request.method, err: error, why: fault.internal };
    if (fault.status === 503) log.warn(about, 'the request cannot be served now; the answer asks for it again');
    else if (fault.status >= 500) log.error(about, 'request failed');
    if (response.headersSent) {
      response.destroy();
      return;
    }
    for (const [name, value] of Object.entries(fault.headers)) response.setHeader(name, value);
    if (fault.status === 503) response.setHeader('Retry-After', AGAIN_S);
    sendJson(response, fault.status, { error: fault.code === 'internal' ? 'Internal error' : fault.message });
  };
}

const NOT_NOW = 'The database does not answer; send the request again';
const MAYBE_DONE =
  'The database has not confirmed this request, so it may have been carried out; send it again with the same idempotencyKey, or read first';

function asFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  // The router could not decode the path, so no resource can have that name.
  if (error instanceof URIError) return notFound();
  if (error instanceof UnknownOutcome) return new Fault('store_unavailable', MAYBE_DONE, { cause: error });
  if (error instanceof StoreUnavailable) return new Fault('store_unavailable', NOT_NOW, { cause: error });
  return new Fault('internal', 'Internal error', { cause: error });
}
