import { verifyWebhook } from 'tideline/client';
import { z } from 'zod';
import { monthly } from '../support/bodies.ts';
import { type HttpHarness, idOf, startHttp } from '../support/http.ts';
import { openReceiver } from '../webhooks/receiver.ts';
import { signedIn } from './support.ts';

let http: HttpHarness;
beforeAll(async () => {
  // Endpoints that reach a receiver on this machine.
  http = await startHttp({ reachesLoopback: true });
});

describe('the merchant API with a session', () => {
  it('answers as it does for a key of the environment', async () => {
    const shop = await http.merchant();
    const member = await signedIn(http, shop, 'member');
    const made = await member.call('POST', '/test/offers', { name: 'Coffee Club', pricing: [monthly()] });
    expect(made.status).toBe(201);
    const path = `/offers/${idOf(made)}`;
    const byKey = await http.call('GET', path, { key: shop.testKey });
    expect((await member.call('GET', `/test${path}`)).body).toEqual(byKey.body);
    expect((await member.call('GET', `/live${path}`)).status).toBe(404);
  });

  it('issues a key that works until it is revoked', async () => {
    const shop = await http.merchant();
    const admin = await signedIn(http, shop, 'admin');
    const { id, key } = z
      .object({ id: z.string(), key: z.string() })
      .parse((await admin.call('POST', '/keys', { mode: 'live' })).body);
    expect((await http.call('GET', '/offers', { key })).status).toBe(200);
    expect((await admin.call('DELETE', `/keys/${id}`)).body).toMatchObject({ id, mode: 'live' });
    expect((await http.call('GET', '/offers', { key })).status).toBe(401);
  });

  it('sends a test event, which verifies and is kept nowhere', async () => {
    const receiver = await openReceiver();
    const shop = await http.merchant();
    const admin = await signedIn(http, shop, 'admin');
    const send = () => admin.call('POST', '/webhooks/test-event', { mode: 'test' });
    const refused = await send();
    expect([refused.status, refused.body]).toEqual([409, { error: 'No webhook URL is set; set one first' }]);
    await admin.call('PATCH', '/test/webhooks/endpoint', { url: receiver.url });
    const { secret } = z
      .object({ secret: z.string() })
      .parse((await admin.call('POST', '/test/webhooks/secret/rotate', {})).body);
    receiver.reply = (response) => void response.end('thanks');
    const { status, body } = await send();
    const answer = { durationMs: expect.any(Number), status: 200, error: null, body: 'thanks' };
    expect([status, body]).toEqual([200, answer]);
    const [{ rawBody, headers } = { rawBody: '', headers: {} }] = receiver.received;
    const event = verifyWebhook(rawBody, headers, secret, { now: http.now });
    expect(event).toMatchObject({ event: 'webhook.test', isSandbox: true });
    expect((await admin.call('GET', '/test/events')).body).toMatchObject({ events: [] });
    await receiver.close();
  });
});
