import { z } from 'zod';
import { moment } from '../../../machines/effects.ts';
import { isMap, type Json, type JsonObject } from '../../../machines/json.ts';
import { stoodFor } from '../../http/input/stand-for.ts';
import { jsonValue } from '../../http/schemas.ts';
import { type Named, SENT, SHARED, TAKEN } from './components.ts';

/** The schemas of the whole API as JSON Schema; named schemas are referred to by name. */
export interface Schemas {
  readonly components: JsonObject;
  /** The body of an answer, or a parameter: of a parameter, the type of its value rather than of its text. */
  sent(schema: z.ZodType): JsonObject;
  /** The body of a request. */
  taken(schema: z.ZodType): JsonObject;
}

/**
 * Converts the answers under their names, unless they have names already, the parameters, and the bodies in `taken`
 * under their names. Throws for a schema that JSON Schema cannot express.
 */
export function jsonSchemas(
  answered: readonly Named[],
  parameters: readonly z.ZodType[],
  taken: readonly Named[],
): Schemas {
  const named = new Map<z.ZodType, Named>();
  for (const one of [...SHARED, ...SENT, ...answered]) if (!named.has(one[1])) named.set(one[1], one);
  const answers = convert('output', [...named.values()], parameters);
  const known = new Set(TAKEN.map(([, schema]) => schema));
  const requests = convert('input', [...SHARED, ...TAKEN, ...taken.filter(([, schema]) => !known.has(schema))], []);
  return {
    components: { ...requests.components, ...answers.components },
    sent: answers.of,
    taken: requests.of,
  };
}

interface Converted {
  readonly components: JsonObject;
  readonly of: (schema: z.ZodType) => JsonObject;
}

function convert(io: 'input' | 'output', named: readonly Named[], nameless: readonly z.ZodType[]): Converted {
  const names = z.registry<{ id: string }, z.ZodType>();
  for (const [id, schema] of named) names.add(schema, { id });
  for (const schema of new Set(nameless)) {
    if (!names.has(schema)) names.add(schema, { id: `nameless ${names._idmap.size}` });
  }
  const override = rewordWith(names);
  const { schemas } = z.toJSONSchema(names, { io, uri: referenceTo, override, unrepresentable: standIn });
  const found: JsonObject = Object.fromEntries(
    Object.entries(schemas).map(([id, schema]) => [id, tidy(toJsonObject(schema))]),
  );
  const components = Object.fromEntries(
    named.map(([id, , description]) => [id, { description, ...partOf(found, id) }]),
  );
  const of = (schema: z.ZodType): JsonObject => {
    const id = names.get(schema)?.id ?? '';
    if (Object.hasOwn(components, id)) return { $ref: referenceTo(id) };
    return partOf(found, id);
  };
  return { components, of };
}

function partOf(schemas: JsonObject, id: string): JsonObject {
  const one = schemas[id];
  if (!isMap(one)) throw new Error('this schema was not among those to convert');
  return one;
}

function referenceTo(name: string): string {
  return `#/components/schemas/${name}`;
}

/** The pattern of a moment, in place of zod's, which counts the days of every month. */
const MOMENT = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$';
const MOMENT_WITH_ZONE = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:[0-5]\\d(\\.\\d+)?(Z|[+-]\\d{2}:\\d{2})$';
const ANNOTATIONS = new Set(['$ref', 'description', 'default', 'deprecated']);

type Reword = NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>['override']>;

type Names = NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>['metadata']>;

/**
 * Keeps only annotations beside a reference, leaves JSON values open, gives moments a readable pattern, and replaces a
 * stand-in by its schema.
 */
function rewordWith(names: Names): Reword {
  const reword: Reword = ({ zodSchema, jsonSchema }) => {
    const schema: unknown = zodSchema;
    const meant = stoodFor(zodSchema);
    if (meant !== undefined) Object.assign(jsonSchema, inlined(meant, names, reword));
    if (jsonSchema.$ref !== undefined) return only(jsonSchema, ANNOTATIONS);
    if (schema === jsonValue) return only(jsonSchema, new Set(['description']));
    if (jsonSchema.format === 'date-time') jsonSchema.pattern = schema === moment ? MOMENT : MOMENT_WITH_ZONE;
  };
  return reword;
}

