import { z } from 'zod';
import { ROUTES, type Route } from '../../src/api/routes.ts';
import { secretHash } from '../../src/model/secrets.ts';
import { dayOf, minuteOf } from '../../src/store/windows.ts';
import { expectError, useHttp } from '../support/http.ts';

const http = useHttp();
const rows = ROUTES.map(({ method, path }) => [method, path.replaceAll(/\{\w+\}/g, 'some_id')] as const);
const named = ROUTES.map((row) => [`${row.method} ${row.path}`, row] as const);
const withBody = named.filter(([, { method }]) => method !== 'GET');

type Fields = { readonly [field: string]: unknown };

/** Sends the example of the published document, with this body or this query in place of its own. */
function ask(row: Route, key: string, { query = '', body }: { query?: string; body?: unknown } = {}) {
  const { params, body: shown = {} } = row.endpoint.example;
  const path = row.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(params?.[name]));
  return http.call(row.method, `${path}?${query}`, { key, ...(row.method === 'GET' ? {} : { body: body ?? shown }) });
}

/** A merchant whose calls reach no limit. */
async function keyWithoutLimits(): Promise<string> {
  const { merchant, testKey } = await http.merchant();
  await http.store.records.change('merchants', merchant._id, {}, { set: { limitFactor: 1_000 } });
  return testKey;
}

/** Headers of callers who may not call. */
const suspended = await http.merchant();
await http.store.records.change('merchants', suspended.merchant._id, {}, { set: { status: 'suspended' } });
const revoked = await http.merchant();
for (const key of [revoked.testKey, revoked.liveKey]) {
  await http.store.records.change('apiKeys', secretHash(key), {}, { set: { revokedAt: http.now } });
}
const keys = ['', 'tl_test_unknown', suspended.testKey, suspended.liveKey, revoked.testKey];
const { testKey } = await http.merchant();
const strangers = [{}, { Authorization: `Bearer ${testKey}` }, ...keys.map((key) => ({ 'X-API-Key': key }))];

describe('401, on every route', () => {
  it.each(rows)('answers every such caller of %s %s with the same bytes', async (method, path) => {
    http.later(60_000);
    const answers = strangers.map(async (headers) => {
      const response = await fetch(`${http.url}/v1${path}`, { method, headers });
      return [response.status, await response.text()];
    });
    expect(await Promise.all(answers)).toEqual(strangers.map(() => [401, '{"error":"Unauthorized"}']));
  });
});

describe('403, on every route for the keys of one mode', () => {
  it.each(named.filter(([, { mode }]) => mode !== 'both'))(
    'answers %s before it counts the call',
    async (_name, row) => {
      const { testKey, liveKey } = await http.merchant();
      const wrong = row.mode === 'test' ? liveKey : testKey;
      // The first use of a key on a day is noted.
      await ask(row, wrong);
      const before = http.store.roundTrips();
      expectError(await ask(row, wrong), 403, `This endpoint takes ${row.mode} keys only`);
      // Key and merchant were read, and no window was raised.
      expect(http.store.roundTrips() - before).toBe(1);
    },
  );
});

describe('429, on every route', () => {
  it.each(named)('answers the first call of %s above the limit of its minute', async (name, row) => {
    const { merchant, testKey } = await http.merchant();
    const { minute } = row.limits.test;
    const day = `${merchant._id}/test/${name}/${dayOf(http.now).name}`;
    await http.store.counters.addPart(day, minute - 1, minuteOf(http.now).number, new Date('2031-01-01T00:00:00Z'));
    const [last, refused] = [await ask(row, testKey), await ask(row, testKey)];
    expect([last.status === 429, refused.status, refused.body]).toEqual([false, 429, { error: 'Rate limit exceeded' }]);
    expect(refused.headers.get('x-ratelimit-limit')).toBe(String(minute));
  });
});

