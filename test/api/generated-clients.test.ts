import { z } from 'zod';
import { isMap, type Json, type JsonObject } from '../../machines/json.ts';
import { openApiDocument } from '../../src/api/openapi/document.ts';
import { PUBLIC_URL } from '../support/http.ts';

/**
 * What generators of clients in other languages need of the document, such as openapi-generator for Python and Go: they
 * make names out of it, and invent those that are missing.
 */
const raw = openApiDocument({ publicUrl: PUBLIC_URL });
const answer = z.object({
  content: z.object({ 'application/json': z.object({ schema: z.record(z.string(), z.unknown()) }) }),
});
const { paths, components } = z
  .object({
    paths: z.record(
      z.string(),
      z.record(
        z.string(),
        z.object({
          operationId: z.string(),
          tags: z.array(z.string()),
          responses: z.record(z.string(), z.union([z.object({ $ref: z.string() }), answer])),
        }),
      ),
    ),
    components: z.object({ schemas: z.record(z.string(), z.record(z.string(), z.unknown())) }),
  })
  .parse(raw);
const operations = Object.values(paths).flatMap((methods) => Object.values(methods));

/** `startingAfter` → `starting_after`, as Python names it. */
const snake = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/\W+/g, '_')
    .toLowerCase();
/** `past_due` → `PASTDUE`, as a constant of Go may name it. */
const constant = (value: string): string => value.replaceAll(/[^A-Za-z0-9]/g, '').toUpperCase();

function clashesOf(names: readonly string[], nameOf: (name: string) => string): string[] {
  return names.filter((name, i) => names.findIndex((other) => nameOf(other) === nameOf(name)) !== i);
}

/** Every object of the document that is not an example. */
function* partsOf(part: Json): Generator<JsonObject> {
  if (!isMap(part)) {
    if (Array.isArray(part)) for (const one of part) yield* partsOf(one);
    return;
  }
  yield part;
  for (const [key, value] of Object.entries(part))
    if (!['example', 'examples', 'default'].includes(key)) yield* partsOf(value);
}

describe('the document for generated clients', () => {
  it('has names for schemas and operations that are words without signs, and stay apart in small letters', () => {
    const schemas = Object.keys(components.schemas);
    const ids = operations.map(({ operationId }) => operationId);
    expect(schemas.filter((name) => !/^[A-Z][A-Za-z0-9]+$/.test(name))).toEqual([]);
    expect(ids.filter((id) => !/^[a-z][A-Za-z0-9]+$/.test(id))).toEqual([]);
    expect([...clashesOf(schemas, snake), ...clashesOf(ids, snake)]).toEqual([]);
    expect(operations.filter(({ tags }) => tags.length !== 1)).toEqual([]);
  });

  it('has a name for every answer', () => {
    const nameless = operations.flatMap(({ operationId, responses }) =>
      Object.entries(responses).flatMap(([status, found]) =>
        '$ref' in found || '$ref' in found.content['application/json'].schema ? [] : [`${operationId} ${status}`],
      ),
    );
    expect(nameless).toEqual([]);
    expect(components.schemas).toHaveProperty('ListPaymentsResponse');
  });

  it('has fields and values of closed lists that stay apart as names of Python and Go', () => {
    const clashes = [...partsOf(raw)].flatMap(({ properties, enum: values }) => [
      ...clashesOf(isMap(properties) ? Object.keys(properties) : [], snake),
      ...clashesOf(Array.isArray(values) ? values.map(String) : [], constant),
    ]);
    expect(clashes).toEqual([]);
  });

  it('says by which field the kinds of an event differ', () => {
    const { anyOf, discriminator } = z
      .object({
        anyOf: z.array(z.object({ $ref: z.string() })),
        discriminator: z.object({ propertyName: z.literal('event'), mapping: z.record(z.string(), z.string()) }),
      })
      .parse(components.schemas['Event']);
    expect(Object.values(discriminator.mapping)).toEqual(anyOf.map(({ $ref }) => $ref));
    for (const [event, $ref] of Object.entries(discriminator.mapping)) {
      const kind = components.schemas[$ref.replace('#/components/schemas/', '')];
      expect(kind).toMatchObject({ properties: { event: { const: event } } });
    }
  });
});
