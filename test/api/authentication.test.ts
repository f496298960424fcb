import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { secretHash } from '../../src/model/secrets.ts';
import { minuteOf } from '../../src/store/windows.ts';
import { startHttp, useHttp } from '../support/http.ts';

const http = useHttp();
const { testKey } = await http.merchant();

/** Sends a request byte by byte, and returns the status and the body of the answer. */
async function raw(port: number, ...headers: readonly (string | Buffer)[]): Promise<[status: number, body: string]> {
  const socket = connect(port, '127.0.0.1');
  const lines = headers.flatMap((header) => [Buffer.from(header), Buffer.from('\r\n')]);
  const start = 'GET /v1/offers HTTP/1.1\r\nHost: x\r\nConnection: close\r\n';
  socket.end(Buffer.concat([Buffer.from(start), ...lines, Buffer.from('\r\n')]));
  const answer = await text(socket);
  return [Number(answer.slice(9, 12)), answer.slice(answer.indexOf('\r\n\r\n') + 4)];
}

const REFUSED = [401, '{"error":"Unauthorized"}'];

describe('X-API-Key', () => {
  it("accepts any case of the header's name, and blanks around the key", async () => {
    for (const header of [`x-api-key: ${testKey}`, `X-API-KEY:${testKey}`, `X-Api-Key: \t ${testKey}  `]) {
      expect((await raw(http.port, header))[0]).toBe(200);
    }
  });

  it('refuses two keys, even equal ones', async () => {
    const header = `X-API-Key: ${testKey}`;
    expect(await raw(http.port, header, header)).toEqual(REFUSED);
    expect(await raw(http.port, header, 'X-API-Key: tl_test_other')).toEqual(REFUSED);
    expect(await raw(http.port, header, 'X-API-Key:')).toEqual(REFUSED);
  });

  it.each([
    ['another case of the key', () => testKey.toUpperCase()],
    ['a part of it', () => testKey.slice(0, -1)],
    ['more than it', () => `${testKey}0`],
    ['its hash', () => secretHash(testKey)],
    ['the prefix alone', () => 'tl_test_'],
    ['a list with it', () => `${testKey}, ${testKey}`],
    ['8 KB', () => 'k'.repeat(8_192)],
    ['operators of a database', () => '{"$ne": null}'],
  ])('refuses %s', async (_what, key) => {
    expect(await raw(http.port, `X-API-Key: ${key()}`)).toEqual(REFUSED);
  });

  it('refuses bytes that are not text', async () => {
    const bytes = Buffer.from([0x80, 0xff, 0xc3, 0x28, 0xa0]);
    expect(await raw(http.port, Buffer.concat([Buffer.from('X-API-Key: '), bytes]))).toEqual(REFUSED);
    expect(await raw(http.port, Buffer.concat([Buffer.from(`X-API-Key: ${testKey}`), bytes]))).toEqual(REFUSED);
  });

  it('reads no key from Authorization, the query or a cookie', async () => {
    for (const header of [`Authorization: Bearer ${testKey}`, `Cookie: X-API-Key=${testKey}`]) {
      expect(await raw(http.port, header)).toEqual(REFUSED);
    }
    expect((await http.call('GET', `/offers?X-API-Key=${testKey}`)).status).toBe(401);
  });
});

describe('a key that may not call', () => {
  it('costs the same database calls if it is unknown, revoked, or its merchant is suspended', async () => {
    const [suspended, revoked] = [await http.merchant(), await http.merchant()];
    await http.store.records.change('merchants', suspended.merchant._id, {}, { set: { status: 'suspended' } });
    await http.store.records.change('apiKeys', secretHash(revoked.testKey), {}, { set: { revokedAt: http.now } });
    const counts: number[] = [];
    for (const key of ['tl_test_unknown', revoked.testKey, suspended.testKey, suspended.liveKey]) {
      const before = http.store.roundTrips();
      expect((await http.call('GET', '/offers', { key })).status).toBe(401);
      counts.push(http.store.roundTrips() - before);
    }
    // One read, and the count of failures of this address.
    expect(counts).toEqual([2, 2, 2, 2]);
  });
});

describe('failed authentications behind a proxy', () => {
  it('are counted together, with 100 times the limit, if a proxy names no address', async () => {
    const behind = await startHttp({ change: (deps) => ({ ...deps, config: { ...deps.config, trustProxyHops: 1 } }) });
    const bucket = `ip/authentication/via/127.0.0.1/${minuteOf(behind.now).name}`;
    await behind.store.counters.add(bucket, 29_998, new Date('2030-02-01T00:00:00Z'));
    const ask = (forwarded: string) => behind.call('GET', '/wallets', { headers: { 'X-Forwarded-For': forwarded } });
    const replies = [await ask('unknown'), await ask('_hidden'), await ask('<b>')];
    expect(replies.map(({ status }) => status)).toEqual([401, 401, 429]);
    expect(replies[2]?.headers.get('x-ratelimit-limit')).toBe('30000');
  });
});
