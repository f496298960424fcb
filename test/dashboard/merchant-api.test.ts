import { Wallet } from 'ethers';
import { verifyWebhook } from 'tideline/client';
import { z } from 'zod';
import { firstSecretSchema, keysSchema } from '../../src/dashboard/wire.ts';
import { TOKEN_KEY } from '../../stage/tokens.ts';
import { monthly } from '../support/bodies.ts';
import { expectError, type HttpHarness, idOf, startHttp } from '../support/http.ts';
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

  it('lets an admin alone send money elsewhere than to the registered payout wallets', async () => {
    const shop = await http.merchant();
    const [member, admin] = [await signedIn(http, shop, 'member'), await signedIn(http, shop, 'admin')];
    const [own, elsewhere] = [Wallet.createRandom().address, Wallet.createRandom().address];
    const wallet = { mode: 'test', tokenKey: TOKEN_KEY, receiverWallet: own };
    expect((await admin.call('POST', '/wallets', wallet)).status).toBe(201);
    const offer = (change: object) => ({ name: 'Coffee Club', pricing: [monthly()], ...change });
    const option = (address: string) => monthly({ merchantDestinationWallet: { evm: address } });
    const { id } = z.object({ id: z.string() }).parse((await admin.call('POST', '/test/offers', offer({}))).body);
    const deposit = { amount: '1', tokenKey: TOKEN_KEY, paymentMethod: 'wallet_transfer' };
    const requests = (to: string) =>
      [
        ['/test/offers', offer({ splitEvm: [{ address: to, percentage: '50' }] })],
        ['/test/offers', offer({ merchantDestinationWallet: to })],
        ['/test/offers', offer({ pricing: [option(to)] })],
        [`/test/offers/${id}/pricing`, option(to)],
        ['/test/payments', { ...deposit, toWallet: to, idempotencyKey: `one ${to}` }],
        ['/test/payments', { ...deposit, toWallet: own, refundWallet: to, idempotencyKey: `two ${to}` }],
      ] as const;
    for (const [path, body] of requests(elsewhere)) {
      const error = expect.stringMatching(/names an address that is no registered payout wallet: .* role admin/);
      expectError(await member.call('POST', path, body), 403, error);
    }
    for (const [path, body] of requests(own.toLowerCase()))
      expect([path, (await member.call('POST', path, body)).status]).not.toEqual([path, 403]);
    const [split] = requests(elsewhere);
    expect((await admin.call('POST', split[0], split[1])).status).toBe(201);
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

  it('shows the day on which a key was used last', async () => {
    const shop = await http.merchant();
    const viewer = await signedIn(http, shop, 'viewer');
    const used = async () => {
      const { keys } = keysSchema.parse((await viewer.call('GET', '/keys')).body);
      return keys.map(({ mode, lastUsedAt }) => [mode, lastUsedAt]);
    };
    expect(await used()).toEqual(
      expect.arrayContaining([
        ['test', null],
        ['live', null],
      ]),
    );
    const first = http.now.toISOString();
    await http.call('GET', '/offers', { key: shop.testKey });
    http.later(3_600_000);
    const before = http.store.roundTrips();
    await http.call('GET', '/offers', { key: shop.testKey });
    expect(http.store.roundTrips() - before).toBe(3);
    expect(await used()).toEqual(
      expect.arrayContaining([
        ['test', first],
        ['live', null],
      ]),
    );
    http.later(86_400_000);
    await http.call('GET', '/offers', { key: shop.testKey });
    const again = await signedIn(http, shop, 'viewer');
    const { keys } = keysSchema.parse((await again.call('GET', '/keys')).body);
    expect(keys.map(({ lastUsedAt }) => lastUsedAt)).toContain(http.now.toISOString());
  });

  it('makes the first signing secret of an environment once', async () => {
    const receiver = await openReceiver();
    const shop = await http.merchant();
    const admin = await signedIn(http, shop, 'admin');
    await admin.call('PATCH', '/test/webhooks/endpoint', { url: receiver.url });
    const make = async (mode: string) =>
      firstSecretSchema.parse((await admin.call('POST', '/webhooks/first-secret', { mode })).body).secret;
    const secret = String(await make('test'));
    expect(secret).toMatch(/^whsec_/);
    expect([await make('test'), await make('live')]).toEqual([null, expect.stringMatching(/^whsec_/)]);
    await admin.call('POST', '/webhooks/test-event', { mode: 'test' });
    const { rawBody, headers } = receiver.last();
    const event = verifyWebhook(rawBody, headers, secret, { mode: 'test', now: http.now });
    expect(event).toMatchObject({ event: 'webhook.test' });
    await receiver.close();
  });

  it('sends a test event once, which verifies and is kept nowhere', async () => {
    const receiver = await openReceiver();
    const shop = await http.merchant();
    const admin = await signedIn(http, shop, 'admin');
    const send = () => admin.call('POST', '/webhooks/test-event', { mode: 'test' });
    expectError(await send(), 409, 'No webhook URL is set; set one first');
    await admin.call('PATCH', '/test/webhooks/endpoint', { url: receiver.url });
    await admin.call('PATCH', '/live/webhooks/endpoint', { url: 'https://shop.example.com/hooks' });
    const rotated = await admin.call('POST', '/test/webhooks/secret/rotate', {});
    const { secret } = z.object({ secret: z.string() }).parse(rotated.body);
    receiver.reply = (response) => void response.end('thanks');
    const { status, body } = await send();
    const answer = { durationMs: expect.any(Number), status: 200, error: null, body: 'thanks' };
    expect([status, body]).toEqual([200, answer]);
    expect(receiver.received).toHaveLength(1);
    const { rawBody, headers } = receiver.last();
    const event = verifyWebhook(rawBody, headers, secret, { mode: 'test', now: http.now });
    expect(event).toMatchObject({ event: 'webhook.test', isSandbox: true });
    expect((await admin.call('GET', '/test/events')).body).toMatchObject({ events: [] });
    await receiver.close();
  });
});
