import { announceWallets, effectiveDates } from '../../src/billing/payout/announcements.ts';
import { type RecipientDeps, recipientsOf } from '../../src/billing/payout/recipients.ts';
import { BY_MERCHANT, unregisterWallet } from '../../src/billing/payout/wallet-changes.ts';
import { listWallets, payoutsFrom, registerWallet, type WalletsDeps } from '../../src/billing/payout/wallets.ts';
import { announcementId } from '../../src/chains/announcements.ts';
import { createChains } from '../../src/chains/registry.ts';
import type { AnnouncementDoc, MandateDoc } from '../../src/store/collections.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { LedgerStore } from '../../src/store/port.ts';
import { type ScriptedChain, scriptedCatalog, scriptedChain } from '../../stage/scripted-chain.ts';
import { withRecords } from '../engine/support/stores.ts';
import { merchantOf } from '../store/support/documents.ts';
import { ALICE, BOB, CAROL } from '../support/bodies.ts';
import { cyclePayment } from '../support/cycle-payment.ts';
import { mandateDoc } from '../support/mandate-doc.ts';

const TENANT = { merchantId: 'mrc_1', mode: 'test' } as const;
const TOKEN = 'usdc-local-evm';
const HOUR = 3_600_000;
const DAVE = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';

let now: Date;
let store: LedgerStore;
let chain: ScriptedChain;
let deps: RecipientDeps & WalletsDeps;
let mandate: MandateDoc;
beforeEach(async () => {
  now = new Date('2030-01-15T10:00:00Z');
  store = openMemoryStore();
  chain = scriptedChain();
  const clock = () => now;
  const chains = createChains([chain]);
  const stored = { store, ledger: store.records, payoutsOf: payoutsFrom(store) };
  deps = { ...stored, clock, catalog: scriptedCatalog(), chains, onCommitted: () => {} };
  mandate = mandateDoc({ ...TENANT, chainId: chain.chainId, router: chain.router, payees: [ALICE], createdAt: now });
  await store.records.insert('merchants', [merchantOf(TENANT.merchantId)]);
  await register(ALICE);
  later(1);
  await store.records.insert('mandates', [{ ...mandate, createdAt: now }]);
});

function later(hours: number): void {
  now = new Date(now.getTime() + hours * HOUR);
}

async function register(receiverWallet: string, tokenKey = TOKEN) {
  const { wallet } = await registerWallet(deps, TENANT, { tokenKey, receiverWallet });
  await announceWallets(deps, TENANT);
  return wallet.effectiveAt;
}

/** Who gets the merchant's part of a cycle under the mandate, or without one. */
async function recipient(isBounded = true): Promise<string | null> {
  const { _id: mandateId, router } = mandate;
  const payment = cyclePayment(TENANT, TOKEN, isBounded ? { mandateId, router } : undefined);
  const recipients = await recipientsOf(deps, [payment], new Map([[mandateId, mandate]]));
  return recipients.get(payment._id) ?? null;
}

function idOf(payee: string, router = chain.router): string {
  return announcementId({ ...TENANT, chainId: chain.chainId, router, payee });
}

async function announcement(payee: string, router = chain.router): Promise<AnnouncementDoc | undefined> {
  const [doc] = await store.records.get('announcements', [idOf(payee, router)]);
  return doc;
}

/** The chain has the announcement; charges can pay it in so many hours. */
async function announced(payee: string, inHours: number): Promise<void> {
  const set = { state: 'announced', from: new Date(now.getTime() + inHours * HOUR) };
  expect(await store.records.change('announcements', idOf(payee), { state: 'waiting' }, { set })).not.toBeNull();
}

