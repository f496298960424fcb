import {
  changeResource,
  insertResource,
  newEnvelope,
  type ResourceDeps,
} from '../../src/billing/resources/resource.ts';
import type { WalletDoc } from '../../src/store/collections.ts';
import type { OutboxDoc } from '../../src/store/documents.ts';
import { UnknownOutcome } from '../../src/store/errors.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { LedgerStore } from '../../src/store/port.ts';
import { withRecords } from '../engine/support/stores.ts';

const TENANT = { merchantId: 'mrc_1', mode: 'test' } as const;
const NOW = new Date('2030-01-15T10:00:00Z');
const EVENT = { event: 'wallet.updated', data: { tokenKey: 'usdc-base' } } as const;

type Decide = Parameters<typeof changeResource<'wallets'>>[4];

let store: LedgerStore;
let handedOn: { collection: string; outbox: readonly string[] }[];
let deps: ResourceDeps;
beforeEach(() => {
  store = openMemoryStore();
  handedOn = [];
  deps = {
    store,
    clock: () => NOW,
    onCommitted: (collection, { outbox }) => handedOn.push({ collection, outbox: outbox.map(({ id }) => id) }),
  };
});

/** Stores a wallet with so many events. */
function insert(events = 0, fields: Partial<WalletDoc> = {}, on: Pick<ResourceDeps, 'store'> = deps) {
  const caused = { emit: Array.from({ length: events }, () => EVENT) };
  const of = { tokenKey: 'usdc-base', chainId: 8453, receiverWallet: 'one', ...fields };
  return insertResource({ ...deps, ...on }, 'wallets', { ...newEnvelope('wal_1', TENANT, NOW, caused), ...of }, caused);
}

/** In the order of their commits. */
async function outboxes(): Promise<OutboxDoc[]> {
  const found = await store.records.find('outbox', { where: {}, limit: 100 });
  return found.sort((one, other) => (one.entries[0]?.rev ?? 0) - (other.entries[0]?.rev ?? 0));
}

async function stored(): Promise<WalletDoc | undefined> {
  return (await store.records.get('wallets', ['wal_1']))[0];
}

describe('insertResource', () => {
  it('stores the events with the resource and passes them on', async () => {
    expect(await insert(2)).toEqual({ inserted: true });
    const doc = await stored();
    expect(doc).toMatchObject({ rev: 1, eventSeq: 2 });
    const effects = [
      { id: 'wal_1:1:0', index: 0, sequence: 1, at: NOW, effect: { type: 'webhook.emit', ...EVENT } },
      { id: 'wal_1:1:1', index: 1, sequence: 2 },
    ];
    const at = new Date('2030-01-15T10:00:02Z');
    expect(await outboxes()).toMatchObject([{ _id: doc?.outboxId, at, entries: [{ documentId: 'wal_1', effects }] }]);
    expect(handedOn).toEqual([{ collection: 'wallets', outbox: ['wal_1:1:0', 'wal_1:1:1'] }]);
  });

  it('leaves no outbox to drain if there is no event', async () => {
    await insert();
    expect(await stored()).toMatchObject({ outboxId: null, eventSeq: 0 });
    expect([handedOn, await outboxes()]).toEqual([[], []]);
  });

  it('names the index that has the key already, and passes nothing on', async () => {
    await insert();
    expect(await insert(1, { _id: 'wal_2' })).toEqual({ inserted: false, index: 'tokenKey' });
    expect([handedOn, await outboxes()]).toEqual([[], []]);
  });

  it('finds out if a write without an answer was made', async () => {
    const lossy = withRecords(store, (records) => ({
      insert: async (into, docs) => {
        const verdicts = await records.insert(into, docs);
        if (into !== 'wallets') return verdicts;
        throw new UnknownOutcome('connection lost');
      },
    }));
    expect(await insert(1, {}, { store: lossy })).toEqual({ inserted: true });
    const dead = withRecords(store, () => ({
      insert: async () => Promise.reject(new UnknownOutcome('connection lost')),
    }));
    const other = insert(0, { _id: 'wal_3', tokenKey: 'usdc-optimism' }, { store: dead });
    await expect(other).rejects.toThrow('connection lost');
  });
});

describe('changeResource', () => {
  const change = (decide: Decide, on: Pick<ResourceDeps, 'store'> = deps) =>
    changeResource({ ...deps, ...on }, 'wallets', TENANT, 'wal_1', decide);
  const toTwo = () => ({ set: { receiverWallet: 'two' }, emit: [EVENT] });

  beforeEach(async () => {
    await insert(1);
    handedOn.length = 0;
  });

  it('changes the resource, counts and stores the event in one write', async () => {
    const first = await stored();
    const { before, after: changed } = await change(toTwo);
    expect(before).toEqual(first);
    expect(changed).toEqual(await stored());
    expect(changed).toMatchObject({ receiverWallet: 'two', rev: 2, eventSeq: 2, updatedAt: NOW });
    const outbox = ['wal_1:1:0', 'wal_1:2:0'];
    expect((await outboxes()).map(({ entries: [entry] }) => entry?.effects.map(({ id }) => id))).toEqual([
      outbox.slice(0, 1),
      outbox,
    ]);
    expect((await outboxes()).map(({ _id }) => _id)).toEqual([first?.outboxId, changed.outboxId]);
    expect(changed.recentOps).toHaveLength(2);
    expect(handedOn).toEqual([{ collection: 'wallets', outbox }]);
  });

  it('writes nothing if nothing changes', async () => {
    const before = await stored();
    expect(await change(() => null)).toEqual({ before, after: before });
    expect(await stored()).toEqual(before);
  });

  it('starts again from the stored state if another writer was first', async () => {
    const append = (letter: string) =>
      change((doc) => ({ set: { receiverWallet: `${doc.receiverWallet}${letter}` }, emit: [] }));
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
    const { after } = await change(toTwo, { store: lossy });
    expect(after).toMatchObject({ rev: 2, receiverWallet: 'two' });
    expect(calls).toBe(1);
  });

  it('keeps the effects of a write whose outcome nobody knows: it may yet be made', async () => {
    const dead = withRecords(store, () => ({ change: () => Promise.reject(new UnknownOutcome('connection lost')) }));
    await expect(change(toTwo, { store: dead })).rejects.toThrow('connection lost');
    expect((await outboxes()).map(({ entries: [entry] }) => entry?.rev)).toEqual([1, 2]);
  });

  it('fails with 500 after a hundred lost races', async () => {
    const losing = withRecords(store, () => ({ change: async () => null }));
    await expect(change(toTwo, { store: losing })).rejects.toMatchObject({
      status: 500,
      internal: 'wallets wal_1: not changed; other writers changed it first in all 100 attempts',
    });
  });
});
