import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from 'tideline/client';
import { z } from 'zod';
import { openApiDocument } from '../../src/api/openapi/document.ts';

const CLIENT = join(import.meta.dirname, '../../packages/client/src');

const DOCUMENT = openApiDocument({ publicUrl: 'https://pay.example.com' });

const operation = z.object({
  parameters: z.array(z.object({ in: z.string() })).optional(),
  requestBody: z.unknown().optional(),
});

/** Every operation of the document with its input: `POST /offers` → body. */
const DOCUMENTED = Object.entries(z.record(z.string(), z.record(z.string(), operation)).parse(DOCUMENT['paths']))
  .flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, { parameters = [], requestBody }]) => {
      const takesQuery = parameters.some((parameter) => parameter.in === 'query');
      const takes = requestBody !== undefined ? 'body' : takesQuery ? 'query' : 'nothing';
      return `${verb.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, '{}')} ${takes}`;
    }),
  )
  .sort();

/** The request of a client method with an id for each parameter, and one more argument. */
async function askedBy(method: unknown): Promise<string> {
  if (typeof method !== 'function') throw new Error('it is no method');
  for (const ids of [[], ['one'], ['one', 'two']]) {
    asked.length = 0;
    const failure = await Reflect.apply(method, undefined, [...ids, { probe: 'me' }]).catch((error: unknown) => error);
    if (!(failure instanceof TypeError)) return z.string().parse(asked[0]);
  }
  throw new Error('it asks for nothing, however many ids it is given');
}

const asked: string[] = [];

/** Records the request, and answers `{}`. */
async function remember(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const path = pathname.replace('/v1', '').replaceAll(/\/(one|two)(?=\/|$)/g, '/{}');
  const body = await request.text();
  const takes = body.startsWith('{"probe":"me"') ? 'body' : search === '?probe=me' ? 'query' : 'nothing';
  asked.push(`${request.method} ${path} ${takes}`);
  return Response.json({});
}

const { raw, ...resources } = createClient({
  apiKey: 'tl_test_1',
  baseUrl: 'https://pay.example.com/v1',
  fetch: remember,
});

const METHODS = Object.entries(resources).flatMap(([group, methods]) =>
  Object.entries(methods).map(([name, method]: [string, unknown]) => ({ name: `${group}.${name}`, method })),
);

describe('the methods of the client', () => {
  it('cover all operations of the document, each once, with body or query as documented', async () => {
    const found: string[] = [];
    for (const { name, method } of METHODS) if (!/\.(all|invoicePdf)$/.test(name)) found.push(await askedBy(method));
    expect(found.sort()).toEqual(DOCUMENTED);
  });

  it('iterate over every list that has pages', () => {
    const lists = DOCUMENTED.filter((row) => row.startsWith('GET ') && row.endsWith(' query')).map(
      (row) => row.split(' ')[1],
    );
    const through = METHODS.filter(({ name }) => name.endsWith('.all')).map(({ name }) => `/${name.split('.')[0]}`);
    const WITHOUT_PAGES = [
      '/currencies',
      '/revenue',
      '/revenue/cohorts',
      '/payments/{}/refunds/{}',
      '/coupons/{}/redemptions',
      '/payments/{}/invoice',
    ];
    expect(through.sort()).toEqual(lists.filter((path) => !WITHOUT_PAGES.includes(path ?? '')).sort());
  });
});

describe('the client as a separate part', () => {
  const files = readdirSync(CLIENT, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));

  it('imports only openapi-fetch and itself, and Node in one entry', () => {
    const foreign = files.flatMap((file) => {
      const code = readFileSync(join(CLIENT, file), 'utf8');
      const imports = [...code.matchAll(/(?:\bfrom|\bimport\(|^import)\s*'([^']+)'/gm)].map(([, from = '']) => from);
      const depth = file.split(/[\\/]/).length - 1;
      const isOwn = (from: string) => from.startsWith('./') || (depth > 0 && /^\.\.\/[^.]/.test(from));
      return imports.filter((from) => !isOwn(from)).map((from) => `${file} ${from}`);
    });
    expect([...new Set(foreign)].sort()).toEqual([
      'create-client.ts openapi-fetch',
      'node.ts node:crypto',
      'transport.ts openapi-fetch',
    ]);
  });
});
