import { silentLog } from '../../scripts/lib/silent-log.ts';
import type { StoredActor } from '../../src/store/documents.ts';
import { StoreUnavailable, UnknownOutcome } from '../../src/store/errors.ts';
import { Connection } from '../../src/store/mongo/connection.ts';
import { openMongoStore } from '../../src/store/mongo/store.ts';
import type { LedgerStore } from '../../src/store/port.ts';
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
  offer,
  unique,
} from './support/documents.ts';
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
    await insertActors(store, [doc]);
    return doc;
  }
  const reload = async (id: string) => (await store.actors.load('subscription', [id]))[0];

  describe('commit', () => {
    const batchFor = (doc: StoredActor) =>
      batchOf([commitOf(doc, { effects: effects(doc._id, 2, 2) }, { wakeAt: at(5) })]);
    /** Loses so many answers to the insert of the row. */
    const commit = (doc: StoredActor, lost = 0, batch = batchFor(doc)) =>
      store.actors.commit('subscription', batch, async (point) => {
        for (let i = 0; point === 'commit.row.before' && i < lost; i++) line.dropReply('insert');
      });
    const expectMadeOnce = async ({ _id }: StoredActor) => {
      const status = 'active';
      expect(await reload(_id)).toMatchObject({
        rev: 2,
        headRev: 2,
        status,
        wakeAt: at(5),
        outbox: effects(_id, 2, 2),
      });
      expect(await store.records.count('timers', { _id: `${_id}:2:${at(5).getTime()}` })).toBe(1);
      expect(await store.records.count('log', { _id: { gt: `${_id}:`, lt: `${_id};` } })).toBe(2);
    };

    it.each([
      ['outbox and timer', 2, 0],
      ['row', 0, 1],
      ['all three inserts, repeatedly', 2, 2],
    ])('answers "applied" after a lost answer, and is made once: %s', async (_, before, lost) => {
      const doc = await stored();
      for (let i = 0; i < before; i++) line.dropReply('insert');
      const batch = batchFor(doc);
      expect(await commit(doc, lost, batch)).toEqual(['applied']);
      // Whoever does not know the outcome of a commit repeats it; another commit at that revision has lost.
      expect([await commit(doc, 0, batch), await commit(doc)]).toEqual([['applied'], ['lost']]);
      await expectMadeOnce(doc);
    });

    it('answers "applied" after a lost answer to the write of a head, or to the removal of an outbox', async () => {
      const [one, other] = [await stored(), await stored()];
      line.dropReply('update');
      expect(await commit(one)).toEqual(['applied']);
      line.dropReply('delete');
      expect(await commit(other)).toEqual(['applied']);
      await expectMadeOnce(one);
      await expectMadeOnce(other);
    });

    it('of many distinguishes winners and losers', async () => {
      const docs = Array.from({ length: 40 }, () => actor());
      await insertActors(store, docs);
      const losers = docs.filter((_, i) => i % 4 === 0);
      const theirs = losers.map((doc) => commitOf(doc, {}, { status: 'theirs' }));
      await store.actors.commit('subscription', batchOf(theirs));
      const ours = docs.map((doc) => commitOf(doc, { effects: effects(doc._id, 2, 1) }));
      for (let i = 0; i < 2; i++) line.dropReply('insert');
      const verdicts = await store.actors.commit('subscription', batchOf(ours));
      expect(verdicts).toEqual(docs.map((_, i) => (i % 4 === 0 ? 'lost' : 'applied')));
      const ids = docs.map(({ _id }) => _id);
      for (const doc of await store.actors.load('subscription', ids)) {
        expect(doc).toMatchObject({ rev: 2, outbox: { length: doc.status === 'theirs' ? 0 : 1 } });
      }
    });

    it('changes nothing a second time if the network delivers it late, after it was repeated', async () => {
      const doc = await stored();
      for (let i = 0; i < 2; i++) line.hold('insert');
      expect(await commit(doc)).toEqual(['applied']);
      const before = await reload(doc._id);
      await line.release();
      expect(await reload(doc._id)).toEqual(before);
      await expectMadeOnce(doc);
    });
  });

  describe('insert', () => {
    it.each([1, 5])('of %i answers "inserted" after a lost answer', async (count) => {
      const rows = Array.from({ length: count }, () => event());
      line.dropReply('insert');
      expect(await store.records.insert('events', rows)).toEqual(rows.map(() => ({ inserted: true })));
      expect(
        await store.records.get(
          'events',
          rows.map(({ _id }) => _id),
        ),
      ).toHaveLength(count);
    });

    it('still names documents and keys that were there before', async () => {
      const [theirs, fresh] = [event(), event()];
      await store.records.insert('events', [theirs]);
      line.dropReply('insert');
      const verdicts = await store.records.insert('events', [{ ...theirs, sequence: 2 }, fresh]);
      expect(verdicts).toEqual([{ inserted: false, index: '_id' }, { inserted: true }]);
      const taken = { merchantId: unique('mrc'), identifier: unique('slug') };
      await store.records.insert('offers', [offer(taken)]);
      line.dropReply('insert');
      expect(await store.records.insert('offers', [offer(taken), offer()])).toEqual([
        { inserted: false, index: 'identifier' },
        { inserted: true },
      ]);
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
        () => store.actors.commit('subscription', batchOf([commitOf(doc)])),
        () => store.records.insert('offers', [offer(), offer()]),
        () => store.records.change('offers', 'x', {}, { set: { name: 'y' } }),
        () => store.counters.add(unique('window'), 1, new Date(Date.now() + 60_000)),
        () => store.records.remove('outbox', ['op_1']),
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
