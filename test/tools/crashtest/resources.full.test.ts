import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { faultPlanText } from '../../../devnet/faults.ts';
import { resourceOf } from '../../../scripts/lib/resource-of.ts';
import { insist } from '../../../stage/merchant-client.ts';
import type { Envelope } from '../../../stage/receiver.ts';
import { readFaultReport } from '../../../tools/crashtest/fault-report.ts';
import { killsAt } from '../../../tools/crashtest/plans.ts';
import { readStored } from '../../../tools/crashtest/stored.ts';
import { openWorld, type World } from '../../../tools/crashtest/world.ts';

/**
 * The points where a process can die between the write of a customer or a payout wallet and the answer of the
 * merchant's endpoint to its event. The next process continues the work of the killed one; late points come first.
 */
const POINTS = [
  'delivery.posted.after/wallet.updated',
  'delivery.posted.before/customer.updated',
  'delivery.stored.after/customer.updated',
  'relay.ack.after',
  'relay.effect.after/webhook.emit',
  'relay.effect.before/webhook.emit',
] as const;

/** Clock errors of the processes, so that nobody waits for locks of a dead one; the last is a delivery's lease. */
const AHEAD_MS = { each: 4_000, last: 31_000 } as const;
const DIES_WITHIN_MS = 40_000;
const ENDS_WITHIN_MS = 60_000;
const TOKEN_KEY = 'usdt-ethereum';

/** Every call is repeated until it is answered. */
const { signal } = new AbortController();

const withId = z.object({ id: z.string() });

describe('a process killed while a merchant makes customers and changes a payout wallet', () => {
  let world: World;
  /** The merchant's calls, started under each of the processes. */
  const writes: Promise<string>[] = [];
  let wallets: Promise<unknown> = Promise.resolve();

  beforeAll(async () => {
    world = await openWorld();
  }, 120_000);

  afterAll(() => world.stop(), 30_000);

  /** Makes, changes and deletes a customer, each call twice with the same result. Resolves with its id. */
  async function liveOf(name: string): Promise<string> {
    const call = (...[method, path, body]: Parameters<World['merchant']['client']['call']>) =>
      insist(() => world.merchant.client.call(method, path, body), signal);
    const { id } = withId.parse(await call('POST', '/customers', { idempotencyKey: name }));
    await call('PATCH', `/customers/${id}`, { name });
    await call('DELETE', `/customers/${id}`).catch(() => undefined);
    return id;
  }

  function registered(receiverWallet: string): Promise<unknown> {
    return insist(
      () => world.merchant.client.call('POST', '/wallets', { tokenKey: TOKEN_KEY, receiverWallet }),
      signal,
    );
  }

  function walletOf(name: string): string {
    return `0x${createHash('sha256').update(name).digest('hex').slice(0, 40)}`;
  }

  it.each(killsAt(POINTS).map((plan, index) => [faultPlanText(plan), index] as const))(
    'dies at %s',
    async (plan, index) => {
      const env = { FAULTS: plan, FAULTS_REPORT: world.reportFile, FAULTS_CLOCK_MS: String(index * AHEAD_MS.each) };
      const service = await world.spawn(env);
      writes.push(liveOf(plan));
      wallets = wallets.then(() => registered(walletOf(plan)));
      const exit = await Promise.race([service.exited, delay(DIES_WITHIN_MS, null, { ref: false })]);
      expect(exit).toEqual({ code: null, signal: 'SIGKILL' });
      expect((await readFaultReport(world.reportFile)).carriedOut).toContain(plan);
    },
    60_000,
  );

  it('has one event for every write, each under one id, and each has arrived in its order', async () => {
    await world.start({ FAULTS_CLOCK_MS: String(POINTS.length * AHEAD_MS.each + AHEAD_MS.last) });
    const customers = await Promise.all(writes);
    await wallets;
    await untilDelivered();
    for (const id of customers) {
      expect(cameOf(id).map(({ sequence, event }) => `${sequence} ${event}`)).toEqual([
        '1 customer.created',
        '2 customer.updated',
        '3 customer.deleted',
      ]);
    }
    const changes = cameOf(TOKEN_KEY);
    expect(changes.map(({ sequence, event }) => `${sequence} ${event}`)).toEqual(
      POINTS.map((_, index) => `${index + 1} wallet.updated`),
    );
    const addresses = changes.map(({ data }) => String(data['newWallet']).toLowerCase());
    expect(addresses).toEqual(killsAt(POINTS).map((plan) => walletOf(faultPlanText(plan))));
    expect(changes.map(({ data }) => data['previousWallet'])).toEqual([
      null,
      ...changes.slice(0, -1).map(({ data }) => data['newWallet']),
    ]);

    const { events, unrelayed, quarantined, undelivered } = await readStored(world.store);
    expect({ unrelayed, quarantined, undelivered, refused: world.merchant.receiver.refused }).toEqual({
      unrelayed: [],
      quarantined: [],
      undelivered: [],
      refused: [],
    });
    expect(new Set(world.merchant.receiver.accepted.map(({ id }) => id))).toEqual(events);
  }, 120_000);

  /** The events of a resource in the order of first arrival. Those of one number under several ids are all there. */
  function cameOf(resource: string): Envelope[] {
    const about = world.merchant.receiver.accepted.filter((envelope) => resourceOf(envelope) === resource);
    return about.filter(({ id }, index) => about.findIndex((other) => other.id === id) === index);
  }

  async function untilDelivered(): Promise<void> {
    const deadline = performance.now() + ENDS_WITHIN_MS;
    while (performance.now() < deadline) {
      const { unrelayed, undelivered } = await readStored(world.store);
      if (unrelayed.length === 0 && undelivered.length === 0) return;
      await delay(100);
    }
  }
});
