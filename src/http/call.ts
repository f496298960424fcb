import type { Request, Response } from 'express';
import { prefersCsv } from './csv.ts';
import type { HttpDeps } from './deps.ts';
import type { Answer, Endpoint } from './endpoint.ts';
import { readBody } from './input/body.ts';
import { ignoredHeader } from './input/ignored.ts';
import { parseQuery } from './input/query.ts';
import { requestIdOf } from './middleware/access-log.ts';
import { methodOf } from './router.ts';

/** True if a caller wants a PDF rather than JSON, or names one by the end of the path. */
function prefersPdf(request: Request): boolean {
  return (
    request.path.endsWith('.pdf') || request.accepts(['application/json', 'application/pdf']) === 'application/pdf'
  );
}

/** A request with an admitted caller. `now` is the time of admission. */
export interface Admitted<C> {
  readonly request: Request;
  readonly response: Response;
  readonly caller: C;
  readonly now: Date;
  /** Throws for a body that this caller must not send; absent: any. */
  readonly admitBody?: (body: unknown) => Promise<void>;
}

/** Checks a request, and runs its endpoint. `X-Ignored-Fields`: fields it does not know (docs/rules.md, "Errors"). */
export async function callEndpoint<C>(
  endpoint: Endpoint<C>,
  { request, response, caller, now, admitBody }: Admitted<C>,
  deps: HttpDeps,
): Promise<Answer> {
  const body = methodOf(request) === 'GET' ? {} : await readBody(request, endpoint.bodyBytesMax);
  await admitBody?.(body);
  const prepared = endpoint.prepare({ params: request.params, query: parseQuery(request.url), body });
  if (prepared.ignored.length > 0) response.setHeader('X-Ignored-Fields', ignoredHeader(prepared.ignored));
  const prefers = { prefersCsv: prefersCsv(request), prefersPdf: prefersPdf(request) };
  return prepared.run({ caller, now, requestId: requestIdOf(response), ...prefers }, deps);
}