describe('the recipient of a cycle under a mandate', () => {
  it('is the former payout wallet until the announcement of the new one has waited', async () => {
    expect(await recipient()).toBe(ALICE);
    await register(BOB);
    expect(await recipient()).toBe(ALICE);
    await announced(BOB, 2);
    expect(await recipient()).toBe(ALICE);
    expect(await recipient(false)).toBe(BOB);
    later(2);
    expect(await recipient()).toBe(BOB);
  });

  it('is the last former one that could be paid, not the first', async () => {
    await register(BOB);
    await announced(BOB, 0);
    later(1);
    await register(CAROL);
    expect(await recipient()).toBe(BOB);
  });

  it('is never an address that was replaced before it could be paid', async () => {
    await register(BOB);
    await announced(BOB, 48);
    later(1);
    await register(CAROL);
    later(100);
    expect(await recipient()).toBe(ALICE);
  });

  it('is a signed address again at once, although others have to wait for it', async () => {
    await register(BOB);
    await announced(BOB, 0);
    later(1);
    await register(ALICE);
    expect([await recipient(), (await announcement(ALICE))?.state]).toEqual([ALICE, 'waiting']);
  });

  it('is no address whose announcement was withdrawn', async () => {
    await register(BOB);
    await announced(BOB, 0);
    await store.records.change('announcements', idOf(BOB), {}, { set: { state: 'withdrawn' } });
    expect(await recipient()).toBe(ALICE);
    await announceWallets(deps, TENANT);
    expect((await announcement(BOB))?.state).toBe('withdrawn');
    const [row] = await listWallets(deps, TENANT);
    expect(row?.effectiveAt).toBeNull();
  });

  it('is no address that staff have removed, if another one can be paid', async () => {
    await register(BOB);
    await announced(BOB, 0);
    const [row] = await listWallets(deps, TENANT);
    await unregisterWallet(deps, TENANT, row?._id ?? '', BY_MERCHANT);
    await register(CAROL);
    expect(await recipient()).toBe(ALICE);
  });

  it('is the signed one while the merchant has no announcement left; a later cycle announces the other', async () => {
    const setBudget = (announcementsPerDay: number) =>
      store.records.change('merchants', TENANT.merchantId, {}, { set: { announcementsPerDay } });
    await setBudget(0);
    mandate = { ...mandate, payees: [DAVE] };
    expect([await recipient(), await announcement(ALICE)]).toEqual([DAVE, undefined]);
    await setBudget(1);
    expect([await recipient(), (await announcement(ALICE))?.state]).toEqual([DAVE, 'waiting']);
  });

  it('is announced when it becomes the payout wallet without a registration', async () => {
    const other = { ...mandate, payees: [DAVE] };
    mandate = other;
    expect(await recipient()).toBe(DAVE);
    expect(await announcement(ALICE)).toMatchObject({ state: 'waiting', payee: ALICE });
    await announced(ALICE, 0);
    expect(await recipient()).toBe(ALICE);
  });
});

describe('a registered payout wallet', () => {
  it('is announced once on every router that has a recurring mandate, and no other', async () => {
    const [newer, unused] = [
      '0x0000000000000000000000000000000000000009',
      '0x000000000000000000000000000000000000000a',
    ];
    Object.assign(chain, { routers: [newer, unused, chain.router] });
    await store.records.insert('mandates', [
      { ...mandate, _id: '0xnewer', router: newer },
      { ...mandate, _id: '0xonce', router: unused, end: 1_900_000_000 },
      { ...mandate, _id: '0xother', router: unused, merchantId: 'mrc_2' },
    ]);
    let wakes = 0;
    Object.assign(chain, {
      wake: () => {
        wakes += 1;
      },
    });
    await register(BOB);
    const found = await store.records.find('announcements', { where: {}, limit: 10 });
    expect(found.map(({ _id }) => _id).sort()).toEqual([idOf(BOB, newer), idOf(BOB)].sort());
    expect(wakes).toBe(1);
  });

  it('is not announced if no payer has signed before it, and pays at once', async () => {
    await store.records.remove('mandates', [mandate._id]);
    expect(await register(BOB)).toEqual(now);
    expect(await announcement(BOB)).toBeUndefined();
  });

  it('says from when payers of earlier mandates pay it: the last of all routers', async () => {
    expect(await register(BOB)).toEqual(now);
    const registered = now;
    later(1);
    await announced(BOB, 48);
    const [row] = await listWallets(deps, TENANT);
    expect(row?.effectiveAt).toEqual(new Date(registered.getTime() + 49 * HOUR));
    const found = await store.records.find('wallets', { where: {}, limit: 1 });
    const rows = found.map((each) => ({ ...each, outboxId: null }));
    expect(await effectiveDates(deps, { ...TENANT, merchantId: 'mrc_2' }, rows)).toEqual(
      new Map([[row?._id, registered]]),
    );
  });

  it('says so while it is being announced, too', async () => {
    await registerWallet(deps, TENANT, { tokenKey: TOKEN, receiverWallet: BOB });
    let isMade = false;
    const make = async () => {
      if (isMade) return;
      isMade = true;
      await announceWallets(deps, TENANT);
      await announced(BOB, 48);
      const outboxes = await store.records.find('outbox', { where: {}, limit: 10 });
      await store.records.remove(
        'outbox',
        outboxes.map(({ _id }) => _id),
      );
    };
    /** The announcement is made as soon as the first of the two has been read. */
    const racing = withRecords(store, (records) => ({
      get: async (from, ids) => {
        const found = await records.get(from, ids);
        if (from === 'outbox') await make();
        return found;
      },
      find: async (from, query) => {
        const found = await records.find(from, query);
        if (from === 'announcements') await make();
        return found;
      },
    }));
    const [row] = await listWallets({ ...deps, store: racing }, TENANT);
    expect(row?.effectiveAt).toEqual(new Date(now.getTime() + 48 * HOUR));
  });
});
