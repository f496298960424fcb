import { z } from 'zod';
import { type HttpHarness, type Reply, startHttp } from '../../support/http.ts';

let http: HttpHarness;
let testKey: string;
let liveKey: string;
beforeAll(async () => {
  http = await startHttp();
});
beforeEach(async () => {
  ({ testKey, liveKey } = await http.merchant());
});

const URL = 'https://shop.example.com/hooks';

async function saveUrl(): Promise<void> {
  await http.call('PATCH', '/webhooks/endpoint', { key: testKey, body: { url: URL } });
}

function rotate(body?: unknown, key = testKey): Promise<Reply> {
  return http.call('POST', '/webhooks/secret/rotate', { key, ...(body === undefined ? {} : { body }) });
}

function secretIn({ body }: Reply): string {
  return z.object({ secret: z.string() }).parse(body).secret;
}

describe('GET /webhooks/secret 200', () => {
  it('shows whether there is a secret, but not the secret', async () => {
    const before = await http.call('GET', '/webhooks/secret', { key: testKey });
    expect(before.body).toEqual({ configured: false, webhookUrl: '', webhookUrlTest: '' });
    await saveUrl();
    const after = await http.call('GET', '/webhooks/secret', { key: liveKey });
    expect(after.status).toBe(200);
    expect(after.body).toEqual({ configured: true, webhookUrl: '', webhookUrlTest: URL });
  });
});

describe('POST /webhooks/secret/rotate 200', () => {
  it('shows a new secret each time, one for both environments', async () => {
    await saveUrl();
    const first = await rotate();
    const second = await rotate({ overlapSeconds: 604_800 }, liveKey);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(first.body).toEqual({
      secret: expect.stringMatching(/^whsec_[0-9A-Za-z+/]{43}=$/),
      rotatedAt: http.now.toISOString(),
    });
    expect(secretIn(first)).not.toBe(secretIn(second));
  });
});

describe('POST /webhooks/secret/rotate 400', () => {
  it.each([-1, 604_801, 1.5, '60'])('refuses an overlap of %j', async (overlapSeconds) => {
    await saveUrl();
    const { status, body } = await rotate({ overlapSeconds });
    expect([status, body]).toEqual([400, { error: 'overlapSeconds must be an integer between 0 and 604800' }]);
  });
});

describe('POST /webhooks/secret/rotate 409', () => {
  it('answers before the first URL is saved', async () => {
    expect((await rotate()).status).toBe(409);
  });
});
