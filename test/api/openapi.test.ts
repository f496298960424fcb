import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { openApiDocument } from '../../src/api/openapi/document.ts';
import { ROUTES, statusesOf } from '../../src/api/routes.ts';
import type { Operation } from '../../tools/fuzz/document.ts';
import { temporaryFolder } from '../runner/after.ts';
import { PUBLIC_URL, useHttp } from '../support/http.ts';
import { publishedAt } from '../support/published.ts';
import { EVENTS, EXTRA_EVENTS, PARAMETERS, RESOURCES } from './reference.ts';

const published = publishedAt(PUBLIC_URL);
const raw = openApiDocument({ publicUrl: PUBLIC_URL });

/** An operation as the document has it. */
const documentedOperation = z.object({
  operationId: z.string(),
  parameters: z
    .array(
      z.object({
        name: z.string(),
        in: z.string(),
        required: z.boolean(),
        schema: z.unknown(),
        example: z.unknown().optional(),
      }),
    )
    .default([]),
  requestBody: z.looseObject({}).optional(),
  responses: z.record(z.string(), z.looseObject({})),
});
const { paths, components } = z
  .object({
    paths: z.record(z.string(), z.record(z.string(), documentedOperation)),
    components: z.object({
      schemas: z.record(z.string(), z.unknown()),
      responses: z.record(z.string(), z.looseObject({})),
    }),
  })
  .parse(raw);
const operations = published.operations.map((one) => [`${one.method} ${one.template}`, one, inDocument(one)] as const);

function inDocument({ template, method }: Operation): z.output<typeof documentedOperation> {
  return paths[template]?.[method.toLowerCase()] ?? fail(`${method} ${template} is not there`);
}

const withExample = z.object({ content: z.object({ 'application/json': z.object({ example: z.unknown() }) }) });

const http = useHttp();
describe('/openapi.json', () => {
  it('needs no key and has no limit', async () => {
    const before = http.store.roundTrips();
    const { status, headers, body } = await http.send('GET', '/openapi.json');
    expect([status, http.store.roundTrips() - before]).toEqual([200, 0]);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(body).toEqual(raw);
  });

  it('is sent again only after a change', async () => {
    const first = await http.send('GET', '/openapi.json');
    const etag = first.headers.get('etag') ?? '';
    const again = await http.send('GET', '/openapi.json', { headers: { 'If-None-Match': etag } });
    expect([again.status, again.body, again.headers.get('etag')]).toEqual([304, '', etag]);
    expect((await http.send('GET', '/openapi.json', { headers: { 'If-None-Match': '"other"' } })).status).toBe(200);
  });

  it("is the same for the same code, except for the service's address", () => {
    const other = openApiDocument({ publicUrl: 'https://other.example' });
    expect(other['servers']).toEqual([{ url: 'https://other.example/v1', description: expect.any(String) }]);
    expect({ ...other, servers: raw['servers'] }).toEqual(raw);
  });
});

