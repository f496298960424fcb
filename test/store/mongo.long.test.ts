import type { MongoClient } from 'mongodb';
import { webhookEvent } from '../../machines/effects.ts';
import type { JsonObject } from '../../machines/json.ts';
import { silentLog } from '../../scripts/lib/silent-log.ts';
import { claimTotals } from '../../src/billing/allowances/claim-totals.ts';
import { listEventsInOrder, newestEvents } from '../../src/billing/events/events.ts';
import { headOf, rowId, rowsOf } from '../../src/store/actors/heads.ts';
import { changeAll } from '../../src/store/mongo/changes.ts';
import { bindCollections } from '../../src/store/mongo/collections.ts';
import { Connection, durabilityOf } from '../../src/store/mongo/connection.ts';
import { indexTroubles } from '../../src/store/mongo/index-report.ts';
import { openMongoStore } from '../../src/store/mongo/store.ts';
import type { LedgerStore, Query } from '../../src/store/port.ts';
import { scriptedCatalog } from '../../stage/scripted-chain.ts';
import type { TemporaryDevnet } from '../../stage/temporary-devnet.ts';
import { startEngine } from '../../tools/crashtest/database.ts';
import { MONTHLY, newMonthly } from '../machines/support/subscription.ts';
import { startTestDevnet } from '../support/devnet.ts';
import {
  actor,
  at,
  batchOf,
  charge,
  commitOf,
  effects,
  event,
  insertActors,
  logged,
  offer,
  ownPartition,
  transaction,
  unique,
} from './support/documents.ts';
import { FaultyLine } from './support/faulty-line.ts';

/** The nesting limit of MongoDB. From 200 levels on it does not answer, but closes the line. */
const NESTED_MAX = 180;

function nested(levels: number): JsonObject {
  let inner: JsonObject = {};
  for (let level = 1; level < levels; level += 1) inner = { inner };
  return inner;
}

