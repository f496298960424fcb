import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Devnet } from '../../devnet/join.ts';
import { devnetFacts, walletNamed } from '../../scripts/lib/devnet-facts.ts';
import type { MerchantClient } from '../../stage/merchant-client.ts';
import type { ServiceProcess } from '../../stage/processes.ts';
import { type Envelope, type Receiver, startReceiver } from '../../stage/receiver.ts';
import { removeFolder } from '../../stage/remove-folder.ts';
import { keepDevnet } from '../support/devnet.ts';
import { createTestMerchant, prepareOrder } from '../support/merchant.ts';
import { startServiceProcess } from '../support/service.ts';

/** After this time the locks and deliveries of a dead process are free. */
const LATER = { FAULTS_CLOCK_MS: '31000' };

interface Shop {
  readonly merchant: MerchantClient;
  readonly receiver: Receiver;
  readonly priceId: string;
  readonly customerId: string;
}

describe('deleting a customer of the real service', () => {
  let dataDir: string;
  let keeper: Devnet;
  let service: ServiceProcess;
  const receivers: Receiver[] = [];

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'tideline-customers-'));
    keeper = await keepDevnet(dataDir);
    service = await startServiceProcess({ dataDir });
  }, 120_000);

  afterAll(async () => {
    await service.stop();
    for (const receiver of receivers) await receiver.close();
    await keeper.leave({ graceful: true });
    await removeFolder(dataDir);
  }, 120_000);

  /** A new merchant with an endpoint, an offer, and a customer whose wallet has approved. */
  async function openShop(): Promise<Shop> {
    const merchant = await createTestMerchant(() => service, dataDir);
    const receiver = await startReceiver();
    receivers.push(receiver);
    await merchant.call('PATCH', '/webhooks/endpoint', { url: receiver.url });
    receiver.setSecret(String((await merchant.call('POST', '/webhooks/secret/rotate'))['secret']));
    return { merchant, receiver, ...(await prepareOrder(merchant, await devnetFacts(service))) };
  }

  async function subscribeTwice({ merchant, receiver, priceId, customerId }: Shop): Promise<readonly string[]> {
    const made = [1, 2].map(() => merchant.call('POST', '/subscriptions', { priceId, customerId }));
    const ids = (await Promise.all(made)).map(({ id }) => String(id));
    for (const id of ids) await receiver.until(`subscription.active of ${id}`, isAbout('subscription.active', id));
    return ids;
  }

  /** The next process dies at this effect, so the request is never answered. */
  async function dyingAt(effect: string, ask: () => Promise<unknown>): Promise<void> {
    await service.stop();
    service = await startServiceProcess({ dataDir, env: { FAULTS: `relay.effect.before/${effect}=kill` } });
    await expect(ask()).rejects.toThrow();
    expect((await service.exited).signal).toBe('SIGKILL');
    service = await startServiceProcess({ dataDir, env: LATER });
  }

  it('cancels its subscriptions with one event each, and keeps the payments', async () => {
    const shop = await openShop();
    const { merchant, receiver, customerId } = shop;
    const ids = await subscribeTwice(shop);
    expect(await merchant.call('DELETE', `/customers/${customerId}`)).toEqual({ id: customerId, deleted: true });
    for (const id of ids) {
      expect(await merchant.call('GET', `/subscriptions/${id}`)).toMatchObject({ status: 'canceled', customerId });
      await receiver.until(`subscription.canceled of ${id}`, isAbout('subscription.canceled', id));
    }
    await receiver.until('customer.deleted', ({ event }) => event === 'customer.deleted');
    const { payments } = await merchant.call('GET', `/payments?customerId=${customerId}`);
    expect(payments).toEqual([1, 2].map(() => expect.objectContaining({ status: 'settled', customerId })));
    expect(endsReported(shop)).toEqual(endsOf(customerId, ids));
  }, 120_000);

  it('loses no cancellation when the process is killed after the deletion', async () => {
    const shop = await openShop();
    const { merchant, receiver, customerId } = shop;
    const ids = await subscribeTwice(shop);
    await dyingAt('subscriptions.cancel', () => merchant.call('DELETE', `/customers/${customerId}`));
    for (const id of ids) {
      await receiver.until(`subscription.canceled of ${id}`, isAbout('subscription.canceled', id));
      expect(await merchant.call('GET', `/subscriptions/${id}`)).toMatchObject({ status: 'canceled' });
    }
    await receiver.until('customer.deleted', ({ event }) => event === 'customer.deleted');
    await expect(merchant.call('GET', `/customers/${customerId}`)).rejects.toThrow('404');
    expect(endsReported(shop)).toEqual(endsOf(customerId, ids));
  }, 120_000);

  it('links a first wallet although the process is killed after the update', async () => {
    const { merchant, receiver, priceId, customerId: wealthy } = await openShop();
    const { address } = walletNamed(await devnetFacts(service), 'approved');
    await merchant.call('PATCH', `/customers/${wealthy}`, { wallets: null });
    const { id: customerId } = await merchant.call('POST', '/customers', {});
    const { id } = await merchant.call('POST', '/subscriptions', { priceId, customerId });
    const wallets = [{ chainFamily: 'evm', address }];
    // The answer does not wait for it, so it may or may not come before the kill.
    const link = () => merchant.call('PATCH', `/customers/${String(customerId)}`, { wallets });
    await dyingAt('payer.link', async () => {
      await link().catch(() => {});
      await service.exited;
      throw new Error('it has ended');
    });
    await receiver.until('subscription.active', isAbout('subscription.active', String(id)));
    expect(await merchant.call('GET', `/customers/${String(customerId)}`)).toMatchObject({ wallets });
  }, 120_000);
});

function isAbout(event: string, subscriptionId: string) {
  return (envelope: Envelope) => envelope.event === event && envelope.data['subscriptionId'] === subscriptionId;
}

/** The delivered cancellations; a repeated delivery has the same id. */
function endsReported({ receiver }: Shop): readonly unknown[] {
  const reported = receiver.accepted.filter(
    ({ event }) => event === 'subscription.canceled' || event === 'customer.deleted',
  );
  return [...new Map(reported.map((envelope) => [envelope.id, envelope])).values()]
    .map(({ event, data }) => JSON.stringify([event, data['subscriptionId'] ?? data['customerId'], data['reason']]))
    .sort();
}

function endsOf(customerId: string, subscriptionIds: readonly string[]): readonly string[] {
  const canceled = subscriptionIds.map((id) => JSON.stringify(['subscription.canceled', id, undefined]));
  return [JSON.stringify(['customer.deleted', customerId, undefined]), ...canceled].sort();
}
