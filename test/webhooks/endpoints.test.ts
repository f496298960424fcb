import type { MerchantDoc, WebhookSettings } from '../../src/store/collections.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { Store } from '../../src/store/port.ts';
import { AddressGuard } from '../../src/webhooks/address-guard.ts';
import { WebhookEndpoints } from '../../src/webhooks/endpoints.ts';
import { SecretBox } from '../../src/webhooks/secret-box.ts';
import { NO_POSTER } from '../../stage/in-process-service.ts';
import { TestClock } from '../engine/support/world.ts';
import { makeMerchant } from './world.ts';

let store: Store;
let clock: TestClock;
let endpoints: WebhookEndpoints;

beforeEach(() => {
  store = openMemoryStore();
  clock = new TestClock();
  const resolve = async (name: string) => (name === 'inside.example' ? ['10.0.0.1'] : ['93.184.216.34']);
  endpoints = new WebhookEndpoints({
    records: store.records,
    clock: clock.now,
    guard: new AddressGuard({ resolve, allowLoopback: false }),
    poster: NO_POSTER,
    secrets: new SecretBox(null),
  });
});

async function merchant(webhook: Partial<WebhookSettings> = {}): Promise<{ id: string; test: Tenant; live: Tenant }> {
  const { _id: merchantId } = await makeMerchant(store, { secret: null, ...webhook });
  return { id: merchantId, test: { merchantId, mode: 'test' }, live: { merchantId, mode: 'live' } };
}

type Tenant = Parameters<WebhookEndpoints['endpoint']>[0];

async function stored(id: string): Promise<MerchantDoc> {
  const [doc] = await store.records.get('merchants', [id]);
  if (!doc) throw new Error('the merchant was expected');
  return doc;
}

