import type { Json, JsonObject } from '../../../machines/json.ts';
import { isJsonObject } from './json.ts';

/** Keywords whose value is one schema. */
const ONE = new Set(['items', 'additionalProperties', 'not']);
/** Keywords whose value is a list of schemas. */
const MANY = new Set(['anyOf', 'oneOf', 'allOf']);

/**
 * A schema of zod in the shortest form of JSON Schema: without empty statements (names are strings, integers are safe),
 * and with `null` among the types instead of in a union.
 */
export function tidy(schema: JsonObject): JsonObject {
  const { $schema: _dialect, $id: _id, ...rest } = schema;
  return nullable(flat(withoutNoise(withTidyParts(rest))));
}

function withTidyParts(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]): [string, Json] => {
      if (keyword === 'properties' && isJsonObject(value)) return [keyword, tidyValues(value)];
      if (ONE.has(keyword) && isJsonObject(value)) return [keyword, tidy(value)];
      if (MANY.has(keyword) && Array.isArray(value)) return [keyword, value.map(tidyOne)];
      return [keyword, value];
    }),
  );
}

function tidyValues(schemas: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, value]) => [name, tidyOne(value)]));
}

function tidyOne(value: Json): Json {
  if (!isJsonObject(value)) return value;
  const tidied = tidy(value);
  return isNothing(tidied) ? false : tidied;
}

function isNothing({ not, ...rest }: JsonObject): boolean {
  return isJsonObject(not) && Object.keys(not).length === 0 && Object.keys(rest).length === 0;
}

function withoutNoise(schema: JsonObject): JsonObject {
  const noise = new Set<string>();
  if (isJsonObject(schema['propertyNames'])) noise.add('propertyNames');
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) noise.add('minimum');
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) noise.add('maximum');
  if (noise.size === 0) return schema;
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !noise.has(keyword)));
}

/** A union that is used only as an alternative of another union becomes part of that one. */
function flat(schema: JsonObject): JsonObject {
  const { anyOf } = schema;
  if (!Array.isArray(anyOf)) return schema;
  const alternatives = anyOf.flatMap((one: Json): readonly Json[] => {
    if (!isJsonObject(one) || Object.keys(one).length !== 1) return [one];
    return Array.isArray(one['anyOf']) ? one['anyOf'] : [one];
  });
  return { ...schema, anyOf: alternatives };
}

/** `anyOf: [{type: string, …}, {type: null}]` → `{type: [string, null], …}`. A reference stays in its union. */
function nullable(schema: JsonObject): JsonObject {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema;
  const [only, nothing] = anyOf.filter(isJsonObject);
  if (only === undefined || nothing?.['type'] !== 'null' || typeof only['type'] !== 'string') return schema;
  const values = only['enum'];
  return {
    ...only,
    type: [only['type'], 'null'],
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
    ...rest,
  };
}
