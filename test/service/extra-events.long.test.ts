import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Devnet } from '../../devnet/join.ts';
import { devnetFacts, walletNamed } from '../../scripts/lib/devnet-facts.ts';
import { silentLog } from '../../scripts/lib/silent-log.ts';
import { openMongoStore } from '../../src/store/mongo/store.ts';
import type { MerchantClient } from '../../stage/merchant-client.ts';
import type { ServiceProcess } from '../../stage/processes.ts';
import { removeFolder } from '../../stage/remove-folder.ts';
import { replayEverything } from '../../tools/crashtest/stored.ts';
import { keepDevnet } from '../support/devnet.ts';
import { createTestMerchant, prepareOrder } from '../support/merchant.ts';
import { startServiceProcess } from '../support/service.ts';
import { openReceiver, openTcp, type Receiver, type TcpServer } from '../webhooks/receiver.ts';

/** The opt-in events (docs/rules.md, "Webhooks": `extraEvents`) of a running service, as a receiver gets them. */
describe('opt-in events', () => {
  let dataDir: string;
  let keeper: Devnet;
  let service: ServiceProcess;
  let merchant: MerchantClient;
  let receiver: Receiver;
  /** The proxy in the environment of the service. */
  let proxy: TcpServer;
  let subscriptionId: string;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'tideline-extra-'));
    keeper = await keepDevnet(dataDir);
    proxy = await openTcp((socket) => void socket.destroy());
    service = await startServiceProcess({ dataDir, env: proxies(proxy.port) });
    receiver = await openReceiver();
    merchant = await createTestMerchant(() => service, dataDir);
    await merchant.call('PATCH', '/webhooks/endpoint', { url: receiver.url });
    const order = await prepareOrder(merchant, await devnetFacts(service));
    subscriptionId = String((await merchant.call('POST', '/subscriptions', order))['id']);
    await merchant.call('POST', '/sandbox/advance', { subscriptionId, status: 'active' });
  }, 120_000);

  afterAll(async () => {
    await receiver.close();
    await service.stop();
    await proxy.close();
    await keeper.leave({ graceful: true });
    await removeFolder(dataDir);
  });

  /** The receiver's events of a resource by number, when there are at least this many. */
  async function got(of: { readonly [field: string]: string }, count: number): Promise<string[]> {
    const about = () =>
      receiver.received
        .map(({ envelope }) => envelope)
        .filter(({ data }) => Object.entries(of).every(([name, id]) => Reflect.get(Object(data), name) === id));
    while (about().length < count) await receiver.got(receiver.received.length + 1);
    const reported = about().sort((one, other) => one.sequence - other.sequence);
    expect(reported.map(({ sequence }) => sequence)).toEqual(reported.map((_, index) => index + 1));
    return reported.map(({ event }) => event);
  }

  const PAID = ['subscription.created', 'payment.succeeded', 'subscription.active'];
  const EXTRA = [
    'payment.pulled',
    'payment.succeeded',
    'payment.failed',
    'subscription.past_due',
    'payment.pulled',
    'payment.succeeded',
    'subscription.recovered',
  ];

  it('are not sent without the opt-in, and the numbers have no gap', async () => {
    expect(await got({ subscriptionId }, 3)).toEqual(PAID);
  });

  it('are sent from the opt-in on, each before or after its related event', async () => {
    const answer = await merchant.call('PATCH', '/webhooks/endpoint', { extraEvents: true });
    expect(answer).toMatchObject({ extraEvents: true, url: receiver.url });
    await merchant.call('POST', '/sandbox/advance', { subscriptionId });
    await merchant.call('POST', '/sandbox/advance', { subscriptionId, status: 'past_due' });
    await merchant.call('POST', '/sandbox/advance', { subscriptionId, status: 'active' });
    expect(await got({ subscriptionId }, 10)).toEqual([...PAID, ...EXTRA]);
    const pastDue = receiver.received.find(({ envelope }) => envelope.event === 'subscription.past_due');
    const { offerId, offerPriceId } = await listed();
    expect(pastDue?.envelope['data']).toEqual({ subscriptionId, offerId, priceId: offerPriceId });
  });

  it('cover one-off payments too', async () => {
    const facts = await devnetFacts(service);
    const paid = await merchant.call('POST', '/payments', {
      toWallet: walletNamed(facts, 'merchant').address,
      fromWallet: walletNamed(facts, 'approved').address,
      amount: '1.00',
      tokenKey: 'usdc-base',
      idempotencyKey: 'pulled',
    });
    expect(await got({ paymentId: String(paid['id']) }, 2)).toEqual(['payment.pulled', 'payment.succeeded']);
  });

  it('are not sent after the end of the opt-in, and the numbers continue', async () => {
    await merchant.call('PATCH', '/webhooks/endpoint', { extraEvents: false });
    await merchant.call('POST', '/sandbox/advance', { subscriptionId });
    expect(await got({ subscriptionId }, 11)).toEqual([...PAID, ...EXTRA, 'payment.succeeded']);
  });

  it('ignore every proxy in the environment of the service', () => {
    expect(receiver.received.length).toBeGreaterThan(10);
    expect(proxy.connections()).toBe(0);
  });

  it('leave journals that can be replayed, whether they were sent or not', async () => {
    const uri = (await readFile(join(dataDir, 'mongodb.uri'), 'utf8')).trim();
    const store = await openMongoStore({ uri, dbName: 'tideline', log: silentLog });
    const { actors, differences } = await replayEverything(store);
    await store.close();
    expect(differences).toEqual([]);
    expect(actors).toBeGreaterThan(4);
  });

  async function listed(): Promise<{ offerId: unknown; offerPriceId: unknown }> {
    const { subscriptions } = await merchant.call('GET', '/subscriptions');
    const [found] = Array.isArray(subscriptions) ? subscriptions : [];
    return { offerId: found?.offerId, offerPriceId: found?.offerPriceId };
  }
});

function proxies(port: number): { readonly [name: string]: string } {
  const url = `http://127.0.0.1:${port}`;
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
  return Object.fromEntries(names.map((name) => [name, url]));
}
