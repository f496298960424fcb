import { dayOf, minuteOf, type Window } from '../../../src/store/windows.ts';
import { type HttpHarness, type Reply, startHttp, useHttp, useMerchant } from '../../support/http.ts';

const http = useHttp();
const merchant = useMerchant(http);
beforeEach(async () => {
  http.now = new Date('2030-01-15T10:00:12.500Z');
});

/** GET /wallets: 60 a minute and 10,000 a day in the sandbox. */
function call(key?: string): Promise<Reply> {
  return merchant.get('/wallets', key);
}

const LATER = new Date('2030-02-01T00:00:00Z');

/** Adds earlier calls to the minute. */
async function raise(server: HttpHarness, subject: string, window: Window, count: number): Promise<number> {
  return server.store.counters.add(`${subject}/${window.name}`, count, LATER);
}

/** Adds earlier calls of the merchant to the day. */
async function raiseDay(count: number): Promise<void> {
  await raise(http, `${merchant.id}/test/GET /wallets`, dayOf(http.now), count);
}

/** Adds earlier calls to the minute, and so to its day. */
async function raiseMinute(count: number, mode = 'test') {
  const key = `${merchant.id}/${mode}/GET /wallets/${dayOf(http.now).name}`;
  return http.store.counters.addPart(key, count, minuteOf(http.now).number, LATER);
}

function limitHeaders({ headers }: Reply): (string | null)[] {
  const names = ['limit', 'remaining', 'reset', 'scope'].map((name) => `x-ratelimit-${name}`);
  return ['retry-after', ...names].map((name) => headers.get(name));
}

describe('the limit per minute', () => {
  it('answers with the headers of the reference, and without a scope', async () => {
    await raiseMinute(59);
    const replies = [await call(), await call()];
    const refused = replies.find(({ status }) => status === 429);
    expect(refused?.body).toEqual({ error: 'Rate limit exceeded' });
    const reset = String(Date.parse('2030-01-15T10:01:00Z') / 1000);
    expect(refused && limitHeaders(refused)).toEqual(['48', '60', '0', reset, null]);
    const passed = replies.find(({ status }) => status === 200);
    expect(passed && limitHeaders(passed)).toEqual([null, null, null, null, null]);
  });

  it('starts again with the minute, to the millisecond', async () => {
    http.now = new Date('2030-01-15T10:00:59.999Z');
    await raiseMinute(60);
    const last = await call();
    const reset = String(Date.parse('2030-01-15T10:01:00Z') / 1000);
    expect([last.status, limitHeaders(last)]).toEqual([429, ['1', '60', '0', reset, null]]);
    http.now = new Date('2030-01-15T10:01:00.000Z');
    expect((await call()).status).toBe(200);
    await raiseMinute(59);
    const next = await call();
    expect([next.status, limitHeaders(next)]).toEqual([429, ['60', '60', '0', String(Number(reset) + 60), null]]);
  });

  it('is separate for each route, environment and merchant', async () => {
    await raiseMinute(60);
    expect((await call()).status).toBe(429);
    expect((await merchant.get('/offers')).status).toBe(200);
    expect((await merchant.post('/wallets', {})).status).toBe(400);
    expect((await call(merchant.liveKey)).status).toBe(200);
    expect((await call((await http.merchant()).testKey)).status).toBe(200);
  });

  it('is the production limit for a live key', async () => {
    await raiseMinute(119, 'live');
    const [last, refused] = [await call(merchant.liveKey), await call(merchant.liveKey)];
    expect([last.status, refused.status]).toEqual([200, 429]);
    expect(refused.headers.get('x-ratelimit-limit')).toBe('120');
  });

  it("is multiplied by the merchant's factor", async () => {
    await http.store.records.change('merchants', merchant.id, {}, { set: { limitFactor: 3 } });
    await raiseMinute(179);
    const [last, refused] = [await call(), await call()];
    expect([last.status, refused.status]).toEqual([200, 429]);
    expect(refused.headers.get('x-ratelimit-limit')).toBe('180');
  });

  it('counts malformed requests', async () => {
    await raiseMinute(59);
    expect((await merchant.get('/wallets?__proto__=1')).status).toBe(400);
    expect((await call()).status).toBe(429);
  });
});

