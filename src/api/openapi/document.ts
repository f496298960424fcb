import type { JsonObject } from '../../../machines/json.ts';
import { none } from '../../http/endpoint.ts';
import { EVENT_SCHEMAS } from '../../webhooks/events.ts';
import { ROUTES, type Route } from '../routes.ts';
import { capital, eventComponent } from './components.ts';
import { HEADERS } from './headers.ts';
import { INFO } from './info.ts';
import { isJsonObject } from './json.ts';
import { operationOf } from './operation.ts';
import { parameterSchemas } from './parameters.ts';
import { sharedResponses } from './responses.ts';
import { jsonSchemas, type Schemas } from './schemas.ts';
import { TAG_LIST } from './tags.ts';
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
  return { Event: { ...(isJsonObject(Event) ? Event : {}), discriminator: { propertyName: 'event', mapping } } };
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