describe('the document', () => {
  it('is OpenAPI 3.1 without errors or warnings of the linter', async () => {
    const file = join(await temporaryFolder(), 'openapi.json');
    // The linter warns about the example address of these tests.
    await writeFile(file, JSON.stringify(openApiDocument({ publicUrl: 'http://127.0.0.1:3000' })));
    expect(await lint(file)).toEqual([]);
  });

  it('has every route of the table, and no other, under the name of its endpoint', () => {
    const documented = operations.map(([name, { id }]) => [name, id]);
    const routes = ROUTES.map(({ method, path, endpoint }) => [`${method} ${path}`, endpoint.id]);
    expect(documented.toSorted()).toEqual(routes.toSorted());
    expect(new Set(routes.map(([, id]) => id)).size).toBe(routes.length);
  });

  it('has the statuses that each route may answer, and no other', () => {
    const documented = operations.map(([name, { statuses }]) => [name, statuses]);
    const routes = ROUTES.map((row) => [`${row.method} ${row.path}`, statusesOf(row)]);
    expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(routes));
  });

  it('describes no other status', () => {
    const said = ROUTES.flatMap((row) => {
      const { notes = {}, messages = {} } = row.endpoint;
      const statuses = statusesOf(row).map(String);
      const unknown = Object.keys({ ...notes, ...messages }).filter((status) => !statuses.includes(status));
      return unknown.map((status) => `${row.method} ${row.path} ${status}`);
    });
    expect(said).toEqual([]);
  });

  it('names the price of a migration once: its other names are deprecated', () => {
    const deprecated = JSON.stringify(raw).matchAll(/"(\w+)":\{[^{}]*(?:\{26\}[^{}]*)?"deprecated":true/g);
    expect([...deprecated].map(([, name]) => name)).toEqual(['pendingOfferPriceId', 'pendingPriceId']);
  });

  it('has its version, its server and the one way to authenticate', () => {
    expect(raw).toMatchObject({
      openapi: expect.stringMatching(/^3\.1\./),
      info: { version: '1.0.0' },
      servers: [{ url: `${PUBLIC_URL}/v1` }],
      security: [{ apiKey: [] }],
      components: { securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } } },
    });
  });

  it('closes every request object except maps', () => {
    const open = Object.entries(components.schemas)
      .filter(([name]) => !name.endsWith('Input'))
      .flatMap(([name, schema]) => openObjects(schema, name));
    const inline = operations.flatMap(([name, , { responses }]) => openObjects(responses, name));
    expect([...open, ...inline]).toEqual([]);
  });

  it('describes every field, parameter and operation', () => {
    expect(silent(raw['paths'], 'paths')).toEqual([]);
    expect(silent(raw['components'], 'components')).toEqual([]);
  });
});

describe('the fields of the reference, section 2', () => {
  it.each(Object.entries(RESOURCES))('are all in %s, always', (name, fields) => {
    const schema = schemaNamed(name);
    expect(fields.filter((field) => !(field in schema.properties))).toEqual([]);
    expect(fields.filter((field) => !schema.required.includes(field))).toEqual([]);
  });

  it('are required, also the additive ones; only a deposit is optional', () => {
    const optional = Object.keys(RESOURCES).flatMap((name) => {
      const { properties, required } = schemaNamed(name);
      return Object.keys(properties).filter((field) => !required.includes(field));
    });
    expect(optional).toEqual([]);
    const { properties, required } = schemaNamed('CreatedPayment');
    const rest = Object.keys(properties).filter((field) => !required.includes(field));
    expect(rest).toEqual(['depositAddress', 'depositExpiresAt']);
  });
});

describe('the parameters of the reference, section 4', () => {
  it.each(Object.entries(PARAMETERS))('are the parameters of %s, with their defaults and bounds', (name, expected) => {
    const found = operations.find(([one]) => one === name)?.[2].parameters ?? [];
    const inQuery = found.filter((one) => one.in === 'query');
    expect(Object.fromEntries(inQuery.map((one) => [one.name, one.schema]))).toEqual(expected);
    expect(inQuery.filter(({ required }) => required)).toEqual([]);
  });
});

describe('the examples', () => {
  it.each(operations)('match the schemas in %s', (_name, one, documented) => {
    expect(faultsOfExamples(one, documented)).toEqual([]);
  });

  it('exist for every success and every body', () => {
    const without = operations.flatMap(([name, , { requestBody, responses }]) => [
      ...(requestBody !== undefined && exampleOf(requestBody) === undefined ? [`${name} body`] : []),
      ...Object.entries(responses)
        .filter(([, one]) => !('$ref' in one) && exampleOf(one) === undefined)
        .map(([status]) => `${name} ${status}`),
    ]);
    expect(without).toEqual([]);
  });

  it('of errors are errors', () => {
    for (const one of Object.values(components.responses)) {
      expect(published.faultsAt('#/components/schemas/Error', exampleOf(one))).toEqual([]);
    }
  });
});

