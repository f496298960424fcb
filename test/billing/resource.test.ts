import {
  changeResource,
  insertResource,
  newEnvelope,
  type ResourceDeps,
} from '../../src/billing/resources/resource.ts';
import type { WalletDoc } from '../../src/store/collections.ts';
import { UnknownOutcome } from '../../src/store/errors.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { LedgerStore } from '../../src/store/port.ts';
import { withRecords } from '../engine/support/stores.ts';

const TENANT = { merchantId: 'mrc_1', mode: 'test' } as const;
const NOW = new Date('2030-01-15T10:00:00Z');
const EVENT = { event: 'wallet.updated', data: { tokenKey: 'usdc-base' } } as const;

let store: LedgerStore;
let handedOn: { collection: string; rev: number; outbox: number }[];
let deps: ResourceDeps;
beforeEach(() => {
  store = openMemoryStore();
  handedOn = [];
  deps = {
    store,
    clock: () => NOW,
    onCommitted: (collection, { rev, outbox }) => handedOn.push({ collection, rev, outbox: outbox.length }),
  };
});

function wallet(emit: readonly (typeof EVENT)[] = []): WalletDoc {
  return { ...newEnvelope('wal_1', TENANT, NOW, emit), tokenKey: 'usdc-base', chainId: 8453, receiverWallet: 'one' };
}

async function stored(): Promise<WalletDoc | undefined> {
  return (await store.records.get('wallets', ['wal_1']))[0];
}

describe('insertResource', () => {
  it('stores the events with the resource and passes them on', async () => {
    expect(await insertResource(deps, 'wallets', wallet([EVENT, EVENT]))).toEqual({ inserted: true });
    expect(await stored()).toMatchObject({
      rev: 1,
      eventSeq: 2,
      relayAt: new Date('2030-01-15T10:00:02Z'),
      outbox: [
        { id: 'wal_1:1:0', index: 0, sequence: 1, at: NOW, effect: { type: 'webhook.emit', ...EVENT } },
        { id: 'wal_1:1:1', index: 1, sequence: 2 },
      ],
    });
    expect(handedOn).toEqual([{ collection: 'wallets', rev: 1, outbox: 2 }]);
  });

  it('leaves no outbox to drain if there is no event', async () => {
    await insertResource(deps, 'wallets', wallet());
    expect(await stored()).toMatchObject({ outbox: [], relayAt: null, eventSeq: 0 });
    expect(handedOn).toEqual([]);
  });

  it('names the index that has the key already, and passes nothing on', async () => {
    await insertResource(deps, 'wallets', wallet());
    const twin = { ...wallet([EVENT]), _id: 'wal_2' };
    expect(await insertResource(deps, 'wallets', twin)).toEqual({ inserted: false, index: 'tokenKey' });
    expect(handedOn).toEqual([]);
  });

  it('finds out if a write without an answer was made', async () => {
    const lossy = withRecords(store, (records) => ({
      insert: async (into, docs) => {
        await records.insert(into, docs);
        throw new UnknownOutcome('connection lost');
      },
    }));
    expect(await insertResource({ ...deps, store: lossy }, 'wallets', wallet([EVENT]))).toEqual({ inserted: true });
    const dead = withRecords(store, () => ({
      insert: async () => Promise.reject(new UnknownOutcome('connection lost')),
    }));
    const other = { ...wallet(), _id: 'wal_3', tokenKey: 'usdc-optimism' };
    await expect(insertResource({ ...deps, store: dead }, 'wallets', other)).rejects.toThrow('connection lost');
  });
});

describe('changeResource', () => {
  beforeEach(async () => {
    await insertResource(deps, 'wallets', wallet([EVENT]));
    handedOn.length = 0;
  });

  it('changes the resource, counts and stores the event in one write', async () => {
    const first = await stored();
    const { before, after: changed } = await changeResource(deps, 'wallets', TENANT, 'wal_1', () => ({
      set: { receiverWallet: 'two' },
      emit: [EVENT],
    }));
    expect(before).toEqual(first);
    expect(changed).toEqual(await stored());
    expect(changed).toMatchObject({ receiverWallet: 'two', rev: 2, eventSeq: 2, updatedAt: NOW });
    expect(changed.outbox.map(({ id, sequence }) => [id, sequence])).toEqual([
      ['wal_1:1:0', 1],
      ['wal_1:2:0', 2],
    ]);
    expect(changed.recentOps).toHaveLength(2);
    expect(handedOn).toEqual([{ collection: 'wallets', rev: 2, outbox: 2 }]);
  });

  it('writes nothing if nothing changes', async () => {
    const before = await stored();
    expect(await changeResource(deps, 'wallets', TENANT, 'wal_1', () => null)).toEqual({ before, after: before });
    expect(await stored()).toEqual(before);
  });

  it('starts again from the stored state if another writer was first', async () => {
    const append = (letter: string) =>
      changeResource(deps, 'wallets', TENANT, 'wal_1', (doc) => ({
        set: { receiverWallet: `${doc.receiverWallet}${letter}` },
        emit: [],
      }));
    await Promise.all([append('a'), append('b'), append('c')]);
    const after = await stored();
    expect(after).toMatchObject({ rev: 4 });
    expect(after?.receiverWallet).toMatch(/^one(?=.*a)(?=.*b)(?=.*c).{3}$/);
  });

  it('does not repeat a write whose answer was lost', async () => {
    let calls = 0;
    const lossy = withRecords(store, (records) => ({
      change: async (...args) => {
        calls += 1;
        await records.change(...args);
        throw new UnknownOutcome('connection lost');
      },
    }));
    const { after } = await changeResource({ ...deps, store: lossy }, 'wallets', TENANT, 'wal_1', () => ({
      set: { receiverWallet: 'two' },
      emit: [EVENT],
    }));
    expect(after).toMatchObject({ rev: 2, receiverWallet: 'two' });
    expect(calls).toBe(1);
  });

  it.each([
    ['another merchant', { merchantId: 'mrc_2', mode: 'test' }],
    ['another environment', { merchantId: 'mrc_1', mode: 'live' }],
  ] as const)('finds nothing for %s', async (_what, tenant) => {
    await expect(changeResource(deps, 'wallets', tenant, 'wal_1', () => null)).rejects.toMatchObject({ status: 404 });
  });

  it('fails with 500 after a hundred lost races', async () => {
    const losing = withRecords(store, () => ({ change: async () => null }));
    const change = changeResource({ ...deps, store: losing }, 'wallets', TENANT, 'wal_1', () => ({
      set: {},
      emit: [],
    }));
    await expect(change).rejects.toMatchObject({
      status: 500,
      internal: 'wallets wal_1: not changed; other writers changed it first in all 100 attempts',
    });
  });
});
