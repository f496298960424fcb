import type { JsonObject } from '../../../machines/json.ts';
import { none, type PublicEndpoint } from '../../http/endpoint.ts';
import type { Quota } from '../../http/limits.ts';
import type { Route } from '../routes.ts';
import { capital } from './components.ts';
import { parametersOf } from './parameters.ts';
import { jsonContent, responsesOf } from './responses.ts';
import type { Schemas } from './schemas.ts';
import { tagOf } from './tags.ts';

/** One row of the table as an OpenAPI operation. */
export function operationOf(row: Route, schemas: Schemas): JsonObject {
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