describe('400, on every route', () => {
  it.each(withBody)('answers %s with a body that is no JSON object', async (_name, row) => {
    const key = await keyWithoutLimits();
    const errors = ['{', '[]', 'null', '"text"'].map(async (body) => (await ask(row, key, { body })).body);
    const noObject = { error: 'body must be a JSON object' };
    expect(await Promise.all(errors)).toEqual([{ error: 'body must be JSON in UTF-8' }, noObject, noObject, noObject]);
  });

  it.each(withBody)('names the field of %s that is missing, or has another type', async (_name, row) => {
    const key = await keyWithoutLimits();
    const body: Fields = row.endpoint.example.body ?? {};
    for (const [field, schema] of Object.entries<z.ZodType>(row.endpoint.body.shape)) {
      const wrong = [7, 'text'].find((value) => !schema.safeParse(value).success);
      const reply = await ask(row, key, { body: { ...body, [field]: wrong } });
      expectError(reply, 400, expect.stringMatching(`^${field}[ .[]`));
      if (schema.safeParse(undefined).success) continue;
      const { [field]: _left, ...others } = body;
      expectError(await ask(row, key, { body: others }), 400, `${field} is required`);
    }
  });

  it.each(named.filter(([name, { method }]) => method === 'PATCH' && !name.endsWith('/batch')))(
    '%s takes or refuses each field that it shows',
    (_name, { endpoint }) => {
      const shown = z.instanceof(z.ZodObject).parse(endpoint.responses[200]).shape;
      expect(Object.keys(endpoint.body.shape)).toEqual(expect.arrayContaining(Object.keys(shown)));
    },
  );

  it.each(named)('names the parameter of %s that is repeated', async (_name, row) => {
    const key = await keyWithoutLimits();
    for (const field of Object.keys(row.endpoint.query.shape)) {
      expectError(await ask(row, key, { query: `${field}=1&${field}=1` }), 400, expect.stringMatching(`^${field} `));
    }
  });
});

describe('X-Ignored-Fields, on every route', () => {
  it.each(named)('names the parameter and the field that %s does not know', async (_name, row) => {
    const key = await keyWithoutLimits();
    const { headers } = await ask(row, key, { query: 'nmae=1', body: { ...row.endpoint.example.body, eman: 1 } });
    expect(headers.get('x-ignored-fields')).toBe(row.method === 'GET' ? 'nmae' : 'nmae, eman');
  });
});

describe('404 before authentication', () => {
  it.each([
    ['GET', '/'],
    ['GET', '/plans'],
    ['POST', '/plans'],
    ['POST', '/paylinks'],
    ['POST', '/charges'],
    ['GET', '/plans/identifier/x'],
    ['POST', '/paylinks/x/variants'],
    ['PUT', '/offers'],
    ['DELETE', '/currencies'],
    ['OPTIONS', '/offers'],
    ['GET', '/Offers'],
    ['GET', '/offers/'],
    ['GET', '/offers//'],
    ['GET', '/offers/a/b'],
    ['GET', '/offers/%zz'],
    ['POST', '/offers/%E0%A4%A'],
  ])('answers %s %s', async (method, path) => {
    const { status, body, headers } = await http.send(method, `/v1${path}`);
    expect([status, body]).toEqual([404, { error: 'Not found' }]);
    expect(headers.get('x-request-id')).toMatch(/^req_/);
    expect(headers.has('allow')).toBe(false);
  });

  it('answers HEAD where there is no GET', async () => {
    const { testKey } = await http.merchant();
    expect((await http.send('HEAD', '/v1/sandbox/charge', { key: testKey })).status).toBe(404);
  });

  it.each(['/v1', '/v2/offers', '/offers'])('answers %s', async (path) => {
    expectError(await http.send('GET', path), 404, 'Not found');
  });
});

describe('every response', () => {
  it('has its own id, and no header that reveals or caches', async () => {
    const { testKey } = await http.merchant();
    const first = await http.call('GET', '/offers', { key: testKey, headers: { 'X-Request-Id': 'mine' } });
    const second = await http.call('GET', '/offers', { key: testKey, headers: { 'If-None-Match': '*' } });
    expect(first.headers.get('x-request-id')).not.toBe('mine');
    expect(first.headers.get('x-request-id')).not.toBe(second.headers.get('x-request-id'));
    expect(second.status).toBe(200);
    for (const name of ['x-powered-by', 'etag', 'server', 'x-ignored-fields'])
      expect(first.headers.has(name)).toBe(false);
    expect(first.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(first.headers.get('cache-control')).toBe('no-store');
  });
});