describe('the store on MongoDB', () => {
  let devnet: TemporaryDevnet;
  let line: FaultyLine;
  let raw: MongoClient;
  let store: LedgerStore;

  beforeAll(async () => {
    devnet = await startTestDevnet();
    line = await FaultyLine.before(devnet.mongoUri);
    devnet.onStop(() => line.close());
    raw = await devnet.openClient();
    store = await devnet.openStore('real', line.uri);
  });

  describe('opening', () => {
    it('compresses collections that grow without end, and creates every declared index', async () => {
      const db = raw.db('real');
      const collections = await db.listCollections({}, { nameOnly: false }).toArray();
      const compressed = collections.filter((c) => 'options' in c && JSON.stringify(c.options).includes('=snappy'));
      const grown = ['charges', 'events', 'invoices', 'log', 'payments', 'subscriptions', 'transactions', 'usage'];
      expect(compressed.map(({ name }) => name).sort()).toEqual(grown);
      const cycle = (await db.collection('payments').indexes()).find(({ name }) => name === 'cycle');
      expect(cycle).toMatchObject({
        key: { merchantId: 1, 'attributes.subscriptionId': 1, 'attributes.cycle': 1 },
        partialFilterExpression: { 'attributes.subscriptionId': { $type: 'string' } },
      });
      const expiry = (await db.collection('rateWindows').indexes()).find(({ name }) => name === 'expiry');
      expect(expiry).toMatchObject({ key: { expiresAt: 1 }, expireAfterSeconds: 0 });
    });

    it('gives several processes the same, at once and again', async () => {
      const open = () => devnet.openStore('shared');
      const stores = [...(await Promise.all([open(), open(), open()])), await open()];
      const doc = actor();
      await insertActors(stores[1] ?? store, [doc]);
      for (const one of stores) {
        expect(await one.actors.load('subscription', [doc._id])).toEqual([doc]);
        await one.close();
      }
      await expect(stores[0]?.actors.load('subscription', [doc._id])).rejects.toMatchObject({
        name: 'StoreUnavailable',
      });
      expect(await stores[0]?.ping()).toBe(false);
    });

    it('does not change an existing collection of another form', async () => {
      await (await devnet.openStore('older')).close();
      await raw.db('older').dropCollection('payments');
      await raw.db('older').createCollection('payments', { clusteredIndex: { key: { _id: 1 }, unique: true } });
      await raw.db('older').collection<{ _id: string }>('payments').insertOne({ _id: 'kept' });
      const older = await devnet.openStore('older');
      const doc = actor({ kind: 'payment' });
      await insertActors(older, [doc]);
      const [next] = await older.actors.load('payment', [doc._id]);
      expect(next).toEqual(doc);
      expect(await older.actors.commit('payment', batchOf([commitOf(doc)]))).toEqual(['applied']);
      expect(await older.records.get('payments', ['kept'])).toEqual([{ _id: 'kept' }]);
      await older.close();
    });

    it('uses an index that another version has named, and does not change it', async () => {
      await (await devnet.openStore('renamed')).close();
      const transactions = raw.db('renamed').collection('transactions');
      const before = await transactions.indexes();
      await transactions.dropIndex('nonce');
      await transactions.createIndex({ chainId: 1, sender: 1, nonce: 1 }, { name: 'older', unique: true });
      const opened = await Promise.all([devnet.openStore('renamed'), devnet.openStore('renamed')]);
      const after = await transactions.indexes();
      expect(after).toHaveLength(before.length);
      expect(after.find((index) => index.name === 'older')).toMatchObject({ unique: true });
      expect(await indexTroubles(devnet.mongoUri, 'renamed', silentLog)).toEqual([]);
      const [first, second] = [transaction(), transaction()];
      await opened[0].records.insert('transactions', [first]);
      const sameNonce = { ...second, chainId: first.chainId, sender: first.sender, nonce: first.nonce };
      const verdicts = await opened[1].records.insert('transactions', [sameNonce]);
      expect(verdicts).toEqual([{ inserted: false, index: 'nonce' }]);
      await Promise.all(opened.map((store) => store.close()));
    });

    it('refuses an index that differs from its declaration, and names it', async () => {
      await (await devnet.openStore('odd')).close();
      await raw.db('odd').collection('offers').dropIndex('newest');
      await raw.db('odd').collection('offers').createIndex({ merchantId: 1 }, { name: 'newest' });
      const opened = devnet.openStore('odd');
      await expect(opened).rejects.toThrow(
        /^offers has an index that differs from its declaration in src\/store\/indexes\.ts.*newest/s,
      );
    });
  });

  describe('what a query examines', () => {
    /** The plan of a command, and what it examined; by default of the store's last one. */
    const explained = (explain = line.lastCommand) => raw.db('real').command({ explain, verbosity: 'executionStats' });

    /** For the last queries of these collections, in order: documents found, and documents examined. */
    async function expectLast(
      expected: readonly (readonly [of: string, found: number])[],
      not = /COLLSCAN|"SORT"/,
    ): Promise<void> {
      const queries = line.lastCommands.filter((command) => 'find' in command).slice(-expected.length);
      expect(queries.map((command) => command['find'])).toEqual(expected.map(([of]) => of));
      for (const [index, query] of queries.entries()) {
        const { executionStats, queryPlanner } = await explained(query);
        const [of, found] = expected[index] ?? [];
        expect([of, executionStats.nReturned, executionStats.totalDocsExamined]).toEqual([of, found, found]);
        expect(JSON.stringify(queryPlanner.winningPlan)).not.toMatch(not);
      }
    }

    const merchantId = unique('mrc');
    const partitions = Array.from({ length: 8 }, ownPartition);

    beforeAll(async () => {
      const docs = Array.from({ length: 2_000 }, (_, i) =>
        actor({
          ...(i % 2 === 0 ? { merchantId } : {}),
          createdAt: at(i),
          status: i % 4 === 0 ? 'active' : 'pending',
          attributes: { customerId: `cust_${i % 10}`, idempotencyKey: `key_${i}` },
          partition: i % 16 < 8 ? (partitions[i % 8] ?? 0) : ownPartition(),
          wakeAt: i % 3 === 0 ? null : at(i),
          quarantine: i % 7 === 0 ? { at: at(0), reason: 'test' } : null,
        }),
      );
      await insertActors(store, docs);
      const acting = docs
        .slice(0, 20)
        .map((doc) => ({ commit: commitOf(doc, { effects: effects(doc._id, 2, 1) }, doc) }));
      const commits = acting.map(({ commit }) => ({ ...commit, after: { ...commit.after, rev: 2 } }));
      for (const commit of commits) await store.actors.commit('subscription', batchOf([commit], { relayAt: at(1) }));
    });

    it('for actors by their ids examines only those, with the rows that their heads lack and their outboxes', async () => {
      const query = { where: { merchantId, mode: 'test' }, sort: [['createdAt', 1]], limit: 1_000 } as const;
      const all = await store.actors.find('subscription', query);
      const some = await store.actors.load(
        'subscription',
        all.slice(5, 15).map(({ _id }) => _id),
      );
      expect(some.map(({ rev, headRev }) => [rev, headRev])).toEqual(
        Array.from({ length: 10 }, (_, i) => [i < 5 ? 2 : 1, 1]),
      );
      await expectLast([
        ['subscriptions', 10],
        ['log', 5],
        ['outbox', 5],
      ]);
    });

    it('for due actors examines only their timers, heads and rows', async () => {
      const due = await store.actors.due({ kind: 'subscription', partitions, now: at(1_000), limit: 500 });
      expect(due.length).toBeGreaterThan(200);
      // The first pass has removed the timers of those in quarantine.
      const again = await store.actors.due({ kind: 'subscription', partitions, now: at(1_000), limit: 500 });
      expect(again).toEqual(due);
      const lacking = due.filter(({ rev, headRev }) => rev > headRev).length;
      await expectLast([
        ['timers', due.length],
        ['subscriptions', due.length],
        ['log', lacking],
        ['outbox', lacking],
      ]);
      const fifty = await store.actors.due({ kind: 'subscription', partitions, now: at(900), limit: 50 });
      expect(fifty).toEqual(due.slice(0, 50));
      await expectLast([
        ['timers', 50],
        ['subscriptions', 50],
        ['log', lacking],
        ['outbox', lacking],
      ]);
    });

    it('for waiting outboxes examines only those', async () => {
      const where = { source: 'subscription', at: { lte: at(1_500) } };
      const query = { where, sort: [['at', 1]], ties: 'any', limit: 7 } as const;
      expect(await store.records.find('outbox', query)).toHaveLength(7);
      await expectLast([['outbox', 7]]);
      expect(await store.records.find('outbox', { ...query, limit: 99 })).toHaveLength(20);
      await expectLast([['outbox', 20]]);
    });

    it('for a limited count examines no more than the limit', async () => {
      const counts = [
        () =>
          store.records.count(
            'timers',
            { kind: 'subscription', partition: { in: partitions }, at: { lte: at(1_500) } },
            40,
          ),
        () => store.actors.count('subscription', { 'quarantine.at': { gt: new Date(0) } }, 40),
      ];
      for (const count of counts) {
        expect(await count()).toBe(40);
        const { totalDocsExamined, totalKeysExamined } = (await explained())['stages'][0].$cursor.executionStats;
        expect([totalDocsExamined, totalKeysExamined]).toEqual([0, 40]);
      }
    });

    it("for the sums of a wallet's claims examines no document", async () => {
      const context = newMonthly({ payerWallet: '0xclaims' });
      const claiming = { merchantId, mode: 'test', status: 'active' } as const;
      const docs = [true, true, true].map((allowanceConfirmed) => {
        return actor({ ...claiming, context: { ...context, allowanceConfirmed } });
      });
      await insertActors(store, docs);
      const catalog = scriptedCatalog();
      const answer = catalog.play(MONTHLY.tokenKey, 'test');
      if (!answer.ok) throw new Error('the token is not played');
      const totalOf = await claimTotals({ store, catalog }, docs, ['0xclaims']);
      const total = totalOf({ ...answer.play, merchantId, wallet: '0xclaims' });
      expect(total).toEqual({ amount: 29_700_003n, isCovered: true });
      expect(JSON.stringify(await explained())).toMatch(/"totalKeysExamined":[345],"totalDocsExamined":0/);
    });

    it('for the earliest wake examines its timer and its actor', async () => {
      await insertActors(
        store,
        [1, 2, 3].map((ms) => actor({ partition: ms, wakeAt: at(-ms) })),
      );
      expect(await store.actors.earliestWake('subscription')).toEqual(at(-3));
      await expectLast([
        ['timers', 1],
        ['subscriptions', 1],
        ['log', 0],
      ]);
    });

    const newest: Pick<Query, 'sort' | 'limit'> = { sort: [['createdAt', -1]], limit: 20 };
    const mine = { merchantId, mode: 'test' };
    it.each([
      ['a list', { ...newest, where: mine }],
      ['a list by status', { ...newest, where: { ...mine, status: 'active' } }],
      ['a list by customer', { ...newest, where: { ...mine, 'attributes.customerId': 'cust_2' } }],
    ])('for a page of %s examines only the page', async (_, query) => {
      const found = await store.actors.find('subscription', query);
      expect(found).toHaveLength(20);
      await expectLast([
        ['subscriptions', 20],
        ['log', 0],
      ]);
    });

    it('for an idempotency key examines its one document', async () => {
      const query = { where: { ...mine, 'attributes.idempotencyKey': 'key_8' }, limit: 1 };
      expect(await store.actors.find('subscription', query)).toHaveLength(1);
      await expectLast(
        [
          ['subscriptions', 1],
          ['log', 1],
        ],
        /COLLSCAN/,
      );
    });

    it('for offers with reservations reads only these offers', async () => {
      const before = await store.records.count('offers', { holds: { gt: '' } });
      const held = Array.from({ length: 7 }, (_, i) =>
        offer({ holds: [`sub_${i}:1.1`, `sub_${i}:1.2`], createdAt: at(i) }),
      );
      await store.records.insert('offers', [...held, ...Array.from({ length: 400 }, () => offer({ holds: [] }))]);
      const query = { where: { holds: { gt: '' } }, sort: [['createdAt', 1]], limit: 100 } as const;
      expect(await store.records.find('offers', query)).toHaveLength(before + 7);
      await expectLast([['offers', before + 7]]);
    });

    it('for the newest events of any kind examines only those', async () => {
      const tenant = { merchantId: unique('mrc'), mode: 'test' } as const;
      const kinds = webhookEvent.options;
      const logged = Array.from({ length: 600 }, (_, i) =>
        event({ ...tenant, sequence: i + 1, event: kinds[i % kinds.length] ?? '', createdAt: at(i) }),
      );
      await store.records.insert('events', logged);
      /** The last plan, which finds twenty and may examine one more. */
      const planOfTwenty = async () => {
        const { executionStats, queryPlanner } = await explained();
        expect([executionStats.nReturned, executionStats.totalDocsExamined <= 21]).toEqual([20, true]);
        const plan = JSON.stringify(queryPlanner.winningPlan);
        expect(plan).not.toMatch(/COLLSCAN|"SORT"/);
        return plan;
      };
      const newest = await newestEvents(store, { ...tenant, event: null });
      expect(newest).toEqual(
        logged
          .slice(-20)
          .reverse()
          .map(({ _id }) => _id),
      );
      expect(await planOfTwenty()).toContain('SORT_MERGE');
      const deps = { store, clock: () => at(86_400_000) };
      const { items } = await listEventsInOrder(deps, tenant, { limit: 19, after: logged[99]?._id });
      expect(items).toEqual(logged.slice(100, 119));
      await planOfTwenty();
    });

    it('for rows of an actor examines only those', async () => {
      const actorId = unique('sub');
      const row = { kind: 'subscription', partition: 0, op: 'op', events: [logged()], set: {}, context: {} } as const;
      await store.records.insert(
        'log',
        Array.from({ length: 300 }, (_, rev) => ({ ...row, _id: rowId(actorId, rev), rev })),
      );
      const rows = await store.records.find('log', { where: { _id: rowsOf(actorId) }, sort: [['_id', 1]], limit: 100 });
      expect(rows.map(({ rev }) => rev)).toEqual(rows.map((_, rev) => rev));
      await expectLast([['log', 100]]);
    });
  });

  describe('round trips', () => {
    beforeEach(() => {
      line.takeCommands();
    });

    it('are the sent commands, and a read of any size is one', async () => {
      const before = store.roundTrips();
      const docs = Array.from({ length: 300 }, () => actor({ partition: 77_777, wakeAt: at(1) }));
      const ids = docs.map(({ _id }) => _id);
      const due = { kind: 'subscription', partitions: [77_777], now: at(1) } as const;
      const commits = batchOf(docs.map((doc) => commitOf(doc, {}, { status: doc.status, wakeAt: at(2) })));
      await insertActors(store, docs);
      await store.actors.load('subscription', ids);
      await store.actors.due({ ...due, limit: 250 });
      await store.actors.due({ ...due, limit: 300 });
      await store.actors.find('subscription', { where: { partition: 77_777 }, limit: 100 });
      await store.actors.commit('subscription', commits);
      await store.actors.commit('subscription', { ...commits, op: unique('op') });
      await store.records.upsert('settings', unique('setting'), { value: 'x' }, {});
      await store.counters.add(unique('window'), 1, new Date(Date.now() + 60_000));
      const sent = line.takeCommands();
      // New: outbox, timers, rows, heads, and the outbox away. Load 2, due 3 each, find 2. Commit: timers, rows, old
      // timers away; one that loses also reads the rows that were there.
      expect(sent).toEqual({ insert: 9, find: 11, delete: 2, findAndModify: 2 });
      expect(store.roundTrips() - before).toBe(24);
    });
  });

  describe('durability', () => {
    it('waits for a majority’s journal on a replica set, otherwise for the server’s own', () => {
      const majority = { w: 'majority', journal: true };
      expect(durabilityOf({ isWritablePrimary: true, setName: 'rs0' })).toEqual(majority);
      expect(durabilityOf({ isWritablePrimary: true, msg: 'isdbgrid' })).toEqual(majority);
      expect(durabilityOf({ isWritablePrimary: true })).toEqual({ w: 1, journal: true });
    });

    it('is requested by every kind of write except counters', async () => {
      const twice = ['a', 'b'].map((id) => ({ id, where: {}, change: { set: { reason: 'x' } } }));
      const writes: readonly (() => Promise<unknown>)[] = [
        () => store.records.insert('charges', [charge(), charge()]),
        () => store.records.insert('charges', [charge()]),
        () => store.records.putNewer('subscriptions', [headOf(actor())]),
        () => store.records.change('charges', 'a', {}, { set: { reason: 'x' } }),
        () => store.records.changeMany('charges', twice),
        () => store.records.changeMany('charges', twice.slice(1)),
        () => store.records.remove('charges', ['a']),
      ];
      const asked: unknown[] = [];
      for (const write of writes) {
        await write();
        asked.push(line.lastCommand['writeConcern']);
      }
      expect(asked).toEqual(writes.map(() => ({ w: 1, j: true })));
      await store.counters.add(unique('window'), 1, new Date(Date.now() + 60_000));
      expect(line.lastCommand['writeConcern']).toEqual({ w: 1, j: false });
    });
  });

  it("keeps one caller's data from failing the others", async () => {
    // Refused at once; for a value that is too large, the server would first read all of it.
    const tooDeep = actor({ attributes: nested(NESTED_MAX + 1) });
    const fine = [actor(), actor(), actor()];
    const calls = [...fine.slice(0, 2), tooDeep, ...fine.slice(2)].map((doc) => insertActors(store, [doc]));
    const ends = await Promise.allSettled(calls);
    const inserted = { status: 'fulfilled' };
    expect(ends).toMatchObject([inserted, inserted, { status: 'rejected' }, inserted]);
    const ids = [...fine, tooDeep].map(({ _id }) => _id);
    expect(await store.actors.load('subscription', ids)).toHaveLength(3);
  });

  it('answers for each of many changes on a server without bulk writes over collections', async () => {
    const connection = await Connection.open(devnet.mongoUri, 'real', silentLog);
    const docs = [charge(), charge({ state: 'started' }), charge()];
    await store.records.insert('charges', docs);
    const take = [...docs, docs[0]].map((doc) => ({
      id: doc?._id ?? '',
      where: { state: 'waiting' },
      change: { set: { state: 'started' } },
    }));
    const made = await changeAll(connection, bindCollections(connection).record('charges'), take, false);
    expect(made).toEqual([true, false, true, false]);
    const sender = unique('0x');
    const taken = [0, 1].map((nonce) => transaction({ sender, nonce }));
    await store.records.insert('transactions', taken);
    const clash = taken.map(({ _id }) => ({ id: _id, where: {}, change: { set: { nonce: 1 } } }));
    const conflict = changeAll(connection, bindCollections(connection).record('transactions'), clash, false);
    await expect(conflict).rejects.toMatchObject({ name: 'DuplicateKey', index: 'nonce' });
    await connection.close();
  });
});

