import { newSubscription, type SubscriptionContext } from '../../machines/subscription/context.ts';
import { MACHINES } from '../../machines/versions.ts';
import { AllowanceWatcher, type AllowanceWatcherDeps } from '../../src/billing/allowances/allowance-watcher.ts';
import { buildCatalog } from '../../src/chains/catalog.ts';
import type { Chain } from '../../src/chains/port.ts';
import { createChains } from '../../src/chains/registry.ts';
import type { Dispatch } from '../../src/engine/types.ts';
import type { StoredActor } from '../../src/store/documents.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { Store } from '../../src/store/port.ts';
import { recordingLog } from '../../stage/recording-log.ts';
import { quietChain } from '../../stage/scripted-chain.ts';
import { MONTHLY } from '../machines/support/subscription.ts';
import { actor } from '../store/support/documents.ts';
import { mandateDoc } from '../support/mandate-doc.ts';

const CHAIN_ID = 84_532;
const WALLET = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const LEFT_OUT = 'a document cannot be read; computations go on without it';
const ENOUGH = 10n ** 24n;

/** A chain on which every wallet has approved, and has enough money. */
const generous: Chain = {
  ...quietChain(CHAIN_ID),
  readAllowances: async (reads) => reads.map(() => ({ allowance: ENOUGH, balance: ENOUGH })),
};

function pending(id: string, change: Partial<SubscriptionContext> = {}): StoredActor {
  const terms = { ...MONTHLY, tokenKey: 'usdc-base-sepolia', chainId: CHAIN_ID };
  const made = newSubscription({
    id,
    offerId: 'offer_1',
    terms,
    payerWallet: WALLET,
    trialEnd: null,
    customVariables: {},
  });
  const { version: machineVersion } = MACHINES.subscription.current;
  return actor({ _id: id, merchantId: 'mrc_1', machineVersion, status: 'pending', context: { ...made, ...change } });
}

const reported: Dispatch[] = [];
const { log, lines } = recordingLog();
let store: Store;
let watcher: AllowanceWatcher;

const deps: Omit<AllowanceWatcherDeps, 'store' | 'chains' | 'clock'> = {
  catalog: buildCatalog(),
  log,
  checkSessions: async () => {},
  checkDeposits: async () => {},
  engine: {
    dispatchMany: async (requests) => {
      reported.push(...requests);
      return [];
    },
  },
};

beforeEach(() => {
  reported.length = 0;
  lines.length = 0;
  store = openMemoryStore();
  const clock = () => new Date('2026-01-31T10:30:00.000Z');
  watcher = new AllowanceWatcher({ ...deps, store, chains: createChains([generous]), clock });
});

describe('a check of an allowance', () => {
  it('notifies every subscription of the wallet, however many there are', async () => {
    const ids = Array.from({ length: 501 }, (_, index) => `sub_${String(index).padStart(4, '0')}`);
    await store.actors.insert(
      'subscription',
      ids.map((id) => pending(id)),
    );
    await watcher.check(['sub_0000']);
    expect(reported.map(({ id }) => id).sort()).toEqual(ids);
    expect(reported.every(({ event }) => event.type === 'allowance.seen' && event.covers && event.payable)).toBe(true);
  });

  it('skips an unreadable subscription, logs it once, and notifies the others of the wallet', async () => {
    const broken = pending('sub_broken');
    const docs = [pending('sub_sound'), { ...broken, context: { ...broken.context, terms: 'none' } }];
    await store.actors.insert('subscription', docs);
    for (const doc of docs) {
      const { merchantId, mode } = doc;
      const watch = { merchantId, mode, chainId: CHAIN_ID, token: '0xtoken', operator: '0xoperator', wallet: WALLET };
      const at = new Date('2026-01-31T10:30:00.000Z');
      await store.records.upsert('watches', doc._id, { ...watch, lookAt: at, looks: 0, createdAt: at }, {});
    }
    await watcher.walletsChanged(CHAIN_ID, [WALLET]);
    await watcher.check(['sub_sound']);
    expect(await watcher.survey(['sub_broken', 'sub_sound'])).toHaveLength(1);
    expect(reported.map(({ id }) => id)).toEqual(['sub_sound', 'sub_sound']);
    expect(lines).toEqual([
      { level: 'error', detail: expect.objectContaining({ id: 'sub_broken' }), message: LEFT_OUT },
    ]);
  });

  it('is repeated after a log, because the node may not have had the block', async () => {
    let means = { allowance: 0n, balance: ENOUGH };
    let now = new Date('2026-01-31T10:30:00.000Z');
    const lagging: Chain = { ...generous, readAllowances: async (reads) => reads.map(() => means) };
    const waiting = new AllowanceWatcher({ ...deps, store, chains: createChains([lagging]), clock: () => now });
    await store.actors.insert('subscription', [pending('sub_1')]);
    const [doc] = await store.actors.load('subscription', ['sub_1']);
    if (doc) await waiting.watch(doc);
    const days = (count: number) => new Date(now.getTime() + count * 86_400_000);
    for (now = days(31); (await waiting.checkDue()) > 0; );
    expect((await store.records.get('watches', ['sub_1']))[0]?.lookAt).toBeNull();
    reported.length = 0;
    await waiting.walletsChanged(CHAIN_ID, [WALLET.toLowerCase()]);
    expect(reported.some(({ event }) => event.type === 'allowance.seen' && event.covers)).toBe(false);
    means = { allowance: ENOUGH, balance: ENOUGH };
    now = new Date(now.getTime() + 15_000);
    expect(await waiting.checkDue()).toBe(1);
    expect(reported.some(({ event }) => event.type === 'allowance.seen' && event.covers)).toBe(true);
    now = days(1);
    expect(await waiting.checkDue()).toBe(0);
  });

  it.each([
    ['in force', {}, true],
    ['revoked', { revokedAt: new Date() }, false],
    ['used up', { usedUpAt: new Date() }, false],
  ])('says whether a charge could be paid before it falls due, under a mandate that is %s', async (_, end, covers) => {
    const mandate = mandateDoc(end);
    await store.records.insert('mandates', [mandate]);
    const consent = { mandateId: mandate._id, router: mandate.router };
    const risk = { lookAt: null, isAwaited: true, short: null };
    const doc = pending('sub_1', { consent, risk });
    await store.actors.insert('subscription', [doc]);
    await watcher.watch(doc, 'risk');
    await watcher.checkDue();
    expect(reported.map(({ event }) => event)).toMatchObject([{ type: 'risk.seen', covers, payable: covers }]);
  });
});
