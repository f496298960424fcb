import { spyOn } from 'jest-mock';
import { createClient, TidelineError, type TidelineOptions } from 'tideline/client';
import { z } from 'zod';
import { type FakeApi, startFakeApi } from './support/fake-api.ts';

const KEY = 'tl_test_0123456789';

let fake: FakeApi;

beforeEach(async () => {
  await fake?.close();
  fake = await startFakeApi();
});

/** Short pauses, so that retries come soon. */
function client(change: Partial<TidelineOptions> = {}) {
  return createClient({ apiKey: KEY, baseUrl: fake.baseUrl, ...change });
}

async function failureOf(work: Promise<unknown>): Promise<TidelineError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof TidelineError) return error;
    throw error;
  }
  throw new Error('it succeeded');
}

const CUSTOMER = { id: 'cust_1', name: 'Ada' };

describe('a call', () => {
  it('is sent as the reference says: key, path, query, body', async () => {
    fake.answer({ status: 200, body: { offers: [], limit: 5, start: 0 } });
    await client().offers.list({ active: true, identifier: 'a&b c', limit: 5 });
    fake.answer({ status: 201, body: CUSTOMER });
    await client().customers.create({ name: 'Zoë' });
    fake.answer({ status: 200, body: {} });
    await client().offers.retirePrice('offer_1', 'price/2');
    await client().subscriptions.retry('sub_1');
    const [list, create, retire, retry] = fake.seen;
    expect(list).toMatchObject({ method: 'GET', url: '/v1/offers?active=true&identifier=a%26b%20c&limit=5', body: '' });
    expect(create).toMatchObject({ method: 'POST', url: '/v1/customers' });
    expect(JSON.parse(create?.body ?? '')).toEqual({ name: 'Zoë', idempotencyKey: expect.any(String) });
    expect(create?.headers).toMatchObject({ 'x-api-key': KEY, 'content-type': 'application/json' });
    expect(retire).toMatchObject({ method: 'DELETE', url: '/v1/offers/offer_1/pricing/price%2F2', body: '' });
    expect(retry).toMatchObject({ method: 'POST', url: '/v1/subscriptions/sub_1/retry', body: '' });
    expect(retry?.headers).not.toHaveProperty('content-type');
  });

  it('resolves with the body of the answer, and with the whole answer on request', async () => {
    const headers = { 'X-Request-Id': 'req_7', 'X-Ignored-Fields': 'nmae, caf%C3%A9' };
    fake.answer({ status: 201, body: CUSTOMER, headers });
    expect(await client().customers.create({ name: 'Ada' })).toEqual(CUSTOMER);
    expect(await client().customers.create({ name: 'Ada' }).withResponse()).toEqual({
      data: CUSTOMER,
      status: 201,
      requestId: 'req_7',
      replayed: false,
      mismatch: false,
      ignoredFields: ['nmae', 'café'],
    });
  });

  it('resolves with the bytes of a PDF, and rejects with the message of a refusal', async () => {
    fake.answer({ status: 200, body: '%PDF-1.7 é' });
    const pdf = await client().payments.invoicePdf('pay_1', { lang: 'de' });
    expect(Buffer.from(pdf).toString()).toBe('%PDF-1.7 é');
    expect(fake.seen[0]).toMatchObject({ url: '/v1/payments/pay_1/invoice?lang=de' });
    expect(fake.seen[0]?.headers.accept).toBe('application/pdf');
    fake.answer({ status: 404, body: { error: 'This payment has no invoice' } });
    const refused = await failureOf(client().payments.invoicePdf('pay_1'));
    expect([refused.status, refused.message]).toEqual([404, 'This payment has no invoice']);
    fake.answer({ status: 200, body: '<html>' });
    expect((await failureOf(client().payments.invoicePdf('pay_1'))).message).toMatch(/without a PDF: is baseUrl/);
  });

  it('shows if an idempotency key was used before, and with another body', async () => {
    const headers = { 'Idempotency-Replayed': 'true' };
    fake.answer({ status: 200, body: CUSTOMER, headers });
    const replayed = await client().customers.create({ idempotencyKey: 'signup-1' }).withResponse();
    expect(replayed).toMatchObject({ replayed: true, mismatch: false });
    fake.answer({ status: 200, body: CUSTOMER, headers: { ...headers, 'Idempotency-Mismatch': 'true' } });
    const mismatched = await client().customers.create({ idempotencyKey: 'signup-1' }).withResponse();
    expect(mismatched).toMatchObject({ replayed: true, mismatch: true });
    const warned = spyOn(console, 'warn').mockReturnValue();
    const shop = client();
    for (const amount of ['1', '2']) await shop.customers.create({ idempotencyKey: 'signup-1', name: amount });
    await shop.offers.create({ idempotencyKey: 'pro', name: 'Pro', pricing: [] });
    expect(warned.mock.calls).toEqual([
      [expect.stringMatching(/^POST \/customers: the idempotencyKey was used before, with another body\./)],
      [expect.stringMatching(/^POST \/offers: /)],
    ]);
    warned.mockRestore();
    fake.answer({ status: 200, body: {} });
    const replaced = await client().wallets.register({ tokenKey: 'usdc-base', receiverWallet: '0x1' }).withResponse();
    expect(replaced).toMatchObject({ replayed: false, status: 200 });
  });

  it.each(['', '.', '..'])('refuses %j as an id, because it would be another call', async (id) => {
    await expect(client().offers.delete(id)).rejects.toThrow('DELETE /offers/{offerId}: offerId is');
    await expect(client().offers.retirePrice('offer_1', id)).rejects.toThrow('priceId is');
    expect(fake.seen).toEqual([]);
  });

  it('refuses input that is not an object or not JSON', async () => {
    const { offers, subscriptions } = client();
    const anyhow = (method: (...given: never) => unknown, ...given: readonly unknown[]) =>
      Reflect.apply(method, undefined, given);
    await expect(anyhow(offers.get, undefined)).rejects.toThrow('offerId is undefined; expected an id');
    await expect(anyhow(offers.create, 'Pro')).rejects.toThrow('expected an object');
    await expect(anyhow(offers.create, null)).rejects.toThrow('expected an object');
    await expect(anyhow(offers.list, {}, 5)).rejects.toThrow('expected an object');
    await expect(anyhow(subscriptions.update, 'sub_1', { customVariables: { amount: 1n } })).rejects.toThrow('BigInt');
    expect(fake.seen).toEqual([]);
  });
});