describe('the comparison of answers with the document', () => {
  const customers = published.find('GET', '/customers') ?? fail('GET /customers is not there');
  const create = published.find('POST', '/customers') ?? fail('POST /customers is not there');
  const customer = inDocument(create).responses['201'] ?? fail('POST /customers never succeeds');
  const body = z.looseObject({ id: z.string() }).parse(exampleOf(customer));
  const headers: [string, string][] = [['X-Request-Id', 'req_1']];

  it.each([
    ['a field that is not documented', { ...body, more: 1 }, headers, /must NOT have additional properties.*more/],
    ['a field that is missing', { ...body, id: undefined }, headers, /required property 'id'/],
    ['a value of another type', { ...body, email: 5 }, headers, /\/email must be string,null/],
    ['a moment of another form', { ...body, createdAt: '2030-01-01T00:00:00Z' }, headers, /\/createdAt must match/],
    ['a header that is missing', body, [], /X-Request-Id is missing/],
    ['a header of another form', body, [['X-Request-Id', 'mine']], /X-Request-Id.* must match pattern/],
    ['a header that is not documented', body, [...headers, ['X-Secret', '1']], /X-Secret is not documented/],
  ] as const)('finds %s in an answer', (_what, answer, given, fault) => {
    const json: unknown = JSON.parse(JSON.stringify(answer));
    expect(published.faultsOfAnswer(create, { status: 201, headers }, body)).toEqual([]);
    expect(published.faultsOfAnswer(create, { status: 201, headers: given }, json).join()).toMatch(fault);
  });

  it('finds an undocumented status, and a 429 without the time of the next call', () => {
    expect(published.faultsOfAnswer(create, { status: 418, headers }, body)).toHaveLength(1);
    const refused = { error: 'Rate limit exceeded' };
    expect(published.faultsOfAnswer(create, { status: 429, headers }, refused)).toHaveLength(4);
  });

  it('finds a request that the document does not allow', () => {
    const query = (text: string) => new URLSearchParams(text);
    expect(published.faultsOfRequest(customers, query('limit=101'), undefined).join()).toMatch(/limit.*must be <= 100/);
    expect(published.faultsOfRequest(customers, query('limit=5&start=3'), undefined)).toEqual([]);
    const refused = published.faultsOfRequest(create, query(''), { email: 'nobody' });
    expect(refused.join()).toMatch(/\/email must match pattern/);
  });

  it('prefers the path without parameters', () => {
    expect(published.find('PATCH', '/offers/batch')?.id).toBe('updateOffers');
    expect(published.find('PATCH', '/offers/offer_1')?.id).toBe('updateOffer');
    expect(published.find('PUT', '/offers')).toBeNull();
  });
});

describe('the webhooks', () => {
  const delivery = z.object({
    post: z.object({
      parameters: z.array(z.object({ name: z.string(), in: z.literal('header'), required: z.boolean() })),
      requestBody: z.object({
        content: z.object({
          'application/json': z.object({ schema: z.object({ $ref: z.string() }), example: z.unknown() }),
        }),
      }),
    }),
  });
  const webhooks = z.record(z.string(), delivery).parse(raw['webhooks']);

  const all = { ...EVENTS, ...EXTRA_EVENTS };

  it('are the ten kinds of the reference, section 6, and the opt-in kinds', () => {
    expect(Object.keys(webhooks).toSorted()).toEqual(Object.keys(all).toSorted());
  });

  it.each(Object.entries(all))('have the data of the reference: %s', (event, fields) => {
    const { schema, example } = webhook(event).requestBody.content['application/json'];
    expect(published.faultsAt(schema.$ref, example)).toEqual([]);
    expect(dataFields(schema.$ref)).toEqual(fields.map((alternative) => alternative.toSorted()));
  });

  it('are signed', () => {
    for (const event of Object.keys(all)) {
      const headers = webhook(event).parameters.map(({ name, required }) => [name, required]);
      expect(headers).toEqual([
        ['X-Service-Timestamp', true],
        ['X-Service-Signature', true],
        ['X-Service-Signature-Previous', false],
        ['X-Service-Signature-Mode', false],
        ['X-Service-Signature-Mode-Previous', false],
        ['webhook-id', true],
        ['webhook-timestamp', true],
        ['webhook-signature', true],
      ]);
    }
  });

  function webhook(event: string): z.output<typeof delivery>['post'] {
    const found = webhooks[event];
    if (found === undefined) throw new Error(`no webhook ${event}`);
    return found.post;
  }
});

