import { z } from 'zod';
import type { WebhookSettings } from '../../../src/store/collections.ts';
import { expectError, type Reply, useHttp, useMerchant } from '../../support/http.ts';

const http = useHttp();
const merchant = useMerchant(http);

const URL = 'https://shop.example.com/hooks';

async function saveUrl(url = URL, key?: string): Promise<void> {
  await merchant.call('PATCH', '/webhooks/endpoint', { url }, key);
}

async function stored(): Promise<WebhookSettings | undefined> {
  return (await http.store.records.get('merchants', [merchant.id]))[0]?.webhook;
}

function rotate(body?: unknown, key?: string): Promise<Reply> {
  return merchant.call('POST', '/webhooks/secret/rotate', body, key);
}

function secretIn({ body }: Reply): string {
  return z.object({ secret: z.string() }).parse(body).secret;
}

describe('GET /webhooks/secret 200', () => {
  it('shows whether there is a secret, but not the secret', async () => {
    const before = await merchant.get('/webhooks/secret');
    expect(before.body).toEqual({ configured: false, webhookUrl: '', webhookUrlTest: '' });
    await saveUrl();
    const after = await merchant.get('/webhooks/secret', merchant.liveKey);
    expect(after.status).toBe(200);
    expect(after.body).toEqual({ configured: true, webhookUrl: '', webhookUrlTest: URL });
  });
});

describe('the signing secret', () => {
  it('is made when the first URL of either environment is saved, and not again', async () => {
    await saveUrl('');
    expect((await stored())?.secret).toBeNull();
    await saveUrl();
    const secret = (await stored())?.secret;
    expect(secret).toMatch(/^whsec_[0-9A-Za-z+/]{43}=$/);
    await saveUrl(URL, merchant.liveKey);
    await saveUrl('');
    expect(await stored()).toMatchObject({ liveUrl: URL, testUrl: '', secret });
  });

  it('is one even if both first URLs are saved at the same time', async () => {
    await Promise.all([saveUrl(), saveUrl(URL, merchant.liveKey)]);
    expect(await stored()).toMatchObject({ liveUrl: URL, testUrl: URL, secret: expect.stringMatching(/^whsec_/) });
  });

  it('after simultaneous rotations is the last one’s, and each overlap has the one before it', async () => {
    await saveUrl();
    const secrets = (await Promise.all([1, 2, 3].map(() => rotate({ overlapSeconds: 60 })))).map(secretIn);
    expect(new Set(secrets).size).toBe(3);
    const { secret, previousSecret } = (await stored()) ?? {};
    expect(secrets).toEqual(expect.arrayContaining([secret, previousSecret]));
  });
});

describe('POST /webhooks/secret/rotate 200', () => {
  it('shows a new secret each time, one for both environments', async () => {
    await saveUrl();
    const first = await rotate();
    const second = await rotate({ overlapSeconds: 604_800 }, merchant.liveKey);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(first.body).toEqual({
      secret: expect.stringMatching(/^whsec_[0-9A-Za-z+/]{43}=$/),
      rotatedAt: http.now.toISOString(),
    });
    expect(secretIn(first)).not.toBe(secretIn(second));
  });
});

describe('POST /webhooks/secret/rotate 200 with scope mode', () => {
  it('shows a new secret of the mode of the key, without a URL and with a live one, and changes no other', async () => {
    const first = await rotate({ scope: 'mode' });
    expect(first.body).toMatchObject({ mode: 'test', previousUntil: null });
    await saveUrl(URL, merchant.liveKey);
    const live = await rotate({ scope: 'mode', overlapSeconds: 60 }, merchant.liveKey);
    expect(live.body).toMatchObject({ mode: 'live', previousUntil: null });
    const before = await stored();
    const second = await rotate({ scope: 'mode', overlapSeconds: 60 });
    const until = new Date(http.now.getTime() + 60_000);
    const times = { rotatedAt: http.now.toISOString(), previousUntil: until.toISOString() };
    expect([second.status, second.body]).toEqual([200, { secret: secretIn(second), mode: 'test', ...times }]);
    const secrets = { secret: secretIn(second), previousSecret: secretIn(first) };
    const test = { ...secrets, secretRotatedAt: http.now, previousSecretUntil: until };
    expect(await stored()).toEqual({ ...before, modeSecrets: { ...before?.modeSecrets, test } });
  });
});

describe('POST /webhooks/secret/rotate 400', () => {
  it.each([-1, 604_801, 1.5, '60'])('refuses an overlap of %j', async (overlapSeconds) => {
    await saveUrl();
    expectError(await rotate({ overlapSeconds }), 400, 'overlapSeconds must be an integer between 0 and 604800');
  });
});

describe('POST /webhooks/secret/rotate 409', () => {
  it('refuses a test key once a live URL is saved: it could forge live events', async () => {
    await saveUrl();
    expect((await rotate()).status).toBe(200);
    await saveUrl(URL, merchant.liveKey);
    const before = await stored();
    const { status, body } = await rotate();
    expect([status, body]).toEqual([409, { error: expect.stringContaining('Send {"scope": "mode"}') }]);
    expect(await stored()).toEqual(before);
    expect((await rotate({}, merchant.liveKey)).status).toBe(200);
  });

  it('answers before the first URL is saved', async () => {
    expect((await rotate()).status).toBe(409);
  });
});
