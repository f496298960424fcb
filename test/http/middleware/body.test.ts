import { request as httpRequest } from 'node:http';
import { BODY_BYTES_MAX } from '../../../src/http/input/body.ts';
import { expectError, type Reply, useHttp, useMerchant } from '../../support/http.ts';

const http = useHttp();
const merchant = useMerchant(http);

function post(body: string, headers: { [name: string]: string } = {}): Promise<Reply> {
  return http.call('POST', '/customers', { key: merchant.key, body, headers });
}

function nested(levels: number): string {
  return `{"x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
}

describe('a body', () => {
  it.each(['application/json', 'text/plain', 'application/xml', 'nonsense'])(
    'is JSON, whatever %s says',
    async (type) => {
      expect((await post('{"name":"Ada"}', { 'Content-Type': type })).status).toBe(201);
    },
  );

  it('may have 64 KB, but no more', async () => {
    const longest = `{"x":"${'x'.repeat(BODY_BYTES_MAX - 8)}"}`;
    expect((await post(longest)).status).toBe(201);
    expectError(await post(`${longest} `), 400, 'body must be at most 65536 bytes long');
  });

  it('is refused if it is too long without a declared length', async () => {
    expect(await postInChunks(20)).toBe(400);
  });

  it('may have 20 levels, but no more', async () => {
    expect((await post(nested(20))).status).toBe(201);
    const { status, body } = await post(nested(21));
    expect([status, body]).toEqual([400, { error: 'body must not be nested deeper than 20 levels' }]);
    expect((await post(nested(30_000))).status).toBe(400);
  });

  it.each([
    ['no JSON', '{name: "Ada"}', 'body must be JSON in UTF-8'],
    ['half of it', '{"name":', 'body must be JSON in UTF-8'],
    ['a word', 'hello', 'body must be JSON in UTF-8'],
    ['a list', '[]', 'body must be a JSON object'],
    ['a number', '5', 'body must be a JSON object'],
    ['__proto__', '{"__proto__":{"isAdmin":true}}', '"__proto__" must not be used as a key'],
    ['constructor, deep down', '{"a":[{"b":{"constructor":1}}]}', '"constructor" must not be used as a key'],
    ['prototype', '{"prototype":null}', '"prototype" must not be used as a key'],
    ['half a surrogate pair', '{"name":"\\ud800"}', 'body must be valid Unicode: a string has half a surrogate pair'],
    ['half a surrogate pair as key', '{"\\udc00":1}', 'body must be valid Unicode: a key has half a surrogate pair'],
    ['a NUL in a key', '{"a\\u0000b":1}', 'body must not have a key with a NUL character'],
    ['a number beyond all numbers', '{"x":1e999}', 'body has a number that is too large'],
  ])('is refused with %s', async (_what, text, message) => {
    expectError(await post(text), 400, message);
    expect(Reflect.get({}, 'isAdmin')).toBeUndefined();
  });

  it.each(['12345678901234567890', '-9007199254740993', '1.00000000000000000001', '1e-400'])(
    'is refused with %s, a number that would change when stored',
    async (number) => {
      const message = 'body has a number with more digits than are kept; send it as a string';
      expectError(await post(`{"x":[{"y":${number}}]}`), 400, message);
    },
  );

  it('has numbers of the stored precision, and strings of any digits', async () => {
    const numbers = '[9007199254740992,1E+300,1.7976931348623157e308,5e-324,0.1,1.00000000000000000,-0.0,0e9,1e2]';
    const texts = String.raw`"y":"12345678901234567890","\\\" 1e-400":"\\"`;
    const { status } = await post(`{"x":${numbers},${texts}}`);
    expect(status).toBe(201);
  });

  it('is refused if it is not UTF-8, or compressed', async () => {
    const response = await fetch(`${http.url}/v1/customers`, {
      method: 'POST',
      headers: { 'X-API-Key': merchant.key },
      body: new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    });
    expect([response.status, await response.json()]).toEqual([400, { error: 'body must be JSON in UTF-8' }]);
    const reply = await post('{}', { 'Content-Encoding': 'gzip' });
    expectError(reply, 400, 'body must not be compressed: Content-Encoding is not supported');
  });

  it('is not read for a GET', async () => {
    expect(await getWithBody('{not json')).toBe(200);
  });
});

describe('a query', () => {
  it('is refused with a key that could reach a prototype', async () => {
    expectError(await merchant.get('/offers?__proto__=1'), 400, '"__proto__" must not be used as a key');
  });
});

describe('X-Ignored-Fields', () => {
  it('cannot be broken by a field name', async () => {
    const { status, headers } = await post('{"a\\r\\nX-Evil: 1":1,"naïve 💩":2,"a.b":3}');
    expect(status).toBe(201);
    expect(headers.get('x-ignored-fields')).toBe('a%0D%0AX-Evil%3A%201, na%C3%AFve%20%F0%9F%92%A9, a.b');
    expect(headers.has('x-evil')).toBe(false);
  });

  it('shows an empty name', async () => {
    const { headers } = await post('{"":{"a":1},"metadata":{"":1}}');
    expect(headers.get('x-ignored-fields')).toBe('%22%22, metadata');
    const { headers: inner } = await merchant.get('/offers?=1');
    expect(inner.get('x-ignored-fields')).toBe('%22%22');
  });

  it('names a typo that causes the refusal', async () => {
    const offer = {
      nmae: 'Pro',
      pricing: [{ amont: '9.90', acceptedTokens: ['usdc-base'], billing: { type: 'recurring', intervall: 'month' } }],
      afterCompletion: { anything: 1 },
    };
    const made = await merchant.post('/offers', offer);
    expectError(made, 400, 'name is required');
    expect(made.headers.get('x-ignored-fields')).toBe('nmae, pricing[0].amont, pricing[0].billing.intervall');
    const listed = await merchant.get('/offers?limit=0&strat=5');
    expect([listed.status, listed.headers.get('x-ignored-fields')]).toEqual([400, 'strat']);
    const changed = await merchant.patch('/offers/offer_1', { pricing: [], desc: 'x' });
    expect([changed.status, changed.headers.get('x-ignored-fields')]).toEqual([400, 'desc']);
  });

  it('has at most ten names', async () => {
    const many = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`f${index}`, 1]));
    const { headers } = await post(JSON.stringify(many));
    expect(headers.get('x-ignored-fields')).toBe('f0, f1, f2, f3, f4, f5, f6, f7, f8, f9');
  });

  it('has at most 256 bytes, in whole characters', async () => {
    const long = await post(JSON.stringify({ [`${'é'.repeat(100)}`]: 1, next: 1 }));
    const header = long.headers.get('x-ignored-fields') ?? '';
    expect(header.length).toBeLessThanOrEqual(256);
    expect(decodeURIComponent(header)).toMatch(/^é{40,}$/);
    const two = await post(JSON.stringify({ [`${'a'.repeat(200)}`]: 1, [`${'b'.repeat(60)}`]: 1, c: 1 }));
    expect(two.headers.get('x-ignored-fields')).toBe(`${'a'.repeat(200)}, c`);
  });
});

/** A body of 64 KB and more in pieces, without a Content-Length. */
function postInChunks(pieces: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', port: http.port, path: '/v1/customers', headers: { 'X-API-Key': merchant.key } };
    const request = httpRequest(options, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', reject);
    for (let piece = 0; piece < pieces; piece += 1) request.write(' '.repeat(8 * 1024));
    request.end();
  });
}

/** `fetch` sends no body with a GET. */
function getWithBody(body: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { 'X-API-Key': merchant.key, 'Content-Length': String(body.length) };
    const request = httpRequest({ method: 'GET', port: http.port, path: '/v1/offers', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', reject);
    request.end(body);
  });
}