const object = z.object({ properties: z.record(z.string(), z.unknown()), required: z.array(z.string()) });

function schemaNamed(name: string): z.output<typeof object> {
  return object.parse(components.schemas[name]);
}

function fail(what: string): never {
  throw new Error(what);
}

/** The fields of `data` in the event at a pointer, for each alternative; optional ones are marked. */
function dataFields(pointer: string): string[][] {
  const { properties } = schemaNamed(pointer.split('/').at(-1) ?? '');
  const { anyOf, ...one } = z.looseObject({ anyOf: z.array(z.unknown()).optional() }).parse(properties['data']);
  return (anyOf ?? [one]).map((alternative) => {
    const { properties: fields, required } = object.parse(alternative);
    return Object.keys(fields)
      .map((field) => (required.includes(field) ? field : `${field}?`))
      .toSorted();
  });
}

function exampleOf(part: object): unknown {
  const { success, data } = withExample.safeParse(part);
  return success ? data.content['application/json'].example : undefined;
}

function faultsOfExamples(
  one: Operation,
  { parameters, requestBody, responses }: z.output<typeof documentedOperation>,
): string[] {
  const inQuery = parameters.filter((each) => each.in === 'query' && each.example !== undefined);
  const query = new URLSearchParams(Object.fromEntries(inQuery.map(({ name, example }) => [name, String(example)])));
  const answers = Object.entries(responses).filter(([, part]) => !('$ref' in part));
  return [
    ...published.faultsOfRequest(one, query, requestBody && exampleOf(requestBody)),
    ...answers.flatMap(([status, part]) => published.faultsOfBody(one, Number(status), exampleOf(part))),
  ];
}

/** Objects with fields that allow other fields too. */
function openObjects(value: unknown, at: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const isOpen = 'properties' in value && 'type' in value && !('additionalProperties' in value);
  const inner = Object.entries(value)
    .filter(([key]) => key !== 'example' && key !== 'headers')
    .flatMap(([key, part]) => openObjects(part, `${at}/${key}`));
  return isOpen ? [at, ...inner] : inner;
}

/** Fields, parameters and operations without a description. */
function silent(value: unknown, at: string): string[] {
  if (typeof value !== 'object' || value === null || at.endsWith('/example')) return [];
  const own = Object.entries(value).flatMap(([key, part]) => silent(part, `${at}/${key}`));
  const fields = 'properties' in value && typeof value.properties === 'object' ? (value.properties ?? {}) : {};
  const unsaid = Object.entries(fields).filter(([, field]) => typeof field === 'object' && !isDescribed(field));
  const isEmpty = 'description' in value && value.description === '';
  return [...own, ...unsaid.map(([name]) => `${at}.${name}`), ...(isEmpty ? [at] : [])];
}

function isDescribed(field: unknown): boolean {
  return typeof field === 'object' && field !== null && 'description' in field && field.description !== '';
}

const path = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const REDOCLY = path('node_modules/@redocly/cli/bin/cli.js');

/** Every error and warning of the linter, which must not use the network and exits with 1 if it found any. */
async function lint(file: string): Promise<unknown[]> {
  const args = [REDOCLY, 'lint', file, '--config', path('redocly.yaml'), '--format', 'json'];
  const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const options = { env: { ...process.env, ...quiet }, maxBuffer: 64 * 1024 * 1024 };
  const ended = promisify(execFile)(process.execPath, args, options);
  const { stdout } = await ended.catch((error: unknown) => z.object({ stdout: z.string().min(1) }).parse(error));
  return z.object({ problems: z.array(z.unknown()) }).parse(JSON.parse(stdout)).problems;
}