describe('a client', () => {
  it.each([
    ['no key', { apiKey: '' }, 'apiKey is no API key'],
    ['a key that is none', { apiKey: 'sk_live_1' }, 'apiKey is no API key'],
    ['a key with a newline', { apiKey: `${KEY}\n` }, 'apiKey is no API key'],
    ['a page', { baseUrl: 'https://pay.example.com/#docs' }, 'baseUrl is https://pay.example.com/#docs'],
    ['an address of another kind', { baseUrl: 'ftp://pay.example.com/v1' }, 'baseUrl is ftp'],
    ['no address', { baseUrl: '' }, 'baseUrl is'],
  ])('is not made with %s', (_, change, message) => {
    const make = () => createClient({ apiKey: KEY, baseUrl: 'https://pay.example.com/v1', ...change });
    expect(make).toThrow(TypeError);
    expect(make).toThrow(message);
    expect(make).not.toThrow(KEY);
  });

  it.each(['/v1', '/v1/', '', '/'])('accepts an address that ends with "%s"', async (end) => {
    fake.answer({ status: 200, body: { wallets: [] } });
    await client({ baseUrl: fake.baseUrl.replace('/v1', end) }).wallets.list();
    expect(fake.seen[0]?.url).toBe('/v1/wallets');
  });

  it('hides its key when it is printed', async () => {
    const { inspect } = await import('node:util');
    expect(inspect(client(), { depth: 20, showHidden: true })).not.toContain(KEY);
  });

  it('does not follow redirects, which would reveal its key', async () => {
    fake.answer({ status: 307, body: '', headers: { Location: `${fake.baseUrl}/elsewhere` } });
    expect(await failureOf(client().wallets.list())).toMatchObject({ status: 307 });
    expect(fake.seen).toHaveLength(1);
  });

  it('uses a given fetch, for its own and for raw calls', async () => {
    const asked: string[] = [];
    const fetch = async (request: Request): Promise<Response> => {
      asked.push(`${request.method} ${request.url}`);
      return Response.json({ wallets: [] });
    };
    const tideline = client({ fetch, baseUrl: 'https://pay.example.com/v1' });
    await tideline.wallets.list();
    await tideline.raw.GET('/wallets');
    expect(asked).toEqual(Array.from({ length: 2 }, () => 'GET https://pay.example.com/v1/wallets'));
  });

  it('offers the API by method and path, without thrown errors and retries', async () => {
    fake.answer({ status: 429, body: { error: 'Rate limit exceeded' }, headers: { 'Retry-After': '0' } });
    const { error, response } = await client().raw.GET('/offers/{offerId}', {
      params: { path: { offerId: 'offer_1' } },
    });
    expect(error).toEqual({ error: 'Rate limit exceeded' });
    expect(response.status).toBe(429);
    expect(fake.seen.map(({ url, headers }) => [url, headers['x-api-key']])).toEqual([['/v1/offers/offer_1', KEY]]);
  });
});

