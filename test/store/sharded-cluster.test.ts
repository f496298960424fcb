import { MongoClient } from 'mongodb';
import { silentLog } from '../../scripts/lib/silent-log.ts';
import { changeAsSeen } from '../../src/chains/charges.ts';
import { LogActors } from '../../src/store/actors/log-actors.ts';
import type { StoredActor } from '../../src/store/documents.ts';
import { partitionOf } from '../../src/store/ids.ts';
import { RECORD_INDEXES } from '../../src/store/indexes.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { LedgerStore } from '../../src/store/port.ts';
import { canBeUnique } from '../../src/store/sharding.ts';
import { shardedRecords } from '../../stage/sharded-records.ts';
import { ShardedCluster } from '../../tools/lib/sharded-cluster.ts';
import { startTestDevnet } from '../support/devnet.ts';
import { actor, batchOf, charge, commitOf, customer, insertActors } from './support/documents.ts';

/** A store on a model of a sharded cluster. */
interface Model {
  readonly store: LedgerStore;
  /** True: a chunk moves during each write of many documents. */
  moves(isMoving: boolean): void;
  /** What asked all shards. */
  readonly onAllShards: ReadonlySet<string>;
}

async function ofRecords(): Promise<Model> {
  let isMoving = false;
  const base = openMemoryStore();
  const records = shardedRecords(base.records, () => isMoving);
  const moves = (is: boolean) => {
    isMoving = is;
  };
  return { store: { ...base, records, actors: new LogActors(records, silentLog) }, moves, onAllShards: new Set() };
}

let cluster: ShardedCluster;

async function onTheWire(): Promise<Model> {
  const devnet = await startTestDevnet();
  cluster = await ShardedCluster.before(devnet.mongoUri);
  devnet.onStop(() => cluster.close());
  const store = await devnet.openStore('sharded', cluster.uri);
  const moves = (is: boolean) => {
    cluster.moves = () => is;
  };
  return { store, moves, onAllShards: cluster.onAllShards };
}

describe.each([
  ['records', ofRecords],
  ['a router', onTheWire],
])('the store on the model of a sharded cluster as %s', (_name, open) => {
  let model: Model;
  const records = () => model.store.records;
  beforeAll(async () => {
    model = await open();
  });
  afterEach(() => model.moves(false));

  it('reads and changes actors by their ids', async () => {
    const [one, other] = [ofItsPartition(actor()), ofItsPartition(actor())];
    const { actors } = model.store;
    await insertActors(model.store, [one, other]);
    const [before] = await actors.load('subscription', [one._id]);
    if (before === undefined) throw new Error('the actor was not stored');
    const commit = commitOf(before);
    expect(await actors.commit('subscription', batchOf([commit]))).toEqual(['applied']);
    const found = await actors.load('subscription', [one._id, other._id]);
    expect(new Map(found.map(({ _id, rev }) => [_id, rev]))).toEqual(
      new Map([
        [one._id, commit.after.rev],
        [other._id, other.rev],
      ]),
    );
    expect(model.onAllShards).toEqual(new Set());
  });

  it('refuses a change that does not name the shard key', async () => {
    const doc = customer();
    const { _id, merchantId, mode } = doc;
    await records().insert('customers', [doc]);
    const change = { set: { name: 'Ada' } };
    await expect(records().change('customers', _id, {}, change)).rejects.toThrow('no shard key');
    expect(await records().change('customers', _id, { merchantId, mode }, change)).toMatchObject({ name: 'Ada' });
  });

  it('misses a charge whose chunk moves, and does not report it as changed', async () => {
    const docs = [charge(), charge(), charge()];
    await records().insert('charges', docs);
    model.moves(true);
    const made = await changeAsSeen(model.store, docs, { state: 'started', transactionId: 'txn_mine' });
    expect(made.size).toBe(2);
    const ids = docs.map(({ _id }) => _id);
    const started = (await records().get('charges', ids)).filter(({ state }) => state === 'started');
    expect(new Set(started.map(({ _id }) => _id))).toEqual(made);
    model.moves(false);
    const left = docs.filter(({ _id }) => !made.has(_id));
    expect(await changeAsSeen(model.store, left, { state: 'withdrawn', transactionId: null })).toHaveProperty(
      'size',
      1,
    );
  });

  it('removes one document exactly, and may leave one of several that it counts', async () => {
    const ids = [charge(), charge(), charge()].map(({ _id }) => _id);
    await records().insert(
      'charges',
      ids.map((_id) => charge({ _id })),
    );
    model.moves(true);
    expect(await records().remove('charges', ids.slice(0, 1))).toBe(1);
    expect(await records().get('charges', ids.slice(0, 1))).toEqual([]);
    expect(await records().remove('charges', ids.slice(1))).toBe(2);
    expect(await records().get('charges', ids)).toHaveLength(1);
  });
});

function ofItsPartition(doc: StoredActor): StoredActor {
  return { ...doc, partition: partitionOf(doc._id) };
}

it('refuses a unique index that does not begin with the shard key', async () => {
  const client = new MongoClient(cluster.uri);
  const charges = client.db('sharded').collection('charges');
  await expect(charges.createIndex({ key: 1 }, { unique: true })).rejects.toMatchObject({ code: 67 });
  await client.close();
});

describe('the table of shard keys', () => {
  it('keeps every unique index unique', () => {
    const unique = Object.entries(RECORD_INDEXES).flatMap(([collection, indexes]) =>
      indexes.filter((index) => index.unique).map(({ name, on }) => ({ collection, name, on })),
    );
    expect(unique.length).toBeGreaterThan(5);
    expect(unique.filter(({ collection, on }) => !canBeUnique(collection, on))).toEqual([]);
    expect([canBeUnique('customers', { mode: 1, merchantId: 1 }), canBeUnique('charges', { _id: 1 })]).toEqual([
      false,
      false,
    ]);
  });
});