describe('an acknowledged write', () => {
  it('survives a kill of the engine in the middle of writing', async () => {
    const engine = await startEngine();
    const store = await openMongoStore({ uri: engine.uri, dbName: 'durable', log: silentLog });
    const revs = new Map<string, number>();
    let answered = 0;
    let killed: Promise<void> | undefined;
    const writer = async () => {
      let doc = actor();
      await insertActors(store, [doc]);
      for (;;) {
        const { after } = commitOf(doc);
        const batch = batchOf([{ ...commitOf(doc), after }]);
        expect(await store.actors.commit('subscription', batch)).toEqual(['applied']);
        doc = { ...doc, ...after };
        revs.set(doc._id, doc.rev);
        answered += 1;
        if (answered >= 400) killed ??= engine.kill().then(() => store.close());
      }
    };
    const ends = await Promise.allSettled(Array.from({ length: 8 }, writer));
    for (const end of ends) expect(end).toMatchObject({ status: 'rejected' });
    await killed;

    const again = await startEngine(engine.dataDir);
    const reopened = await openMongoStore({ uri: again.uri, dbName: 'durable', log: silentLog });
    const found = await reopened.actors.load('subscription', [...revs.keys()]);
    expect(found).toHaveLength(8);
    for (const doc of found) expect(doc.rev).toBeGreaterThanOrEqual(revs.get(doc._id) ?? Number.POSITIVE_INFINITY);
    await reopened.close();
    await again.stop();
  });
});
