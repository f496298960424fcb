import { ROUTES } from '../../src/api/routes.ts';
import { secretHash } from '../../src/model/secrets.ts';
import { type HttpHarness, startHttp } from '../support/http.ts';

let http: HttpHarness;
beforeAll(async () => {
  http = await startHttp();
});

const rows = ROUTES.map(({ method, path }) => [method, path.replaceAll(/\{\w+\}/g, 'some_id')] as const);

/** Headers of callers who may not call. */
let strangers: readonly { readonly [name: string]: string }[];
beforeAll(async () => {
  const suspended = await http.merchant();
  await http.store.records.change('merchants', suspended.merchant._id, {}, { set: { status: 'suspended' } });
  const revoked = await http.merchant();
  for (const key of [revoked.testKey, revoked.liveKey]) {
    await http.store.records.change('apiKeys', secretHash(key), {}, { set: { revokedAt: http.now } });
  }
  const keys = ['', 'tl_test_unknown', suspended.testKey, suspended.liveKey, revoked.testKey];
  const { testKey } = await http.merchant();
  strangers = [{}, { Authorization: `Bearer ${testKey}` }, ...keys.map((key) => ({ 'X-API-Key': key }))];
});

describe('401, on every route', () => {
  it.each(rows)('answers every such caller of %s %s with the same bytes', async (method, path) => {
    http.now = new Date(http.now.getTime() + 60_000);
    const answers = strangers.map(async (headers) => {
      const response = await fetch(`${http.url}/v1${path}`, { method, headers });
      return [response.status, await response.text()];
    });
    expect(await Promise.all(answers)).toEqual(strangers.map(() => [401, '{"error":"Unauthorized"}']));
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

  it.each(['/v1', '/v2/offers', '/offers', '/favicon.ico'])('answers %s', async (path) => {
    const { status, body } = await http.send('GET', path);
    expect([status, body]).toEqual([404, { error: 'Not found' }]);
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
