import type { z } from 'zod';
import type { Json, JsonObject } from '../../../machines/json.ts';
import type { PublicEndpoint } from '../../http/endpoint.ts';
import type { Schemas } from './schemas.ts';

export function parameterSchemas({ params, query }: PublicEndpoint): z.ZodType[] {
  return [...Object.values<z.ZodType>(params.shape), ...Object.values<z.ZodType>(query.shape)];
}

export function parametersOf({ params, query, example }: PublicEndpoint, schemas: Schemas): JsonObject[] {
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
