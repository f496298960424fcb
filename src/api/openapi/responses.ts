import type { JsonObject } from '../../../machines/json.ts';
import type { PublicEndpoint } from '../../http/endpoint.ts';
import { errorSchema } from '../../http/schemas.ts';
import { type Route, statusesOf } from '../routes.ts';
import { errorOf } from './errors.ts';
import { headersOf } from './headers.ts';
import { type Schemas, toJson } from './schemas.ts';

/** Every status of an endpoint, with its body, headers and an example. */
export function responsesOf(row: Route, schemas: Schemas): JsonObject {
  return Object.fromEntries(statusesOf(row).map((status) => [status, responseOf(row.endpoint, status, schemas)]));
}

/** Errors with the same meaning everywhere, for `components.responses`. */
export function sharedResponses(rows: readonly Route[], schemas: Schemas): JsonObject {
  const statuses = new Set(rows.flatMap((row) => statusesOf(row).filter((status) => isShared(row.endpoint, status))));
  return Object.fromEntries(
    [...statuses].map((status) => [errorOf(status).name, errorResponse(status, errorOf(status), schemas)]),
  );
}

/** True if the endpoint adds nothing to the general text of the error. */
function isShared({ responses, notes = {}, messages = {} }: PublicEndpoint, status: number): boolean {
  return !(status in responses || status in notes || status in messages);
}

function responseOf(endpoint: PublicEndpoint, status: number, schemas: Schemas): JsonObject {
  const schema = endpoint.responses[status];
  const note = endpoint.notes?.[status];
  if (schema === undefined) {
    const { name, means, example } = errorOf(status);
    if (isShared(endpoint, status)) return { $ref: `#/components/responses/${name}` };
    const message = endpoint.messages?.[status];
    return errorResponse(status, { means: note ?? means, example: message ?? example }, schemas);
  }
  const isReplay = status === 200 && 'idempotencyKey' in endpoint.body.shape;
  const isCsv = status === 200 && endpoint.csv !== undefined;
  return {
    description: note ?? successProse(status, isReplay),
    headers: headersOf(status, { isReplay, isCsv }),
    content: {
      ...jsonContent(schemas.sent(schema), exampleFor(endpoint, status)),
      ...(status === 200 && endpoint.hasPdf === true
        ? { 'application/pdf': { schema: { type: 'string', format: 'binary', description: PDF } } }
        : {}),
      ...(isCsv
        ? { 'text/csv': { schema: { type: 'string', description: `${endpoint.csv?.prose ?? PAGE} ${CSV}` } } }
        : {}),
    },
  };
}

function errorResponse(
  status: number,
  { means, example }: { readonly means: string; readonly example: string },
  schemas: Schemas,
): JsonObject {
  const content = jsonContent(schemas.sent(errorSchema), { error: example });
  return { description: means, headers: headersOf(status, { isReplay: false, isCsv: false }), content };
}

const PDF = 'The same as a PDF with `Accept: application/pdf`, or at the path with `.pdf`.';
const PAGE = 'The same page with `Accept: text/csv`.';
const CSV =
  'A line of names, then a line for each item. Objects and lists are JSON, null is empty, ' +
  'and a text that a spreadsheet would take for a formula has an apostrophe in front.';

/** An example serves every success with the same schema: a replay has the answer of the create. */
function exampleFor({ responses, example }: PublicEndpoint, status: number): unknown {
  return responses[example.answer.status] === responses[status] ? example.answer.body : undefined;
}

function successProse(status: number, isReplay: boolean): string {
  if (isReplay)
    return 'The `idempotencyKey` was used before: the original resource. Nothing was made, no event is sent.';
  return status === 201 ? 'Created.' : 'Done.';
}

export function jsonContent(schema: JsonObject, example: unknown): JsonObject {
  const shown = example === undefined ? {} : { example: toJson(example) };
  return { 'application/json': { schema, ...shown } };
}
