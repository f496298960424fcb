import type { RequestHandler } from 'express';
import type { z } from 'zod';
import { isMap, type Json, type JsonObject } from '../../../machines/json.ts';
import { none, type PublicEndpoint } from '../../http/endpoint.ts';
import type { Quota } from '../../http/middleware/rate-limit.ts';
import { publicFile, sendPublicFile } from '../../http/send.ts';
import { EVENT_SCHEMAS } from '../../webhooks/events.ts';
import { ROUTES, type Route } from '../routes.ts';
import { capital, eventComponent } from './components.ts';
import { HEADERS } from './headers.ts';
import { INFO } from './info.ts';
import { jsonContent, responsesOf, sharedResponses } from './responses.ts';
import { jsonSchemas, type Schemas } from './schemas.ts';
import { TAG_LIST, tagOf } from './tags.ts';
import { EVENTS_TAG, webhooks } from './webhooks.ts';

/**
 * The published description of the API (OpenAPI 3.1), made from the table of routes and the schemas that check
 * requests. `publicUrl` has no slash at the end. The same input gives the same document.
 */
export function openApiDocument({ publicUrl }: { readonly publicUrl: string }): JsonObject {
  const schemas = schemasOf(ROUTES);
  return {
    openapi: '3.1.1',
    info: INFO,
    servers: [{ url: `${publicUrl}/v1`, description: 'For test mode and live mode; the key decides.' }],
    security: [{ apiKey: [] }],
    tags: [...TAG_LIST, EVENTS_TAG].map(({ name, description }) => ({ name, description })),
    paths: pathsOf(ROUTES, schemas),
    webhooks: webhooks(schemas),
    components: {
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: "The merchant's key as issued: `tl_test_…` for the test mode, `tl_live_…` for the live mode.",
        },
      },
      headers: HEADERS,
      responses: sharedResponses(ROUTES, schemas),
      schemas: { ...schemas.components, ...eventUnion(schemas) },
    },
  };
}

/** A generated client picks the kind of an event by its name. */
function eventUnion({ components }: Schemas): JsonObject {
  const mapping = Object.fromEntries(
    EVENT_SCHEMAS.map(({ event }) => [event, `#/components/schemas/${eventComponent(event)}`]),
  );
  const { Event } = components;
  return { Event: { ...(isMap(Event) ? Event : {}), discriminator: { propertyName: 'event', mapping } } };
}

function schemasOf(rows: readonly Route[]): Schemas {
  const answered = rows.flatMap(({ endpoint: { id, responses } }) =>
    Object.values(responses).map((schema) => [`${capital(id)}Response`, schema, `The answer of ${id}.`] as const),
  );
  const taken = rows
    .filter(({ endpoint }) => endpoint.body !== none)
    .map(({ endpoint }) => [`${capital(endpoint.id)}Input`, endpoint.body, `The body of ${endpoint.id}.`] as const);
  const parameters = rows.flatMap(({ endpoint }) => parameterSchemas(endpoint));
  return jsonSchemas(answered, parameters, taken);
}

function pathsOf(rows: readonly Route[], schemas: Schemas): JsonObject {
  const paths: { [path: string]: JsonObject } = {};
  for (const row of rows) {
    paths[row.path] = { ...paths[row.path], [row.method.toLowerCase()]: operationOf(row, schemas) };
  }
  return paths;
}

function operationOf(row: Route, schemas: Schemas): JsonObject {
  const { endpoint, limits } = row;
  const parameters = parametersOf(endpoint, schemas);
  return {
    operationId: endpoint.id,
    summary: endpoint.summary,
    description: descriptionOf(row),
    tags: [tagOf(row.path)],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(endpoint.body === none ? {} : { requestBody: requestBody(endpoint, schemas) }),
    responses: responsesOf(row, schemas),
    'x-rate-limits': { live: quotaOf(limits.live), test: quotaOf(limits.test) },
  };
}

function descriptionOf(row: Route): string {
  const { description } = row.endpoint;
  return [...(description === undefined ? [] : [description]), limitsProse(row)].join('\n\n');
}

function limitsProse({ mode, limits: { live, test } }: Route): string {
  const prose = { live: `Live keys: ${perTime(live)}.`, test: `Test keys: ${perTime(test)}.` };
  return mode === 'both' ? `${prose.live} ${prose.test}` : `${capital(mode)} keys only. ${prose[mode]}`;
}

function perTime({ day, minute }: Quota): string {
  return `${grouped(minute)} calls a minute, ${grouped(day)} a day`;
}

/** `15000` → `15,000`. */
function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}

function quotaOf({ day, minute }: Quota): JsonObject {
  return { perMinute: minute, perDay: day };
}

function requestBody({ body, example }: PublicEndpoint, schemas: Schemas): JsonObject {
  const content = jsonContent(schemas.taken(body), example.body);
  // An empty body counts as `{}`, which is valid if no field is required.
  return { required: Object.values(body.shape).some((field) => !field.isOptional()), content };
}

/**
 * `GET /openapi.json`: public and unmetered (reference, section 8). Built once, at the first request: at the start of
 * the service it was one fifteenth of the processor time.
 */
export function publishedDocument(config: { readonly publicUrl: string }): RequestHandler {
  let file: ReturnType<typeof publicFile> | null = null;
  return (request, response) => {
    file ??= publicFile('application/json; charset=utf-8', Buffer.from(JSON.stringify(openApiDocument(config))));
    sendPublicFile(request, response, file);
  };
}

function parameterSchemas({ params, query }: PublicEndpoint): z.ZodType[] {
  return [...Object.values<z.ZodType>(params.shape), ...Object.values<z.ZodType>(query.shape)];
}

function parametersOf({ params, query, example }: PublicEndpoint, schemas: Schemas): JsonObject[] {
  return [
    ...fields(params).map((field) => parameter('path', field, example.params, schemas)),
    ...fields(query).map((field) => parameter('query', field, example.query, schemas)),
  ];
}

type Field = readonly [name: string, schema: z.ZodType];

function fields(object: z.ZodObject): Field[] {
  return Object.entries<z.ZodType>(object.shape);
}

function parameter(
  location: 'path' | 'query',
  [name, field]: Field,
  examples: { readonly [name: string]: unknown } | undefined,
  schemas: Schemas,
): JsonObject {
  const { description = '', ...schema } = schemas.sent(field);
  const example = exampleOf(examples?.[name], schema);
  return {
    name,
    in: location,
    required: location === 'path' || !field.safeParse(undefined).success,
    description,
    ...(schema['type'] === 'object' ? { style: 'deepObject', explode: true } : {}),
    schema,
    ...(example === undefined ? {} : { example }),
  };
}

/** The value of a text in a URL. */
function exampleOf(text: unknown, { type }: JsonObject): Json | undefined {
  if (typeof text !== 'string') return undefined;
  return type === 'integer' ? Number(text) : type === 'boolean' ? text === 'true' : text;
}
