import { createClient, type TidelineError } from 'tideline/client';
import { ALICE } from '../support/bodies.ts';
import { startHttp } from '../support/http.ts';

const http = await startHttp();

const { testKey, liveKey } = await http.merchant();
const baseUrl = `${http.url}/v1`;
const tideline = createClient({ apiKey: testKey, baseUrl, maxRetries: 0 });
const live = createClient({ apiKey: liveKey, baseUrl, maxRetries: 0 });

describe('the client on the API', () => {
  it('distinguishes a replay from a first call, and names unread fields', async () => {
    const body = { name: 'Ada', idempotencyKey: 'signup-1' };
    const first = await tideline.customers.create(body).withResponse();
    expect(first).toMatchObject({ status: 201, replayed: false, mismatch: false, ignoredFields: [] });
    expect(first.requestId).toMatch(/^req_/);
    const again = await tideline.customers.create(body).withResponse();
    expect(again).toMatchObject({ status: 200, replayed: true, mismatch: false, data: first.data });
    const changed = { ...body, name: 'Zoë', nmae: 'Zoë', 'ü, ß': 1 };
    const other = await tideline.customers.create(changed).withResponse();
    expect(other).toMatchObject({ replayed: true, mismatch: true, data: first.data });
    expect(other.ignoredFields.toSorted()).toEqual(['nmae', 'ü, ß']);
  });

  it('makes one customer although an answer was lost, and another one with the next call', async () => {
    const { merchant, testKey } = await http.merchant();
    let isLost = false;
    const losing = async (request: Request): Promise<Response> => {
      const response = await fetch(request);
      if (isLost) return response;
      isLost = true;
      throw new TypeError('the connection was cut');
    };
    const { customers } = createClient({ apiKey: testKey, baseUrl: `${http.url}/v1`, fetch: losing });
    const made = await customers.create({ name: 'Ada' });
    expect((await customers.list()).customers).toEqual([made]);
    const other = await customers.create({ name: 'Ada' });
    const ids = (await customers.list()).customers.map(({ id }) => id);
    expect(ids.toSorted()).toEqual([made.id, other.id].toSorted());
    expect(made.merchantId).toBe(merchant._id);
  });

  it.each<[number, string, () => Promise<unknown>]>([
    [400, 'limit must be between 1 and 100', () => tideline.payments.list({ limit: 101 })],
    [401, 'Unauthorized', () => createClient({ apiKey: 'tl_test_x', baseUrl: `${http.url}/v1` }).wallets.list()],
    [403, '', () => live.sandbox.charge({ subscriptionId: 'sub_01hm0000000000000000000001' })],
    [404, 'Not found', () => tideline.offers.get('offer_01hm0000000000000000000001')],
    [404, 'Not found', () => tideline.offers.get('../wallets')],
    [409, '', () => duplicate()],
  ])('throws %d with the message of the API: %s', async (status, message, call) => {
    const error: TidelineError = await call().then(
      () => Promise.reject(new Error('it succeeded')),
      (thrown) => thrown,
    );
    expect(error).toMatchObject({ name: 'TidelineError', status, requestId: expect.stringMatching(/^req_/) });
    expect(error.message).toContain(message);
    expect(error.message).not.toContain('{');
  });

  async function duplicate(): Promise<unknown> {
    const wallets = [{ chainFamily: 'evm', address: ALICE } as const];
    await tideline.customers.create({ wallets });
    return tideline.customers.create({ wallets });
  }

  it('gets the time of the next call from a limit', async () => {
    const other = await http.merchant();
    const { webhooks } = createClient({ apiKey: other.testKey, baseUrl: `${http.url}/v1`, maxRetries: 0 });
    const calls = Array.from({ length: 31 }, () => webhooks.getSecret().catch((error: unknown) => error));
    const refused = (await Promise.all(calls)).filter((answer) => answer instanceof Error);
    expect(refused).toMatchObject([{ status: 429, retryAfter: 60, message: 'Rate limit exceeded' }]);
  });
});
