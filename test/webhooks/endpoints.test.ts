import { verifyWebhook } from 'tideline/client';
import { openReceiver, type Received, type Receiver } from './receiver.ts';
import { makeMerchant, useWorlds, type World } from './world.ts';

const SECRET = 'whsec_dGVzdA==';

let receiver: Receiver;
let world: World;
const { open } = useWorlds((opened) => {
  receiver = opened;
  world = open();
});

async function tenantWith(settings: Parameters<typeof makeMerchant>[1]) {
  const { _id: merchantId } = await makeMerchant(world.store, settings);
  return { merchantId, mode: 'test' } as const;
}

function only(): Received {
  const [request, ...others] = receiver.received;
  if (request === undefined || others.length > 0) throw new Error(`not one request: ${receiver.received.length}`);
  return request;
}

describe('a test event', () => {
  it('is one request that verifies, answered with what the receiver says, and kept nowhere', async () => {
    const tenant = await tenantWith({ testUrl: receiver.url });
    const before = await world.store.records.get('merchants', [tenant.merchantId]);
    receiver.reply = (response) => void response.writeHead(418).end('short and stout');
    const answer = await world.webhooks.endpoints.sendTestEvent(tenant);
    expect(answer).toEqual({ status: 418, error: null, body: 'short and stout', durationMs: expect.any(Number) });

    const { rawBody, headers } = only();
    const event = verifyWebhook(rawBody, headers, SECRET, { mode: 'test', now: world.clock.now() });
    expect(event).toMatchObject({ event: 'webhook.test', isSandbox: true, id: headers['webhook-id'] });
    expect(() => verifyWebhook(rawBody, headers, 'whsec_b3RoZXI=', { mode: 'test', now: world.clock.now() })).toThrow(
      /No signature/,
    );

    const { records } = world.store;
    expect(await records.get('merchants', [tenant.merchantId])).toEqual(before);
    expect(await records.count('events', {})).toBe(0);
  });

  it('says why there was no answer', async () => {
    const gone = await openReceiver();
    const tenant = await tenantWith({ testUrl: gone.url });
    await gone.close();
    const answer = await world.webhooks.endpoints.sendTestEvent(tenant);
    expect(answer).toMatchObject({ status: null, error: expect.stringMatching(/refused/i), body: null });
  });

  it('goes to public addresses only, and needs a URL', async () => {
    const guarded = open({ reachesLoopback: false, store: world.store });
    const inside = await tenantWith({ testUrl: receiver.url });
    const { endpoints } = guarded.webhooks;
    const why = expect.stringMatching(/not allowed|public/);
    expect(await endpoints.sendTestEvent(inside)).toMatchObject({ status: null, error: why });
    const live = { ...(await tenantWith({ liveUrl: 'http://shop.example/hook' })), mode: 'live' } as const;
    expect(await endpoints.sendTestEvent(live)).toMatchObject({ status: null, error: why, durationMs: 0 });
    expect(receiver.received).toEqual([]);
    await expect(world.webhooks.endpoints.sendTestEvent(await tenantWith({}))).rejects.toMatchObject({
      code: 'conflict',
    });
  });
});

it('a merchant that does not exist has no endpoint: 404', async () => {
  const { endpoints } = world.webhooks;
  const nobody = { merchantId: 'mrc_x', mode: 'test' } as const;
  for (const refused of [
    endpoints.endpoint(nobody),
    endpoints.setEndpoint(nobody, { url: 'http://127.0.0.1/' }),
    endpoints.secretStatus(nobody),
    endpoints.rotateSecret(nobody),
  ]) {
    await expect(refused).rejects.toMatchObject({ code: 'not_found' });
  }
});