describe('the limit per day', () => {
  it('is reported with its scope', async () => {
    await raiseDay(9_999);
    const [last, refused] = [await call(), await call()];
    expect(last.status).toBe(200);
    expect(refused.status).toBe(429);
    const midnight = Date.parse('2030-01-16T00:00:00Z');
    const seconds = String(Math.ceil((midnight - http.now.getTime()) / 1000));
    expect(limitHeaders(refused)).toEqual([seconds, '10000', '0', String(midnight / 1000), 'day']);
  });

  it('is the one reported if both are exhausted', async () => {
    await raiseDay(9_940);
    await raiseMinute(60);
    const refused = await call();
    expect([refused.headers.get('x-ratelimit-limit'), refused.headers.get('x-ratelimit-scope')]).toEqual([
      '10000',
      'day',
    ]);
  });

  it('counts calls that the minute refuses, and the minute those that the day refuses', async () => {
    await raiseDay(9_939);
    await raiseMinute(60);
    const byMinute = await call();
    expect([byMinute.status, byMinute.headers.get('x-ratelimit-scope')]).toEqual([429, null]);
    http.now = new Date('2030-01-15T10:05:00Z');
    const byDay = await call();
    expect([byDay.status, byDay.headers.get('x-ratelimit-scope')]).toEqual([429, 'day']);
    expect(await raiseMinute(0)).toEqual({ whole: 10_001, part: 1 });
  });

  it('starts again at midnight UTC', async () => {
    http.now = new Date('2030-01-15T23:59:59.999Z');
    await raiseDay(10_000);
    const refused = await call();
    const reset = String(Date.parse('2030-01-16T00:00:00Z') / 1000);
    expect([refused.status, limitHeaders(refused)]).toEqual([429, ['1', '10000', '0', reset, 'day']]);
    http.now = new Date('2030-01-16T00:00:00.000Z');
    expect((await call()).status).toBe(200);
    await raiseDay(9_999);
    const next = await call();
    const nextReset = String(Number(reset) + 86_400);
    expect([next.status, limitHeaders(next)]).toEqual([429, ['86400', '10000', '0', nextReset, 'day']]);
  });
});

describe('failed authentications', () => {
  it('are refused with 429 beyond 300 a minute from one address, while a good key passes', async () => {
    const own = await startHttp();
    const { testKey: good } = await own.merchant();
    await raise(own, 'ip/authentication/127.0.0.1', minuteOf(own.now), 290);
    const asks = Array.from({ length: 15 }, () => own.call('GET', '/wallets', { key: 'tl_test_wrong' }));
    const statuses = (await Promise.all(asks)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(5);
    const refused = await own.call('GET', '/wallets');
    const reset = String(Date.parse('2030-01-15T10:01:00Z') / 1000);
    expect(refused.status).toBe(429);
    expect(limitHeaders(refused)).toEqual(['60', '300', '0', reset, null]);
    expect((await own.call('GET', '/wallets', { key: good })).status).toBe(200);
    own.later(60_000);
    expect((await own.call('GET', '/wallets')).status).toBe(401);
  });

  it('are counted by the address from a trusted proxy, and by no other', async () => {
    const behind = await startHttp({ change: (deps) => ({ ...deps, config: { ...deps.config, trustProxyHops: 1 } }) });
    const ask = (server: HttpHarness, address: string) =>
      server.call('GET', '/wallets', { headers: { 'X-Forwarded-For': address } });
    const direct = await startHttp();
    await raise(behind, 'ip/authentication/203.0.113.1', minuteOf(behind.now), 300);
    await raise(direct, 'ip/authentication/127.0.0.1', minuteOf(direct.now), 300);
    expect((await ask(behind, '203.0.113.1')).status).toBe(429);
    expect((await ask(behind, '203.0.113.2')).status).toBe(401);
    // Addresses from the client precede those of the trusted proxy.
    expect((await ask(behind, '203.0.113.2, 203.0.113.1')).status).toBe(429);
    expect((await ask(behind, '203.0.113.1, 203.0.113.2')).status).toBe(401);
    expect((await ask(direct, '203.0.113.2')).status).toBe(429);
  });
});