describe('an error', () => {
  it.each([400, 401, 403, 404, 409, 500])('of %d is thrown with its message and request id', async (status) => {
    fake.answer({ status, body: { error: 'what was wrong' }, headers: { 'X-Request-Id': 'req_1' } });
    const error = await failureOf(client().offers.get('offer_1'));
    expect(error).toBeInstanceOf(Error);
    expect({ ...error, message: error.message, name: error.name }).toEqual({
      name: 'TidelineError',
      message: 'what was wrong',
      operation: 'GET /offers/{offerId}',
      status,
      requestId: 'req_1',
      retryAfter: null,
    });
    expect(fake.seen).toHaveLength(1);
  });

  it.each([
    ['nothing', '', 'GET /wallets answered 500'],
    ['a page', '<html>Oops</html>', '<html>Oops</html>'],
    ['JSON of another shape', '{"message": "Oops"}', 'GET /wallets answered 500'],
  ])('has a message even if its body is %s', async (_, body, message) => {
    fake.answer({ status: 500, body });
    expect((await failureOf(client().wallets.list())).message).toBe(message);
  });

  it.each(['', '<html>', '{"wallets": ['])('is thrown for a success that is not JSON: %j', async (body) => {
    fake.answer({ status: 200, body });
    const error = await failureOf(client().wallets.list());
    expect(error).toMatchObject({ status: 200, message: expect.stringContaining('without JSON') });
  });

  it('is thrown once, for the body or the whole answer', async () => {
    fake.answer({ status: 404, body: { error: 'Not found' } });
    expect(await failureOf(client().offers.get('offer_1').withResponse())).toMatchObject({ status: 404 });
    expect(await failureOf(client().offers.get('offer_1'))).toMatchObject({ status: 404 });
  });

  it('gives the reason of a missing answer', async () => {
    const { baseUrl } = fake;
    await fake.close();
    const error = await failureOf(client({ baseUrl, maxRetries: 0 }).customers.create({}));
    expect(error).toMatchObject({ status: 0, requestId: null, operation: 'POST /customers' });
    expect(error.message).toContain('ECONNREFUSED');
    expect(error.cause).toMatchObject({ name: 'TypeError' });
  });
});

describe('a call that a limit refused', () => {
  const refused = { status: 429, body: { error: 'Rate limit exceeded' } };
  const soon = { ...refused, headers: { 'Retry-After': '0' } };
  const tomorrow = { ...refused, headers: { 'Retry-After': '3600' } };

  it.each<[string, (tideline: ReturnType<typeof client>) => Promise<unknown>]>([
    ['a read', (tideline) => tideline.wallets.list()],
    ['a create without a key', (tideline) => tideline.customers.create({})],
    ['a change', (tideline) => tideline.offers.update('offer_1', { active: false })],
  ])('is repeated, whatever its kind: %s', async (_, call) => {
    fake.answer(soon, soon, { status: 200, body: {} });
    expect(await call(client())).toEqual({});
    expect(fake.seen).toHaveLength(3);
    expect(new Set(fake.seen.map(({ method, url, body }) => `${method} ${url} ${body}`)).size).toBe(1);
  });

  it('is repeated after the time in the answer', async () => {
    fake.answer({ ...refused, headers: { 'Retry-After': '1' } }, { status: 200, body: { wallets: [] } });
    const began = performance.now();
    await client().wallets.list();
    expect(performance.now() - began).toBeGreaterThan(990);
  });

  it('fails after a number of tries, for one call or for all', async () => {
    fake.answer(soon);
    expect(await failureOf(client().wallets.list())).toMatchObject({ status: 429, retryAfter: 0 });
    expect(fake.seen).toHaveLength(3);
    await failureOf(client({ maxRetries: 0 }).wallets.list());
    expect(fake.seen).toHaveLength(4);
    await failureOf(client().wallets.list({ maxRetries: 1 }));
    expect(fake.seen).toHaveLength(6);
  });

  it('waits no longer than the limit, and not at all without a time in the answer', async () => {
    fake.answer(tomorrow);
    expect(await failureOf(client().wallets.list())).toMatchObject({ status: 429, retryAfter: 3_600 });
    fake.answer(refused);
    expect(await failureOf(client().wallets.list())).toMatchObject({ status: 429, retryAfter: null });
    fake.answer({ ...refused, headers: { 'Retry-After': '1' } });
    await failureOf(client({ maxRetryWaitMs: 999 }).wallets.list());
    expect(fake.seen).toHaveLength(3);
  });
});

