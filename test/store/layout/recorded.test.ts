import { readFileSync } from 'node:fs';
import { createClient, type Tideline } from 'tideline/client';
import { MACHINES } from '../../../machines/versions.ts';
import { actorKind } from '../../../src/engine/journal.ts';
import { replayAll } from '../../../src/engine/replay.ts';
import { secretHash } from '../../../src/model/secrets.ts';
import type { LedgerStore } from '../../../src/store/port.ts';
import type { FuzzWorld } from '../../../tools/fuzz/world.ts';
import { startTestDevnet } from '../../support/devnet.ts';
import { openMemoryWorld } from '../../support/fuzz-world.ts';
import { load, RECORDED } from './recorded.ts';

/** The present code on a database that was recorded with the present layout number (`record.ts`). */
let store: LedgerStore;
let world: FuzzWorld;
let api: Tideline;

beforeAll(async () => {
  const devnet = await startTestDevnet();
  await load(await devnet.openClient(), 'recorded', readFileSync(RECORDED, 'utf8'));
  store = await devnet.openStore('recorded');
  world = await openMemoryWorld(undefined, store);
  api = createClient({ apiKey: await newKey(), baseUrl: `http://127.0.0.1:${world.port}/v1` });
});
afterAll(() => world.stop());

/** The recorded key is stored as its hash only. */
async function newKey(): Promise<string> {
  const [merchant] = await store.records.find('merchants', { where: {}, limit: 2 });
  if (!merchant) throw new Error('no merchant is recorded');
  const key = `tl_test_${'k'.repeat(32)}`;
  const of = { merchantId: merchant._id, mode: 'test', hint: key.slice(-4) } as const;
  await store.records.insert('apiKeys', [{ _id: secretHash(key), ...of, createdAt: world.now(), revokedAt: null }]);
  return key;
}

async function expectReplayed(): Promise<void> {
  const problems: unknown[] = [];
  for (const kind of actorKind.options) {
    for await (const { problem } of replayAll(store, MACHINES, kind)) problems.push(problem);
  }
  expect(problems.length).toBeGreaterThan(8);
  expect(problems.filter((problem) => problem !== null)).toEqual([]);
}

it('lists what is recorded', async () => {
  const { subscriptions } = await api.subscriptions.list();
  expect(subscriptions.map(({ status }) => status).sort()).toEqual([
    'active',
    'canceled',
    'past_due',
    'pending',
    'pending',
  ]);
  const { payments } = await api.payments.list();
  expect(new Set(payments.map(({ status }) => status))).toEqual(new Set(['settled', 'failed']));
  const { events } = await api.events.list();
  expect(events.length).toBeGreaterThan(8);
});

it('replays every recorded journal', expectReplayed);

it('advances a cycle of a recorded subscription, and replays what it added', async () => {
  const { subscriptions } = await api.subscriptions.list();
  const active = subscriptions.find(({ status }) => status === 'active');
  if (!active) throw new Error('no active subscription is recorded');
  const { steps } = await api.sandbox.advance({ subscriptionId: active.id });
  expect(steps).toMatchObject([{ event: 'cycle.due', from: 'active', to: 'active', outcome: 'settled' }]);
  expect((await api.subscriptions.get(active.id)).cyclesCompleted).toBe(active.cyclesCompleted + 1);
  await expectReplayed();
});
