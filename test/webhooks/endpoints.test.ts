import { openReceiver, type Receiver } from './receiver.ts';
import { makeMerchant, useWorlds, type World } from './world.ts';

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

describe('a test event', () => {
  it('says why there was no answer', async () => {
    const gone = await openReceiver();
    const tenant = await tenantWith({ testUrl: gone.url });
    await gone.close();
    const answer = await world.webhooks.endpoints.sendTestEvent(tenant);
    expect(answer).toMatchObject({ status: null, error: expect.stringMatching(/refused/i), body: null });
  });

  it('goes to public addresses only', async () => {
    const guarded = open({ reachesLoopback: false, store: world.store });
    const inside = await tenantWith({ testUrl: receiver.url });
    const { endpoints } = guarded.webhooks;
    const why = expect.stringMatching(/not allowed|public/);
    expect(await endpoints.sendTestEvent(inside)).toMatchObject({ status: null, error: why });
    const live = { ...(await tenantWith({ liveUrl: 'http://shop.example/hook' })), mode: 'live' } as const;
    expect(await endpoints.sendTestEvent(live)).toMatchObject({ status: null, error: why, durationMs: 0 });
    expect(receiver.received).toEqual([]);
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
