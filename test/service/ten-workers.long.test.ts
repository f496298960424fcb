import { OPEN } from '../../src/chains/consent.ts';
import { DUE_LEASES } from '../../src/engine/due.ts';
import { EVERY_PARTITION } from '../../src/store/documents.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { LedgerStore } from '../../src/store/port.ts';
import { Workers } from '../../src/store/workers.ts';
import { openInProcess } from '../../stage/in-process-service.ts';
import { scriptedChain } from '../../stage/scripted-chain.ts';
import { PAYER, RECEIVER } from '../../tools/bench/documents.ts';
import { benchMerchant } from '../../tools/bench/merchant.ts';
import { subscriptionDue } from '../../tools/bench/settlement/due.ts';
import { TestClock } from '../engine/support/world.ts';
import { insertActors } from '../store/support/documents.ts';

const CYCLES = 4_000;
/** The most calls of a worker a second for its sign and its leases. */
const LEASES_A_SECOND = 20;

const METHODS = ['get', 'find', 'findFields', 'insert', 'change', 'changeMany', 'putNewer', 'remove'] as const;

/** What is asked of the store: by other things than the signs and leases of workers, and by those. */
interface Spent {
  calls: number;
  documents: number;
  leases: number;
}

function counted({ records }: LedgerStore): Spent {
  const spent: Spent = { calls: 0, documents: 0, leases: 0 };
  for (const name of METHODS) {
    const real: unknown = Reflect.get(records, name);
    Reflect.set(records, name, async (of: string, asked: unknown, ...rest: unknown[]) => {
      const answer: unknown = typeof real === 'function' && (await real.call(records, of, asked, ...rest));
      const documents = [answer, asked].find((each) => Array.isArray(each));
      if (of === 'lanes') spent.leases += 1;
      else {
        spent.calls += 1;
        spent.documents += Array.isArray(documents) ? documents.length : 1;
      }
      return answer;
    });
  }
  return spent;
}

const LEASES = Array.from({ length: 20 }, (_, group) => group).flatMap((group) =>
  ['subscription', 'allowanceChanges'].map((kind) => `${DUE_LEASES}${kind}:${group}`),
);

/** Opens cycles and checks allowances that are due at once. */
async function opened({ count }: { readonly count: number }) {
  const clock = new TestClock();
  const store = openMemoryStore({ now: clock.now });
  const { records } = store;
  const chain = { ...scriptedChain(), senderCount: 1_000 };
  const started = Array.from({ length: count }, (_, index) => {
    const elapsed = () => clock.now().getTime();
    const workers = new Workers({ records, holder: `worker ${index}`, elapsed });
    return { workers, ...openInProcess({ store, clock: clock.now, workers, chains: [chain] }) };
  });
  const { merchantId, mode } = await benchMerchant(store, 'Bills');
  const order = { tenant: { merchantId, mode }, payer: PAYER, receiver: RECEIVER };
  const blank = { headRev: 1, rev: 1, outbox: [], failures: 0 };
  const due = Array.from({ length: CYCLES }, () => subscriptionDue(order, { due: clock.now() }));
  await insertActors(
    store,
    due.map((doc) => ({ ...doc, ...blank })),
  );
  const change = { merchantId, mode, consent: OPEN, chainId: chain.chainId, token: '0xtoken', block: null };
  for (let wallet = 0; wallet < CYCLES; wallet += 1) {
    await started[0]?.watcher.allowancesChanged([{ ...change, wallet: `0x${wallet}` }]);
  }
  // They have shared the work before.
  for (const { workers } of [...started, ...started]) {
    for (const lease of LEASES) workers.isMine(lease);
    await workers.beat();
  }
  for (const { workers } of started) await workers.beat();
  const spent = counted(store);
  const shares = started.map(() => 0);
  const checked = started.map(() => 0);
  let seconds = 0;
  for (let left = CYCLES; left > 0 && seconds < 60; seconds += 1) {
    clock.advance(1_000);
    for (const [index, { workers, engine, watcher }] of started.entries()) {
      const called = await workers.beat();
      const run =
        index === 0
          ? engine.dispatchDue('subscription')
          : called.has('subscription') && engine.dispatchShare('subscription');
      shares[index] = (shares[index] ?? 0) + Number(await run);
      const changes = await records.count('allowanceChanges', {});
      await (index === 0 ? watcher.checkChanges() : watcher.checkShare(called));
      checked[index] = (checked[index] ?? 0) + changes - (await records.count('allowanceChanges', {}));
    }
    await Promise.all(started.map(({ quiet }) => quiet()));
    const due = { kind: 'subscription', partition: { in: EVERY_PARTITION }, at: { lte: clock.now() } };
    left = (await records.count('timers', due)) + (await records.count('allowanceChanges', {}));
  }
  const events = await records.find('log', { where: { kind: 'subscription', rev: 2 }, limit: 2 * CYCLES });
  expect([await records.count('openPayments', {}), events.length]).toEqual([CYCLES, CYCLES]);
  return { spent, seconds, shares, checked };
}

describe('cycles that fall due at once', () => {
  it('cost ten workers the same calls and documents as one, are opened once each, and are shared', async () => {
    const [one, ten] = [await opened({ count: 1 }), await opened({ count: 10 })];
    expect(ten.spent.calls / one.spent.calls).toBeLessThanOrEqual(1.5);
    expect(ten.spent.documents / one.spent.documents).toBeLessThanOrEqual(1.5);
    expect(ten.spent.leases / ten.seconds).toBeLessThanOrEqual(10 * LEASES_A_SECOND);
    expect(Math.min(...ten.shares, ...ten.checked)).toBeGreaterThan(CYCLES / 64);
  });
});