describe('a call without an answer', () => {
  const page = { status: 200, body: { offers: [], limit: 20, start: 0 } };

  it.each(['cut', 'cut in the middle'] as const)('is repeated if it is a read (%s)', async (how) => {
    fake.answer(how, how, page);
    expect(await client().offers.list()).toEqual(page.body);
    expect(fake.seen).toHaveLength(3);
  });

  it.each([502, 503, 504])('is repeated if a gateway answers instead (%d)', async (status) => {
    fake.answer({ status, body: '' }, page);
    expect(await client().offers.list()).toEqual(page.body);
  });

  it('is repeated with the same bytes if it is a create with a key', async () => {
    fake.answer('cut', { status: 201, body: CUSTOMER });
    await client().customers.create({ idempotencyKey: 'signup-1', name: 'Ada' });
    expect(fake.seen.map(({ body }) => body)).toEqual(
      Array.from({ length: 2 }, () => '{"idempotencyKey":"signup-1","name":"Ada"}'),
    );
  });

  it.each([[{ name: 'Ada' }], [{ idempotencyKey: undefined }], []])(
    'is repeated with one new key if it is a create without a key: %j',
    async (...body) => {
      fake.answer('cut', { status: 503 }, { status: 200, body: CUSTOMER });
      const { replayed } = await client()
        .customers.create(...body)
        .withResponse();
      await client().customers.create(...body);
      const keys = fake.seen.map((seen) => z.object({ idempotencyKey: z.string() }).parse(JSON.parse(seen.body)));
      const [first, second, third, other] = keys.map(({ idempotencyKey }) => idempotencyKey);
      expect(first).toMatch(/^auto-[0-9a-hjkmnp-tv-z]{26}$/);
      expect([second, third]).toEqual([first, first]);
      expect(other).not.toBe(first);
      // The caller has made no other call with this key.
      expect(replayed).toBe(false);
    },
  );

  it('repeats usage, which has keys of the caller, and makes none', async () => {
    fake.answer('cut', { status: 201, body: { subscriptionId: 'sub_1', records: [] } });
    const records = [{ quantity: 1, idempotencyKey: 'a run' }];
    await client().subscriptions.recordUsage('sub_1', { records });
    expect(fake.seen.map(({ body }) => JSON.parse(body))).toEqual([{ records }, { records }]);
  });

  it.each<[string, (tideline: ReturnType<typeof client>) => Promise<unknown>]>([
    ['a create that refuses a key', (tideline) => tideline.customers.create({ idempotencyKey: null })],
    ['a change', (tideline) => tideline.offers.update('offer_1', { active: false })],
    ['a deletion', (tideline) => tideline.customers.delete('cust_1')],
    ['a cancel', (tideline) => tideline.subscriptions.cancel('sub_1')],
    ['a retry', (tideline) => tideline.subscriptions.retry('sub_1')],
    ['a rotation', (tideline) => tideline.webhooks.rotateSecret()],
  ])('is not repeated if it may have been done: %s', async (_, call) => {
    fake.answer('cut', { status: 200, body: {} });
    expect(await failureOf(call(client()))).toMatchObject({ status: 0 });
    expect(fake.seen).toHaveLength(1);
    fake.answer({ status: 503, body: { error: 'The exchange rate is unavailable' } }, { status: 200, body: {} });
    expect(await failureOf(call(client()))).toMatchObject({ status: 503 });
  });

  it('fails after a time, and after a number of tries', async () => {
    fake.answer('silence');
    // Counts requests that leave: the time may be over before one arrives.
    let sent = 0;
    const counting = (request: Request) => {
      sent += 1;
      return fetch(request);
    };
    const error = await failureOf(client({ timeoutMs: 30, maxRetries: 1, fetch: counting }).wallets.list());
    expect(error).toMatchObject({ status: 0, message: expect.stringContaining('timeout') });
    expect(sent).toBe(2);
    const another = failureOf(client({ maxRetries: 0, fetch: counting }).wallets.list({ timeoutMs: 30 }));
    expect(await another).toMatchObject({ status: 0, message: expect.stringContaining('timeout') });
    expect(sent).toBe(3);
  });

  it('ends with the reason of its signal as soon as that aborts: before, during and between attempts', async () => {
    const why = new Error('the shop closes');
    await expect(client().wallets.list({ signal: AbortSignal.abort(why) })).rejects.toBe(why);
    expect(fake.seen).toHaveLength(0);

    fake.answer('silence');
    const meanwhile = new AbortController();
    const waiting = client().wallets.list({ signal: meanwhile.signal });
    await reached(1);
    meanwhile.abort(why);
    await expect(waiting).rejects.toBe(why);

    fake.answer({ status: 429, headers: { 'Retry-After': '50' } });
    const between = new AbortController();
    const pausing = client().wallets.list({ signal: between.signal });
    await reached(2);
    between.abort(why);
    await expect(pausing).rejects.toBe(why);
    expect(fake.seen).toHaveLength(2);
  });
});