/** A request schema converted by itself, with references to named schemas in it. */
function inlined(schema: z.ZodType, metadata: Names, override: Reword): object {
  const converted = z.toJSONSchema(schema, { io: 'input', metadata, override, unrepresentable: standIn });
  for (const keyword of ['$schema', '$defs']) Reflect.deleteProperty(converted, keyword);
  return JSON.parse(JSON.stringify(converted).replaceAll('"#/$defs/', `"${referenceTo('')}`));
}

function only(schema: object, keywords: ReadonlySet<string>): void {
  for (const keyword of Object.keys(schema)) {
    if (!keywords.has(keyword)) Reflect.deleteProperty(schema, keyword);
  }
}

type StandIn = Exclude<NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>['unrepresentable']>, string>;

/** A field that must be absent has no valid value; a value parsed from text declares its type itself. */
const standIn: StandIn = ({ zodSchema, message }) => {
  switch (zodSchema._zod.def.type) {
    case 'undefined':
      return { not: {} };
    case 'transform':
      return 'any';
    default:
      throw new Error(message);
  }
};

/** Keywords whose value is one schema. */
const ONE = new Set(['items', 'additionalProperties', 'not']);
/** Keywords whose value is a list of schemas. */
const MANY = new Set(['anyOf', 'oneOf', 'allOf']);

/**
 * A schema of zod in the shortest form of JSON Schema: without empty statements (names are strings, integers are safe),
 * and with `null` among the types instead of in a union.
 */
function tidy(schema: JsonObject): JsonObject {
  const { $schema: _dialect, $id: _id, ...rest } = schema;
  return nullable(flat(withoutNoise(withTidyParts(rest))));
}

function withTidyParts(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]): [string, Json] => {
      if (keyword === 'properties' && isMap(value)) return [keyword, tidyValues(value)];
      if (ONE.has(keyword) && isMap(value)) return [keyword, tidy(value)];
      if (MANY.has(keyword) && Array.isArray(value)) return [keyword, value.map(tidyOne)];
      return [keyword, value];
    }),
  );
}

function tidyValues(schemas: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, value]) => [name, tidyOne(value)]));
}

function tidyOne(value: Json): Json {
  if (!isMap(value)) return value;
  const tidied = tidy(value);
  return isNothing(tidied) ? false : tidied;
}

function isNothing({ not, ...rest }: JsonObject): boolean {
  return isMap(not) && Object.keys(not).length === 0 && Object.keys(rest).length === 0;
}

function withoutNoise(schema: JsonObject): JsonObject {
  const noise = new Set<string>();
  if (isMap(schema['propertyNames'])) noise.add('propertyNames');
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
    if (!isMap(one) || Object.keys(one).length !== 1) return [one];
    return Array.isArray(one['anyOf']) ? one['anyOf'] : [one];
  });
  return { ...schema, anyOf: alternatives };
}

/** `anyOf: [{type: string, …}, {type: null}]` → `{type: [string, null], …}`. A reference stays in its union. */
function nullable(schema: JsonObject): JsonObject {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema;
  const [only, nothing] = anyOf.filter((one: Json): one is JsonObject => isMap(one));
  if (only === undefined || nothing?.['type'] !== 'null' || typeof only['type'] !== 'string') return schema;
  const values = only['enum'];
  return {
    ...only,
    type: [only['type'], 'null'],
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
    ...rest,
  };
}

/** The value as plain JSON, without undefined fields. Throws for a value that is not JSON. */
export function toJson(value: unknown): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value === 'object') return toJsonObject(value);
  throw new Error(`The published document must be JSON, but has a ${typeof value}`);
}

function toJsonObject(value: object): JsonObject {
  const there = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(there.map(([key, inner]) => [key, toJson(inner)]));
}
