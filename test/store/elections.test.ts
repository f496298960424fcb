import { once } from 'node:events';
import { MongoClient, type TopologyDescription } from 'mongodb';
import type { StoredActor } from '../../src/store/documents.ts';
import { UnknownOutcome } from '../../src/store/errors.ts';
import type { LedgerStore } from '../../src/store/port.ts';
import { ReplicaSet } from '../../tools/lib/replica-set.ts';
import { startTestDevnet } from '../support/devnet.ts';
import {
  actor,
  batchOf,
  charge,
  commitOf,
  effects,
  event,
  insertActors,
  transaction,
  unique,
} from './support/documents.ts';

let set: ReplicaSet;
let store: LedgerStore;

beforeAll(async () => {
  const devnet = await startTestDevnet();
  set = await ReplicaSet.before(devnet.mongoUri);
  devnet.onStop(() => set.close());
  store = await devnet.openStore('elections', set.uri);
});
afterEach(async () => {
  await set.elected();
  await set.restart();
});

/** The judge is the driver: how it describes the set. */
describe('the replica set of the tests', () => {
  let client: MongoClient;
  let topology: TopologyDescription;

  beforeAll(async () => {
    client = new MongoClient(set.uri, { retryWrites: false, retryReads: false, heartbeatFrequencyMS: 500 });
    client.on('topologyDescriptionChanged', ({ newDescription }) => {
      topology = newDescription;
    });
    await client.connect();
  });
  afterAll(() => client.close());

  const types = () => [...topology.servers.values()].map(({ type }) => type).sort();
  const primary = () => [...topology.servers.values()].find(({ type }) => type === 'RSPrimary')?.address;
  const seen = async (isSo: () => boolean) => {
    while (!isSo()) await once(client, 'topologyDescriptionChanged');
  };
  const rows = () => client.db('elections').collection<{ _id: string }>('plain');

  it('has a primary and two secondaries, and after a kill another primary', async () => {
    await rows().insertOne({ _id: 'first' });
    await seen(() => types().join() === 'RSPrimary,RSSecondary,RSSecondary');
    expect(topology).toMatchObject({ type: 'ReplicaSetWithPrimary', setName: 'tideline' });
    const before = primary();
    await set.killPrimary();
    await seen(() => types().join() === 'RSPrimary,RSSecondary,Unknown');
    expect(primary()).not.toBe(before);
    await rows().insertOne({ _id: 'second' });
    expect(await rows().countDocuments()).toBe(2);
    await set.restart();
    await seen(() => types().join() === 'RSPrimary,RSSecondary,RSSecondary');
  });
});

describe('the store during elections', () => {
  const stored = async () => {
    const doc = actor();
    await insertActors(store, [doc]);
    return doc;
  };

  /** Its writes: outbox, row, head. */
  const commit = (doc: StoredActor) => {
    const more = { effects: effects(doc._id, 2, 1) };
    return store.actors.commit('subscription', batchOf([commitOf(doc, more)]));
  };
  const expectMadeOnce = async ({ _id }: StoredActor) => {
    const [after] = await store.actors.load('subscription', [_id]);
    expect(after).toMatchObject({ rev: 2, headRev: 2, status: 'active', outbox: [{ id: `${_id}:2:0` }] });
  };

  it.each([
    ['insert', 'kill'],
    ['insert', 'stepDown'],
    ['update', 'kill'],
    ['delete', 'stepDown'],
  ] as const)('makes a commit once whose %s the primary executed before its %s', async (command, how) => {
    const doc = await stored();
    set.loseDuring(command, how);
    expect(await commit(doc)).toEqual(['applied']);
    await expectMadeOnce(doc);
  });

  it('makes a commit whose row the write concern did not confirm', async () => {
    const doc = await stored();
    set.leaveUnconfirmed(3);
    expect(await commit(doc)).toEqual(['applied']);
    await expectMadeOnce(doc);
  });

  it('does not count inserts as done that were not confirmed, beside one that was there', async () => {
    const theirs = event();
    await store.records.insert('events', [theirs]);
    const fresh = event();
    const unconfirmed = set.met.unconfirmed;
    set.leaveUnconfirmed(2);
    const verdicts = await store.records.insert('events', [{ ...theirs, sequence: 2 }, fresh]);
    expect(verdicts).toEqual([{ inserted: false, index: '_id' }, { inserted: true }]);
    expect(set.met.unconfirmed).toBe(unconfirmed + 2);
  });

  it('reports changes as unknown that were not confirmed, beside a refused one', async () => {
    const sender = unique('0x');
    const docs = [0, 1, 2].map((nonce) => transaction({ sender, nonce }));
    await store.records.insert('transactions', docs);
    const to = (nonce: number, i: number) => ({ id: docs[i]?._id ?? '', where: {}, change: { set: { nonce } } });
    set.leaveUnconfirmed(1);
    await expect(store.records.changeMany('transactions', [to(10, 0), to(2, 1)])).rejects.toThrow(UnknownOutcome);
  });

  it('sends a write again that a member refused, although it may be executed once only', async () => {
    const doc = charge();
    await store.records.insert('charges', [doc]);
    const refused = set.met.refused;
    set.stepDown();
    const change = await store.records.change('charges', doc._id, { state: 'waiting' }, { set: { state: 'started' } });
    expect(change).toMatchObject({ state: 'started' });
    expect(set.met.refused).toBeGreaterThan(refused);
  });

  it('reports a write as unknown that was executed and must not be repeated', async () => {
    const doc = charge();
    await store.records.insert('charges', [doc]);
    set.loseDuring('findAndModify', 'stepDown');
    const change = store.records.change('charges', doc._id, { state: 'waiting' }, { set: { state: 'started' } });
    await expect(change).rejects.toThrow(UnknownOutcome);
  });

  it.each(['kill', 'stepDown'] as const)('answers a read that was lost with a %s', async (how) => {
    const doc = await stored();
    set.loseDuring('find', how);
    expect(await store.actors.load('subscription', [doc._id])).toEqual([doc]);
  });

  it('counts a call although its answer is lost', async () => {
    set.loseDuring('findAndModify', 'kill');
    const counted = await store.counters.add(unique('window'), 1, new Date(Date.now() + 60_000));
    expect([1, 2]).toContain(counted);
  });
});
