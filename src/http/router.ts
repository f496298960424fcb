import type { Request, Response, Router } from 'express';
import express from 'express';
import { Fault, notFound } from '../errors/fault.ts';
import { type Traced, traced, withinTraceOf } from '../observability/tracing.ts';
import type { Answer } from './endpoint.ts';
import { ID_LENGTH_MAX, noteMatch, requestIdOf } from './middleware/access-log.ts';
import { sendCsv, sendCsvParts, sendJson, sendPdf } from './send.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** The parts of a table's row that routing needs. */
interface Row {
  readonly method: string;
  readonly path: string;
  /** The path contains a secret that gives access; it is not logged. */
  readonly hasSecret?: boolean;
  readonly endpoint?: { readonly summary: string; readonly hasPdf?: boolean };
}

/** Serves one request of one row. The result is sent; an error goes to the error handler. */
export type Serve<R extends Row> = (row: R, request: Request, response: Response) => Promise<Answer>;

/** A router with exactly the rows of a table: exact case, no trailing slash, HEAD where there is a GET. */
export function routerOf<R extends Row>(rows: readonly R[], serve: Serve<R>): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  for (const row of rows) {
    const path = row.path.replaceAll(/\{(\w+)\}/g, ':$1');
    router.all(row.endpoint?.hasPdf === true ? [path, `${path}.pdf`] : path, async (request, response, next) => {
      if (methodOf(request) !== row.method) {
        next();
        return;
      }
      noteMatch(response, {
        route: row.path,
        base: request.baseUrl,
        id: row.hasSecret === true ? null : idIn(request.params),
      });
      const reported = requestSpan(row, request, response);
      const serving = () => traced(reported, () => serve(row, request, response));
      await sendAnswer(response, await withinTraceOf(request.headers, serving));
    });
  }
  router.use(() => {
    throw notFound();
  });
  return router;
}

/** The trace of a request: its row, never the path itself, which may contain a token. */
function requestSpan(row: Row, request: Request, response: Response): Traced<Answer> {
  const route = `${request.baseUrl}${row.path}`;
  const id = row.hasSecret === true ? null : idIn(request.params)?.slice(0, ID_LENGTH_MAX);
  return {
    name: `${row.method} ${route}`,
    kind: 'server',
    attributes: () => ({
      'http.request.method': row.method,
      'http.route': route,
      'tideline.request_id': requestIdOf(response),
      ...(id === null || id === undefined ? {} : { 'tideline.id': id }),
    }),
    outcome: ({ status }) => ({ 'http.response.status_code': status }),
    thrown: (error) => {
      const status = error instanceof Fault ? error.status : 500;
      return { attributes: { 'http.response.status_code': status }, isFailure: status >= 500 };
    },
  };
}

/** HEAD has the answer of GET without the body, which Node omits by itself. */
export function methodOf({ method }: Pick<Request, 'method'>): string {
  return method === 'HEAD' ? 'GET' : method;
}

/** The first parameter of a path: the id of its resource. */
function idIn(params: Request['params']): string | null {
  const [id] = Object.values(params);
  return typeof id === 'string' ? id : null;
}

async function sendAnswer(response: Response, { status, body, headers = {}, csv, pdf }: Answer): Promise<void> {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (pdf !== undefined) sendPdf(response, pdf);
  else if (csv === undefined) sendJson(response, status, body);
  else if (typeof csv === 'string') sendCsv(response, status, csv);
  else await sendCsvParts(response, csv);
}
