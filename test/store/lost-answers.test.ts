import { silentLog } from '../../scripts/lib/silent-log.ts';
import { StoreUnavailable, UnknownOutcome } from '../../src/store/errors.ts';
import { Connection } from '../../src/store/mongo/connection.ts';
import { openMongoStore } from '../../src/store/mongo/store.ts';
import type { LedgerStore } from '../../src/store/port.ts';
import { startTestDevnet } from '../support/devnet.ts';
import { actor, at, charge, commitOf, effects, journal, offer, unique } from './support/documents.ts';
import { FaultyLine } from './support/faulty-line.ts';

/**
 * A real MongoDB behind a line that fails at the worst moment: the server has done the work, but the answer is lost.
 */
describe('the store on a line that fails', () => {
  let line: FaultyLine;
  let store: LedgerStore;

  beforeAll(async () => {
    const devnet = await startTestDevnet();
    line = await FaultyLine.before(devnet.mongoUri);
    devnet.onStop(() => line.close());
    store = await devnet.openStore('lost', line.uri);
  });
  afterEach(() => {
    expect(line.planned).toBe(0);
  });

  async function stored() {
    const doc = actor();
    await store.actors.insert('subscription', [doc]);
    return doc;
  }
  const reload = async (id: string) => (await store.actors.load('subscription', [id]))[0];

  describe('commit', () => {
    it('answers "applied" after a lost answer, and is made once', async () => {
      const doc = await stored();
      const commit = commitOf(doc, { effects: effects(doc._id, 2, 2) });
      line.dropReply('update');
      expect(await store.actors.commit('subscription', [commit])).toEqual(['applied']);
      expect(await reload(doc._id)).toMatchObject({
        rev: 2,
        outbox: commit.effects,
        recentOps: [doc.recentOps[0], commit.op],
      });
    });

    it('answers "applied" even if its answer is lost repeatedly', async () => {
      const doc = await stored();
      for (let i = 0; i < 3; i++) line.dropReply('update');
      expect(await store.actors.commit('subscription', [commitOf(doc)])).toEqual(['applied']);
      expect((await reload(doc._id))?.rev).toBe(2);
    });

    it('of many distinguishes winners, losers and missing ones', async () => {
      const docs = Array.from({ length: 40 }, () => actor());
      await store.actors.insert('subscription', docs);
      const losers = docs.filter((_, i) => i % 4 === 0);
      await store.actors.commit(
        'subscription',
        losers.map((doc) => commitOf(doc, {}, { status: 'theirs' })),
      );
      const batch = [...docs, actor()];
      line.dropReply('update');
      const verdicts = await store.actors.commit(
        'subscription',
        batch.map((doc) => commitOf(doc, { effects: effects(doc._id, 2, 1) })),
      );
      expect(verdicts).toEqual([...docs.map((_, i) => (i % 4 === 0 ? 'lost' : 'applied')), 'missing']);
      const after = await store.actors.load(
        'subscription',
        docs.map(({ _id }) => _id),
      );
      for (const doc of after)
        expect(doc).toMatchObject({ rev: 2, outbox: { length: doc.status === 'theirs' ? 0 : 1 } });
    });

    it('changes nothing a second time if the network delivers it late, after it was repeated', async () => {
      const doc = await stored();
      const commit = commitOf(doc, { effects: effects(doc._id, 2, 1) });
      line.hold('update');
      expect(await store.actors.commit('subscription', [commit])).toEqual(['applied']);
      const before = await reload(doc._id);
      await line.release();
      expect(await reload(doc._id)).toEqual(before);
      expect(before?.outbox).toHaveLength(1);
    });
  });

  describe('insert', () => {
    it.each([1, 5])('of %i answers "inserted" after a lost answer', async (count) => {
      const rows = Array.from({ length: count }, () => journal(unique('sub'), 1));
      line.dropReply('insert');
      expect(await store.records.insert('journal', rows)).toEqual(rows.map(() => ({ inserted: true })));
      expect(
        await store.records.get(
          'journal',
          rows.map(({ _id }) => _id),
        ),
      ).toHaveLength(count);
    });

    it('still names documents that were there before', async () => {
      const theirs = journal(unique('sub'), 1);
      await store.records.insert('journal', [theirs]);
      const mine = { ...theirs, rows: [] };
      const fresh = journal(unique('sub'), 1);
      line.dropReply('insert');
      const verdicts = await store.records.insert('journal', [mine, fresh]);
      expect(verdicts).toEqual([{ inserted: false, index: '_id' }, { inserted: true }]);
    });

    it('of actors keeps the verdicts of other indexes', async () => {
      const key = { idempotencyKey: unique('key') };
      const theirs = actor({ attributes: key });
      await store.actors.insert('subscription', [theirs]);
      const docs = [actor({ merchantId: theirs.merchantId, attributes: key }), actor()];
      line.dropReply('insert');
      expect(await store.actors.insert('subscription', docs)).toEqual([
        { inserted: false, index: 'idempotencyKey' },
        { inserted: true },
      ]);
    });
  });

  describe('ack', () => {
    it('is done, whichever of its answers is lost', async () => {
      const _id = unique('sub');
      const doc = actor({ _id, outbox: effects(_id, 1, 2), relayAt: at(1) });
      await store.actors.insert('subscription', [doc]);
      line.dropReply('update');
      line.dropReply('update');
      await store.outboxes.ack('subscription', [{ id: _id, effectIds: doc.outbox.map(({ id }) => id) }]);
      expect(await reload(_id)).toMatchObject({ outbox: [], relayAt: null });
    });
  });

  describe('change', () => {
    it('with an operation is made once', async () => {
      const doc = offer();
      await store.records.insert('offers', [doc]);
      const change = { inc: { rev: 1, redeemedCount: 1 }, push: { recentOps: [unique('op')] } };
      line.dropReply('findAndModify');
      const after = await store.records.change('offers', doc._id, { rev: 1 }, change);
      expect(after).toMatchObject({ rev: 2, redeemedCount: 1 });
      line.hold('findAndModify');
      const next = { inc: { rev: 1, redeemedCount: 1 }, push: { recentOps: [unique('op')] } };
      expect(await store.records.change('offers', doc._id, { rev: 2 }, next)).toMatchObject({
        rev: 3,
        redeemedCount: 2,
      });
      await line.release();
      expect((await store.records.get('offers', [doc._id]))[0]).toMatchObject({ rev: 3, redeemedCount: 2 });
    });

    it('without an operation reports that its outcome is unknown', async () => {
      const doc = charge();
      await store.records.insert('charges', [doc]);
      line.dropReply('findAndModify');
      const change = store.records.change('charges', doc._id, { state: 'waiting' }, { set: { state: 'started' } });
      await expect(change).rejects.toThrow(UnknownOutcome);
      line.dropReply('bulkWrite');
      const both = [doc, charge()].map(({ _id }) => ({ id: _id, where: {}, change: { inc: { attempt: 1 } } }));
      await expect(store.records.changeMany('charges', both)).rejects.toThrow(`change charges: the answer was lost`);
      expect((await store.records.get('charges', [doc._id]))[0]).toMatchObject({ state: 'started', attempt: 2 });
    });
  });

  it('repeats a read whose answer was lost', async () => {
    const doc = await stored();
    line.dropReply('find');
    expect(await reload(doc._id)).toEqual(doc);
  });

  it('rejects while no server answers, shows it in ping, and continues when one does', async () => {
    const doc = await stored();
    line.cut();
    try {
      expect(await store.ping()).toBe(false);
      const asked = [
        () => store.actors.load('subscription', [doc._id]),
        () => store.actors.commit('subscription', [commitOf(doc)]),
        () => store.actors.insert('subscription', [actor(), actor()]),
        () => store.records.change('offers', 'x', {}, { set: { name: 'y' } }),
        () => store.counters.add(unique('window'), 1, new Date(Date.now() + 60_000)),
        () => store.outboxes.ack('subscription', [{ id: doc._id, effectIds: ['x:1:0'] }]),
      ];
      const answers = await Promise.allSettled(asked.map((ask) => ask()));
      for (const answer of answers)
        expect(answer).toMatchObject({ status: 'rejected', reason: { name: 'StoreUnavailable' } });
    } finally {
      line.restore();
    }
    expect(await reload(doc._id)).toEqual(doc);
    expect(await store.ping()).toBe(true);
  });

  it('rejects a write as unknown if the server does not come back', async () => {
    const connection = await Connection.open(line.uri, 'lost', silentLog);
    const rows = connection.db.collection<{ _id: string }>('plain');
    await rows.insertOne({ _id: unique('x') });
    line.dropReply('insert');
    const write = connection.untilAnswered(
      'insert plain',
      async () => {
        const answer = rows.insertOne({ _id: unique('x') });
        answer.catch(() => line.cut());
        return answer;
      },
      100,
    );
    await expect(write).rejects.toThrow('insert plain: the answer was lost; it is unknown whether the write was done');
    line.restore();
    await connection.close();
  });

  it('does not open without a server', async () => {
    const nowhere = 'mongodb://127.0.0.1:9/?serverSelectionTimeoutMS=200';
    await expect(openMongoStore({ uri: nowhere, dbName: 'x', log: silentLog })).rejects.toThrow(StoreUnavailable);
  });

  it('logs once that the server is gone, and once that it is back', async () => {
    const logged: string[] = [];
    let back: (message: string) => void = () => {};
    const isBack = new Promise<string>((resolve) => {
      back = resolve;
    });
    const log = {
      warn: (_: object, message: string) => void logged.push(message),
      info: (_: object, message: string) => back(message),
    };
    const connection = await Connection.open(`${line.uri}&heartbeatFrequencyMS=500`, 'lost', log);
    expect(await connection.ping()).toBe(true);
    line.cut();
    expect(await connection.ping()).toBe(false);
    expect(await connection.ping()).toBe(false);
    expect(logged).toEqual(['MongoDB does not answer; the driver keeps trying']);
    line.restore();
    expect(await isBack).toBe('MongoDB answers again');
    await connection.close();
  });
});