async function reached(requests: number): Promise<void> {
  while (fake.seen.length < requests) await new Promise((resolve) => setImmediate(resolve));
}

describe('a list', () => {
  const ids = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => ({ id: `pay_${from + index}` }));
  const page = (payments: readonly object[], hasMore = false) => {
    return { status: 200, body: { payments, limit: 2, start: 0, hasMore } };
  };

  async function all(query: Parameters<ReturnType<typeof client>['payments']['all']>[0]): Promise<string[]> {
    const found: string[] = [];
    for await (const { id } of client().payments.all(query)) found.push(id);
    return found;
  }

  it('is iterated to its end, with its filters', async () => {
    fake.answer(page(ids(0, 2), true), page(ids(2, 4), true), page(ids(4, 5)));
    expect(await all({ limit: 2, status: 'settled' })).toEqual(['pay_0', 'pay_1', 'pay_2', 'pay_3', 'pay_4']);
    expect(fake.seen.map(({ url }) => url)).toEqual([
      '/v1/payments?limit=2&status=settled',
      '/v1/payments?limit=2&status=settled&startingAfter=pay_1',
      '/v1/payments?limit=2&status=settled&startingAfter=pay_3',
    ]);
  });

  it('of events is iterated oldest first too, after the last one that was read', async () => {
    fake.answer({ status: 200, body: { events: ids(1, 3), hasMore: true } }, { status: 200, body: { events: [] } });
    const found: string[] = [];
    for await (const { id } of client().events.all({ order: 'asc', after: 'pay_0' })) found.push(id);
    expect(found).toEqual(['pay_1', 'pay_2']);
    expect(fake.seen.map(({ url }) => url)).toEqual([
      '/v1/events?order=asc&after=pay_0&limit=100',
      '/v1/events?order=asc&after=pay_2&limit=100',
    ]);
  });

  it('ends with a full page if no other follows, and with an empty one', async () => {
    fake.answer(page(ids(0, 2)));
    expect(await all({ limit: 2 })).toHaveLength(2);
    expect(fake.seen).toHaveLength(1);
    fake.answer(page(ids(0, 2), true), page([]));
    expect(await all({ limit: 2 })).toHaveLength(2);
    expect(fake.seen).toHaveLength(3);
  });

  it('is read in the largest pages from its beginning by default', async () => {
    fake.answer(page([]));
    expect(await all({})).toEqual([]);
    await all({ start: 7 });
    await all({ startingAfter: 'pay_3' });
    expect(fake.seen.map(({ url }) => url)).toEqual([
      '/v1/payments?limit=100',
      '/v1/payments?start=7&limit=100',
      '/v1/payments?startingAfter=pay_3&limit=100',
    ]);
  });

  it('begins by offset and continues after the last item', async () => {
    fake.answer(page(ids(4, 6), true), page(ids(6, 7)));
    expect(await all({ limit: 2, start: 4 })).toEqual(['pay_4', 'pay_5', 'pay_6']);
    expect(fake.seen.map(({ url }) => url)).toEqual([
      '/v1/payments?limit=2&start=4',
      '/v1/payments?limit=2&startingAfter=pay_5',
    ]);
  });

  it('is read only as far as needed', async () => {
    fake.answer(page(ids(0, 2), true), page(ids(2, 4)));
    for await (const { id } of client().payments.all({ limit: 2 })) if (id === 'pay_1') break;
    expect(fake.seen).toHaveLength(1);
  });

  it('throws the error of a page', async () => {
    fake.answer(page(ids(0, 2), true), { status: 401, body: { error: 'Unauthorized' } });
    await expect(all({ limit: 2 })).rejects.toMatchObject({ status: 401 });
  });
});
