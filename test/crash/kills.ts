import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Devnet } from '../../src/devnet/join.ts';
import { keepDevnet } from '../support/devnet.ts';
import { createTestMerchant, devnetFacts, prepareOrder, type TestMerchant, walletNamed } from '../support/merchant.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service.ts';
import { type Transfer, transfersFrom } from '../support/transfers.ts';

const ENDS_WITHIN_MS = 20_000;

/** Kills a real process at each of these points on the way of a charge, and lets the chain's Transfer logs judge. */
export function describeKills(points: readonly string[]): void {
  describe('a process killed on the way of a charge', () => killEach(points));
}

function killEach(points: readonly string[]): void {
  let dataDir: string;
  let keeper: Devnet;
  let service: ServiceProcess;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'tideline-kill-'));
    keeper = await keepDevnet(dataDir);
  });

  afterAll(async () => {
    service.signal('SIGKILL');
    await service.exited;
    await keeper.leave({ graceful: true });
    await rm(dataDir, { recursive: true, force: true });
  });

  it.each(points)(
    'charges exactly once after SIGKILL at %s',
    async (point) => {
      service = await startServiceProcess({ dataDir, env: { FAULTS: `${point}=kill` } });
      const facts = await devnetFacts(service);
      const token = facts.tokens.find(({ tokenKey }) => tokenKey === 'usdc-local-evm')?.address ?? '';
      const payer = walletNamed(facts, 'approved').address;
      const before = await transfersFrom(facts.rpcUrl, token, payer);
      const merchant = await createTestMerchant(() => service, dataDir);
      const order = { ...(await prepareOrder(merchant, facts)), idempotencyKey: 'once' };
      const first = await merchant.call('POST', '/subscriptions', order).catch(() => null);
      expect((await service.exited).signal).toBe('SIGKILL');

      service = await startServiceProcess({ dataDir });
      const again = await merchant.call('POST', '/subscriptions', order);
      if (first) expect(again['id']).toBe(first['id']);
      const subscription = await settled(merchant, String(again['id']));
      expect(subscription).toMatchObject({ status: 'active', cyclesCompleted: 1, consecutiveFailures: 0 });
      const { payments } = await merchant.call('GET', '/payments');
      expect(payments).toEqual([expect.objectContaining({ status: 'settled', amount: '10.00', attempts: 1 })]);
      const since = (await transfersFrom(facts.rpcUrl, token, payer)).slice(before.length);
      expect(since.map(({ amount }: Transfer) => amount)).toEqual([10_000_000n]);
      await service.stop();
    },
    60_000,
  );
}

async function settled(merchant: TestMerchant, id: string): Promise<{ readonly [key: string]: unknown }> {
  const deadline = performance.now() + ENDS_WITHIN_MS;
  for (;;) {
    const subscription = await merchant.call('GET', `/subscriptions/${id}`);
    if (subscription['status'] !== 'pending' || performance.now() > deadline) return subscription;
    await delay(200);
  }
}
