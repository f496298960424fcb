import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { JsonRpcProvider } from 'ethers';
import type { Devnet } from '../../src/devnet/join.ts';
import { keepDevnet } from '../support/devnet.ts';
import { raiseLimits } from '../support/limits.ts';
import { createTestMerchant, type DevnetFacts, devnetFacts, prepareOrder, walletNamed } from '../support/merchant.ts';
import { type EventReceiver, startEventReceiver } from '../support/receiver.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service.ts';
import { transfersFrom } from '../support/transfers.ts';

const SUBSCRIPTIONS = 40;
const EVENTS_EACH = 3;
/** `wallet.updated` and `customer.created`. */
const OTHER_EVENTS = 2;
const ENDS_WITHIN_MS = 60_000;

describe.each([2, 4])('%i processes on one database', (processes) => {
  let dataDir: string;
  let keeper: Devnet;
  let services: ServiceProcess[] = [];
  let receiver: EventReceiver;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'tideline-many-'));
    keeper = await keepDevnet(dataDir);
    receiver = await startEventReceiver();
    services = await Promise.all(Array.from({ length: processes }, () => startServiceProcess({ dataDir })));
  }, 60_000);

  afterAll(async () => {
    await Promise.all(services.map((service) => service.stop()));
    await receiver.stop();
    await keeper.leave({ graceful: true });
    await rm(dataDir, { recursive: true, force: true });
  }, 60_000);

  it('charge every subscription once, use no nonce twice and lose no event', async () => {
    let turn = 0;
    const next = (): ServiceProcess => {
      turn += 1;
      const service = services[turn % services.length];
      if (!service) throw new Error('no service');
      return service;
    };
    const facts = await devnetFacts(next());
    const token = facts.tokens.find(({ tokenKey }) => tokenKey === 'usdc-local-evm')?.address ?? '';
    const payer = walletNamed(facts, 'approved').address;
    const merchant = await createTestMerchant(next, dataDir);
    await raiseLimits(dataDir, merchant.id, 100);
    await merchant.call('PATCH', '/webhooks/endpoint', { url: receiver.url });
    const order = await prepareOrder(merchant, facts);
    const made = await Promise.all(
      Array.from({ length: SUBSCRIPTIONS }, () => merchant.call('POST', '/subscriptions', order)),
    );
    const ids = made.map(({ id }) => String(id)).sort();

    await until(async () => {
      const { subscriptions } = await merchant.call('GET', '/subscriptions?status=active&limit=100');
      return Array.isArray(subscriptions) && subscriptions.length === SUBSCRIPTIONS;
    });
    const transfers = await transfersFrom(facts.rpcUrl, token, payer);
    expect(transfers.map(({ amount }) => amount)).toEqual(ids.map(() => 10_000_000n));

    await until(() => receiver.ids().size >= SUBSCRIPTIONS * EVENTS_EACH + OTHER_EVENTS);
    expect(receiver.ids().size).toBe(SUBSCRIPTIONS * EVENTS_EACH + OTHER_EVENTS);
    for (const id of ids) {
      const mine = receiver.events.filter(({ data }) => data['subscriptionId'] === id);
      const once = new Map(mine.map((event) => [event.id, event]));
      expect([...once.values()].map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
      expect([...once.values()].map(({ event }) => event)).toEqual([
        'subscription.created',
        'payment.succeeded',
        'subscription.active',
      ]);
    }
    expect(await noncesOf(facts)).toEqual({ repeated: 0 });
  }, 120_000);
});

/** Every transaction that the router's senders have in the chain, by sender and nonce. */
async function noncesOf({ rpcUrl, router }: DevnetFacts): Promise<{ repeated: number }> {
  const provider = new JsonRpcProvider(rpcUrl, 31337, { staticNetwork: true, cacheTimeout: -1 });
  try {
    const head = await provider.getBlockNumber();
    const blocks = await Promise.all(Array.from({ length: head + 1 }, (_, number) => provider.getBlock(number, true)));
    const used = blocks
      .flatMap((block) => block?.prefetchedTransactions ?? [])
      .filter(({ to }) => to?.toLowerCase() === router.toLowerCase())
      .map(({ from, nonce }) => `${from}:${nonce}`);
    expect(used.length).toBeGreaterThan(0);
    return { repeated: used.length - new Set(used).size };
  } finally {
    provider.destroy();
  }
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + ENDS_WITHIN_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`not so after ${ENDS_WITHIN_MS} ms`);
    await delay(100);
  }
}