describe('the endpoint', () => {
  it('is empty at first, and deliveries go nowhere', async () => {
    const { test, live } = await merchant();
    const empty = { url: '', effectiveUrl: null, extraEvents: false };
    expect(await endpoints.endpoint(test)).toEqual({ environment: 'sandbox', ...empty });
    expect(await endpoints.endpoint(live)).toEqual({ environment: 'live', ...empty });
  });

  it('of one environment is written by its own key only', async () => {
    const { test, live } = await merchant();
    expect(await endpoints.setEndpoint(test, { url: 'http://a.example/t' })).toMatchObject({
      environment: 'sandbox',
      url: 'http://a.example/t',
      effectiveUrl: 'http://a.example/t',
    });
    expect(await endpoints.endpoint(live)).toMatchObject({ url: '', effectiveUrl: null });
    await endpoints.setEndpoint(live, { url: 'https://a.example/l' });
    expect(await endpoints.endpoint(live)).toMatchObject({
      url: 'https://a.example/l',
      effectiveUrl: 'https://a.example/l',
    });
    expect(await endpoints.endpoint(test)).toMatchObject({ url: 'http://a.example/t' });
  });

  it('of the sandbox falls back to the live one, but the live one never to the sandbox’s', async () => {
    const { test, live } = await merchant();
    await endpoints.setEndpoint(live, { url: 'https://a.example/l' });
    expect(await endpoints.endpoint(test)).toMatchObject({ url: '', effectiveUrl: 'https://a.example/l' });
    await endpoints.setEndpoint(test, { url: 'https://a.example/t' });
    expect(await endpoints.setEndpoint(live, { url: '' })).toMatchObject({ url: '', effectiveUrl: null });
    expect(await endpoints.setEndpoint(test, { url: '' })).toMatchObject({ url: '', effectiveUrl: null });
  });

  it('is stored as sent', async () => {
    const { test } = await merchant();
    const url = 'HTTPS://Hooks.Example:443';
    expect((await endpoints.setEndpoint(test, { url })).url).toBe(url);
  });

  it.each(['http://inside.example/', 'http://10.0.0.1/', 'nonsense', 'http://u:p@a.example/'])(
    'refuses %s, names url, and does not change',
    async (url) => {
      const { id, test } = await merchant({ testUrl: 'https://a.example/' });
      const refused = endpoints.setEndpoint(test, { url, extraEvents: true });
      await expect(refused).rejects.toMatchObject({ code: 'invalid', message: expect.stringMatching(/^url must /) });
      const { webhook } = await stored(id);
      expect(webhook).toMatchObject({ testUrl: 'https://a.example/', secret: null, extraEvents: { test: false } });
    },
  );

  it('accepts extra events per environment, with and without a URL', async () => {
    const { id, test } = await merchant({ testUrl: 'https://a.example/' });
    expect(await endpoints.setEndpoint(test, { extraEvents: true })).toMatchObject({
      url: 'https://a.example/',
      extraEvents: true,
    });
    expect((await stored(id)).webhook.extraEvents).toEqual({ live: false, test: true });
    await endpoints.setEndpoint(test, { url: 'https://b.example/', extraEvents: false });
    expect((await stored(id)).webhook).toMatchObject({
      testUrl: 'https://b.example/',
      extraEvents: { live: false, test: false },
    });
  });

  it('of an unknown merchant answers 404', async () => {
    const nobody = { merchantId: 'mrc_x', mode: 'test' } as const;
    await expect(endpoints.endpoint(nobody)).rejects.toMatchObject({ code: 'not_found' });
    await expect(endpoints.setEndpoint(nobody, { url: 'https://a.example/' })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(endpoints.secretStatus(nobody)).rejects.toMatchObject({ code: 'not_found' });
    await expect(endpoints.rotateSecret(nobody)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('the signing secret', () => {
  it('is made when the first URL of either environment is saved, and not again', async () => {
    const { id, test, live } = await merchant();
    await endpoints.setEndpoint(test, { url: '' });
    await endpoints.setEndpoint(test, { extraEvents: true });
    expect(await endpoints.secretStatus(test)).toEqual({ configured: false, webhookUrl: '', webhookUrlTest: '' });

    await endpoints.setEndpoint(test, { url: 'https://a.example/t' });
    const { secret } = (await stored(id)).webhook;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    await endpoints.setEndpoint(live, { url: 'https://a.example/l' });
    await endpoints.setEndpoint(test, { url: '' });
    expect((await stored(id)).webhook.secret).toBe(secret);
    expect(await endpoints.secretStatus(live)).toEqual({
      configured: true,
      webhookUrl: 'https://a.example/l',
      webhookUrlTest: '',
    });
  });

  it('is one even if both first URLs are saved at the same time', async () => {
    const { id, test, live } = await merchant();
    await Promise.all([
      endpoints.setEndpoint(test, { url: 'https://a.example/t' }),
      endpoints.setEndpoint(live, { url: 'https://a.example/l' }),
    ]);
    expect((await stored(id)).webhook).toMatchObject({
      testUrl: 'https://a.example/t',
      liveUrl: 'https://a.example/l',
      secret: expect.stringMatching(/^whsec_/),
    });
  });

  it('is not rotated before a URL has been saved: 409', async () => {
    const { test } = await merchant();
    await expect(endpoints.rotateSecret(test)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('is replaced at once, and only the rotation returns it', async () => {
    const { id, test } = await merchant();
    await endpoints.setEndpoint(test, { url: 'https://a.example/' });
    const before = (await stored(id)).webhook.secret;
    clock.advance(5_000);
    const rotated = await endpoints.rotateSecret(test);
    expect(rotated).toEqual({ secret: expect.stringMatching(/^whsec_/), rotatedAt: clock.now() });
    expect(rotated.secret).not.toBe(before);
    expect((await stored(id)).webhook).toMatchObject({
      secret: rotated.secret,
      secretRotatedAt: clock.now(),
      previousSecret: null,
      previousSecretUntil: null,
    });
    expect(JSON.stringify(await endpoints.secretStatus(test))).not.toContain('whsec_');
  });

  it('still signs beside the new one during the overlap', async () => {
    const { id, test } = await merchant({ secret: 'whsec_old' });
    const { secret } = await endpoints.rotateSecret(test, { overlapSeconds: 3_600 });
    expect((await stored(id)).webhook).toMatchObject({
      secret,
      previousSecret: 'whsec_old',
      previousSecretUntil: new Date(clock.now().getTime() + 3_600_000),
    });
    await endpoints.rotateSecret(test);
    expect((await stored(id)).webhook).toMatchObject({ previousSecret: null, previousSecretUntil: null });
  });

  it('after simultaneous rotations is the last one’s, and each overlap has the one before it', async () => {
    const { id, test } = await merchant({ secret: 'whsec_old' });
    const rotated = await Promise.all([1, 2, 3].map(() => endpoints.rotateSecret(test, { overlapSeconds: 60 })));
    const { secret, previousSecret } = (await stored(id)).webhook;
    const secrets = rotated.map((each) => each.secret);
    expect(new Set(secrets).size).toBe(3);
    expect(secrets).toContain(secret);
    expect(secrets).toContain(previousSecret);
  });
});
