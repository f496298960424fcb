import { silentLog } from '../../../scripts/lib/silent-log.ts';
import { BEHIND_MAX, HEADS, headOf, needsHead, rowId } from '../../../src/store/actors/heads.ts';
import { LogActors } from '../../../src/store/actors/log-actors.ts';
import { timerId, UNDER_WAY_MS } from '../../../src/store/actors/timers.ts';
import type { ActorDoc, StoredActor } from '../../../src/store/documents.ts';
import type { Commit, CommitBatch, CommitVerdict, LedgerRecords, LedgerStore, Query } from '../../../src/store/port.ts';
import { overriding } from '../../../stage/overriding.ts';
import {
  actor,
  at,
  batchOf,
  birthOf,
  commitOf,
  effects,
  insertActors,
  logged,
  ownPartition,
  unique,
} from '../support/documents.ts';

/** Actors as rows of a log, with their heads, timers and outboxes. */
export function actorContract(open: () => LedgerStore): void {
  async function stored(fields: Partial<StoredActor> = {}): Promise<StoredActor> {
    const doc = actor(fields);
    await insertActors(open(), [doc]);
    return reload(doc);
  }

  async function reload({ _id }: { readonly _id: string }): Promise<StoredActor> {
    const [doc] = await open().actors.load('subscription', [_id]);
    if (doc === undefined) throw new Error(`${_id} is not stored`);
    return doc;
  }

  function write(commits: readonly Commit[], fields: Partial<CommitBatch> = {}): Promise<CommitVerdict[]> {
    return open().actors.commit('subscription', batchOf(commits, fields));
  }

  /** The actor after one more write. */
  async function advance(before: StoredActor, set: Partial<ActorDoc> = {}, more: Partial<Commit> = {}) {
    expect(await write([commitOf(before, more, set)])).toEqual(['applied']);
    return reload(before);
  }

  async function headRev({ _id }: StoredActor): Promise<number> {
    return (await open().records.get(HEADS.subscription, [_id]))[0]?.rev ?? 0;
  }

  async function timersOf({ _id: actorId, kind, partition }: StoredActor): Promise<string[]> {
    const where = { kind, partition, at: { gt: new Date(0) }, actorId };
    return (await open().records.find('timers', { where, sort: [['at', 1]], limit: 99 })).map(({ _id }) => _id);
  }

  /** The ids of outboxes that name the actor, and how many of its effects each has. */
  async function outboxesOf({ _id }: StoredActor): Promise<(readonly [id: string, effects: number])[]> {
    const where = { 'entries.documentId': _id };
    const found = await open().records.find('outbox', { where, limit: 99 });
    return found.map(({ _id: id, entries }) => {
      return [id, entries.find(({ documentId }) => documentId === _id)?.effects.length ?? 0];
    });
  }

  /** A process over the same records. `before` is called before each insert; it may throw. */
  function process(before: (into: string) => Promise<void>, now?: () => Date): LogActors {
    const { records } = open();
    const insert: LedgerRecords['insert'] = async (into, docs) => {
      if (docs.length > 0) await before(into);
      return records.insert(into, docs);
    };
    return new LogActors(overriding(records, { insert }), silentLog, now);
  }

  describe('load', () => {
    it('returns the existing actors of the kind, complete, each once', async () => {
      const docs = [actor(), actor({ outbox: effects('x', 1, 2), outboxId: unique('op'), wakeAt: at(5) })];
      const [a, b] = docs;
      await insertActors(open(), docs);
      const found = await open().actors.load('subscription', [b?._id ?? '', 'nobody', a?._id ?? '', b?._id ?? '']);
      expect(found.sort((x, y) => (x._id < y._id ? -1 : 1))).toEqual(docs);
      expect(await open().actors.load('payment', [a?._id ?? ''])).toEqual([]);
      expect(await open().actors.load('subscription', [])).toEqual([]);
    });

    it('returns copies, which callers may change', async () => {
      const doc = await stored();
      Object.assign(doc.context, { cycle: 99 });
      Object.assign(doc.attributes, { customerId: 'changed after the read' });
      expect(await reload(doc)).toMatchObject({ context: { cycle: 0 }, attributes: { customerId: 'cust_1' } });
    });

    it.each([1, 3, BEHIND_MAX, BEHIND_MAX + 1, 2 * BEHIND_MAX + 3])(
      'sees a commit at once, also if its head is missing, or %i revisions behind',
      async (behind) => {
        let doc = await stored({ context: { first: 1, only: 'at first' } });
        const old = headOf(doc);
        while (doc.rev <= behind) {
          const events = doc.rev === 1 && behind > 2 ? [logged(), logged()] : [logged()];
          const rev = doc.rev + events.length;
          doc = await advance(doc, { rev, context: { first: 1, [`at ${rev}`]: { rev } } }, { events });
        }
        for (const head of [[], [old]]) {
          await open().records.remove(HEADS.subscription, [doc._id]);
          await open().records.insert(HEADS.subscription, head);
          expect(await reload(doc)).toEqual({ ...doc, headRev: head.length });
        }
        expect(doc.context).toEqual({ first: 1, [`at ${doc.rev}`]: { rev: doc.rev } });
      },
    );
  });

  describe('commit', () => {
    it('stores the new state and its events as one row that has only what changed', async () => {
      const doc = await stored({ attributes: { customerId: 'cust_9' } });
      const events = [logged({ by: 'api', hash: 'h2' }), logged({ to: 'ended', hash: 'h3' })];
      const set = {
        rev: 3,
        status: 'ended',
        eventSeq: 3,
        wakeAt: at(9),
        context: { notes: doc.context['notes'] ?? null },
      };
      const commit = commitOf(doc, { events }, set);
      expect(await write([commit], { op: 'op_of_row' })).toEqual(['applied']);
      expect(await reload(doc)).toEqual({ ...doc, ...commit.after, headRev: 3 });
      const [row] = await open().records.get('log', [rowId(doc._id, 2)]);
      expect(row).toEqual({
        ...{ _id: `${doc._id}:00000002`, kind: 'subscription', partition: 0, op: 'op_of_row', rev: 3, events },
        set: {
          ...{ value: 'active', status: 'ended', eventSeq: 3, wakeAt: at(9), wakeRev: 2, updatedAt: at(1) },
        },
        context: {},
        lost: ['cycle'],
      });
    });

    it.each([
      ['alone', 0, 1],
      ['in a batch', 3, 1],
      ['with several events in its row', 0, 3],
      ['in a batch, against a row of several events', 3, 2],
    ])('against a stale revision is lost, and changes nothing: %s', async (_, others, count) => {
      const [doc, ...rest] = await Promise.all(Array.from({ length: others + 1 }, () => stored({ wakeAt: at(9) })));
      if (doc === undefined) throw new Error('no actor');
      const events = Array.from({ length: count }, () => logged());
      const first = await advance(doc, { rev: 1 + count, status: 'theirs', wakeAt: at(7) }, { events });
      const effect = effects(doc._id, 2, 1);
      const stale = commitOf(doc, { events, effects: effect }, { rev: 1 + count, status: 'ours', wakeAt: at(8) });
      const verdicts = await write([stale, ...rest.map((other) => commitOf(other))]);
      expect(verdicts).toEqual(['lost', ...rest.map(() => 'applied')]);
      expect(await reload(doc)).toEqual(first);
      expect(await open().records.get(HEADS.subscription, [doc._id])).toEqual([headOf(first)]);
      expect(await open().records.count('log', { _id: { gt: `${doc._id}:`, lt: `${doc._id};` } })).toBe(2);
      expect(await outboxesOf(doc)).toEqual([]);
    });

    it.each([0, 1, 5, 50, 100])('names the losers of a batch of 100 when %i lose', async (percent) => {
      const docs = Array.from({ length: 100 }, () => actor());
      await insertActors(open(), docs);
      const losers = docs.filter((_, i) => (i * 37) % 100 < percent);
      await write(losers.map((doc) => commitOf(doc, {}, { status: 'theirs' })));
      const verdicts = await write(docs.map((doc) => commitOf(doc, {}, { status: 'ours' })));
      const expected = docs.map((doc): CommitVerdict => (losers.includes(doc) ? 'lost' : 'applied'));
      expect(verdicts).toEqual(expected);
      const found = await open().actors.load(
        'subscription',
        docs.map(({ _id }) => _id),
      );
      const statusOf = new Map(found.map((doc) => [doc._id, doc.status]));
      expect(docs.map(({ _id }) => statusOf.get(_id))).toEqual(expected.map((v) => (v === 'lost' ? 'theirs' : 'ours')));
    });

    it('lets one of many writers through at each revision, of a new actor too', async () => {
      let doc: StoredActor | null = null;
      const born = actor();
      for (let rev = 1; rev <= 4; rev++) {
        const seen: StoredActor | null = doc;
        const rivals = Array.from({ length: 12 }, (_, rival) => {
          const status = `rival ${rival}`;
          return write([seen === null ? birthOf({ ...born, status }) : commitOf(seen, {}, { status })]);
        });
        const verdicts = (await Promise.all(rivals)).flat();
        doc = await reload(born);
        expect(verdicts).toEqual(verdicts.map((_, rival) => (doc?.status === `rival ${rival}` ? 'applied' : 'lost')));
        expect(doc.rev).toBe(rev);
      }
    });

    it('that is repeated, because its answer was lost, is applied once', async () => {
      const [doc, other] = [await stored(), await stored()];
      const commit = commitOf(doc, { effects: effects(doc._id, 2, 1) }, { wakeAt: at(3) });
      const batch = batchOf([commit], { op: unique('op') });
      expect(await open().actors.commit('subscription', batch)).toEqual(['applied']);
      const first = await reload(doc);
      expect(first).toMatchObject({ rev: 2, outboxId: batch.op, outbox: commit.effects });
      const again = { ...batch, commits: [...batch.commits, commitOf(other)] };
      expect(await open().actors.commit('subscription', batch)).toEqual(['applied']);
      expect(await open().actors.commit('subscription', again)).toEqual(['applied', 'applied']);
      expect(await reload(doc)).toEqual(first);
      expect(await write([commit])).toEqual(['lost']);
      const later = await advance(first);
      expect(await open().actors.commit('subscription', batch)).toEqual(['applied']);
      expect(await reload(doc)).toEqual(later);
    });

    it('refuses an actor that is twice in the batch', async () => {
      const doc = await stored();
      await expect(write([commitOf(doc), commitOf(doc)])).rejects.toThrow(
        `subscription ${doc._id} is in the batch twice`,
      );
      expect((await reload(doc)).rev).toBe(1);
    });
  });

  describe('a head', () => {
    it('is written when a field changes by which lists select, and at the latest after eight revisions', async () => {
      let doc = await stored();
      const same = { status: doc.status };
      for (let rev = 2; rev <= BEHIND_MAX; rev++) {
        doc = await advance(doc, same);
        expect(await headRev(doc)).toBe(1);
      }
      doc = await advance(doc, same);
      expect([doc.rev, await headRev(doc)]).toEqual([BEHIND_MAX + 1, BEHIND_MAX + 1]);
      doc = await advance(doc, same);
      expect(await headRev(doc)).toBe(BEHIND_MAX + 1);
      doc = await advance(doc, { status: 'other' });
      expect(await open().records.get(HEADS.subscription, [doc._id])).toEqual([headOf(doc)]);
      doc = await advance(doc, { ...same, status: 'other', context: { payerWallet: '0x1' } });
      expect(await headRev(doc)).toBe(doc.rev);
      expect(await outboxesOf(doc)).toEqual([]);
    });

    it('stays when a cycle opens, and is written when its charge has failed', () => {
      const due = actor({ context: { open: null } });
      const open = { ...due, rev: 2, context: { open: { failedFor: null } } };
      expect([needsHead(due, open), needsHead(open, due)]).toEqual([false, false]);
      expect(needsHead(open, { ...open, context: { open: { failedFor: 'insufficient_funds' } } })).toBe(true);
    });

    it.each(['subscription', 'payment'] as const)('of a %s is written when its status changes', (kind) => {
      const before = actor({ kind });
      expect(needsHead(before, { ...before, rev: 2 })).toBe(false);
      expect(needsHead(before, { ...before, rev: 2, status: 'failed' })).toBe(true);
    });

    it('that was not written is named in the outbox, until somebody writes it', async () => {
      const doc = await stored();
      const putNewer = async () => Promise.reject(new Error('no head today'));
      const without = new LogActors(overriding(open().records, { putNewer }), silentLog);
      const op = unique('op');
      const commit = commitOf(doc, { effects: effects(doc._id, 2, 1) }, { status: 'other' });
      expect(await without.commit('subscription', batchOf([commit], { op }))).toEqual(['applied']);
      expect(await headRev(doc)).toBe(1);
      expect(await outboxesOf(doc)).toEqual([
        [op, 1],
        [`${op}:heads`, 0],
      ]);
      const late = await reload(doc);
      await open().actors.writeHeads('subscription', [late]);
      expect(await open().records.get(HEADS.subscription, [doc._id])).toEqual([headOf(late)]);
      await open().actors.writeHeads('subscription', [{ ...(await reload(doc)), headRev: 0, rev: 1, status: 'stale' }]);
      expect(await headRev(doc)).toBe(2);
    });
  });

  describe("a cycle's payment", () => {
    const payer = unique('0x');
    const fields = (merchantId: string, createdAt: Date): Partial<StoredActor> => ({
      kind: 'payment',
      merchantId,
      createdAt,
      headRev: 0,
      attributes: { source: 'subscription', customerId: 'cust_1', subscriptionId: unique('sub') },
      context: { pausedFor: null, fromWallet: payer },
    });
    const writePayment = async (before: StoredActor, set: Partial<ActorDoc>, more: Partial<Commit> = {}) => {
      const commit = commitOf(before, more, { context: before.context, ...set });
      expect(await open().actors.commit('payment', batchOf([commit]))).toEqual(['applied']);
      return reloadPayment(before);
    };
    const reloadPayment = async ({ _id }: StoredActor): Promise<StoredActor> =>
      (await open().actors.load('payment', [_id]))[0] ?? actor();
    const made = async (merchantId: string, ms: number) => {
      const doc = actor(fields(merchantId, at(ms)));
      await insertActors(open(), [doc]);
      return reloadPayment(doc);
    };
    const traces = async ({ _id }: StoredActor) => {
      const [heads, short] = await Promise.all([
        open().records.get('payments', [_id]),
        open().records.get('openPayments', [_id]),
      ]);
      return [heads.length, short.length];
    };

    it.each([
      ['settled', { status: 'settled' }, [1, 0]],
      ['pulled', { status: 'pulled' }, [0, 1]],
      ['paused', { status: 'pending', context: { pausedFor: 'undeliverable', fromWallet: payer } }, [1, 0]],
      ['quarantined', { status: 'pending', quarantine: { at: at(1), reason: 'unsound' } }, [1, 0]],
    ] as const)('gets its head when its charge is not on its way: %s', async (_, set, after) => {
      const doc = await made(unique('mrc'), 0);
      expect(await traces(doc)).toEqual([0, 1]);
      const next = await writePayment(doc, set);
      expect(await traces(doc)).toEqual(after);
      expect(next).toMatchObject({ rev: 2, ...set, headRev: after[0] === 1 ? 2 : 0 });
      await writePayment(next, { ...set, status: 'canceled' });
      expect(await traces(doc)).toEqual([1, 0]);
    });

    it('is in lists by its present state, before it has a head and after', async () => {
      const merchantId = unique('mrc');
      const docs: StoredActor[] = [];
      for (const ms of [1, 2, 3, 4, 5]) docs.push(await made(merchantId, ms));
      const [first, second, third, fourth, fifth] = docs.map(({ _id }) => _id);
      await writePayment(docs[0] ?? actor(), { status: 'settled' });
      await writePayment(docs[1] ?? actor(), { status: 'pulled' });
      await writePayment(docs[3] ?? actor(), { status: 'failed' });
      const list = async (query: Partial<Query>) => {
        const where = { merchantId, mode: 'test', ...query.where };
        const found = await open().actors.find('payment', {
          sort: [['createdAt', -1]],
          limit: 9,
          ...query,
          where,
        });
        return found.map(({ _id }) => _id);
      };
      expect(await list({})).toEqual([fifth, fourth, third, second, first]);
      expect(await list({ start: 1, limit: 2 })).toEqual([fourth, third]);
      expect(await list({ start: 3 })).toEqual([second, first]);
      expect(await list({ after: [at(4), fourth ?? ''], limit: 2 })).toEqual([third, second]);
      expect(await list({ sort: [['_id', 1]], where: { status: { in: ['pending', 'settled'] } } })).toEqual(
        [first, third, fifth].toSorted(),
      );
      expect(await list({ where: { status: 'pulled' } })).toEqual([second]);
      expect(await list({ where: { status: 'settled' } })).toEqual([first]);
      expect(await list({ where: { 'context.fromWallet': payer } })).toHaveLength(5);
      expect(await list({ where: { 'context.fromWallet': 'another' } })).toEqual([]);
      expect(
        await list({ where: { 'attributes.subscriptionId': String(docs[2]?.attributes['subscriptionId']) } }),
      ).toEqual([third]);
      for (const path of ['attributes.metadata.order', 'context.pausedFor', 'quarantine.at']) {
        expect(await list({ where: { [path]: 'none' } })).toEqual([]);
      }
      const [anywhere] = await open().actors.find('payment', { where: { machineVersion: { lt: 99 } }, limit: 1 });
      expect(anywhere?.kind).toBe('payment');
      const where = { merchantId, mode: 'test' };
      expect(await open().actors.count('payment', where)).toBe(5);
      expect(await open().actors.count('payment', where, 3)).toBe(3);
      expect(await open().actors.count('payment', { ...where, status: 'pending' })).toBe(2);
    });

    it('is in a list once, if it gets its head while the list is read', async () => {
      const merchantId = unique('mrc');
      const doc = await made(merchantId, 1);
      const { records } = open();
      let reads = 0;
      const find: LedgerRecords['find'] = async (from, query) => {
        const found = await records.find(from, query);
        reads += 1;
        if (reads === 1) await writePayment(doc, { status: 'settled' });
        return found;
      };
      const reading = new LogActors(overriding(records, { find }), silentLog);
      const [found, ...others] = await reading.find('payment', { where: { merchantId, mode: 'test' }, limit: 9 });
      expect([found?.status, others]).toEqual(['settled', []]);
    });

    it('is found after a crash before it was listed, and forgotten where it was listed late', async () => {
      const merchantId = unique('mrc');
      const list = () => open().actors.find('payment', { where: { merchantId, mode: 'test' }, limit: 9 });
      const doc = actor(fields(merchantId, at(1)));
      const op = unique('op');
      const died = process(async (into) => {
        if (into === 'openPayments') throw new Error('it died');
      });
      expect(await died.commit('payment', batchOf([birthOf(doc)], { op }))).toEqual(['applied']);
      expect(await list()).toEqual([]);
      expect(await outboxesOf(doc)).toEqual([[`${op}:heads`, 0]]);
      await open().actors.writeHeads('payment', [await reloadPayment(doc)]);
      expect(await list()).toHaveLength(1);
      const ended = await writePayment(await reloadPayment(doc), { status: 'settled' });
      await open().records.insert('openPayments', [{ ...ended, attributes: {}, context: {} }]);
      await open().actors.writeHeads('payment', [ended]);
      expect(await traces(doc)).toEqual([1, 0]);
      let now = at(0);
      const other = actor(fields(merchantId, at(2)));
      const late = process(
        async (into) => {
          if (into !== 'openPayments') return;
          await writePayment(await reloadPayment(other), { status: 'settled' });
          now = at(2_000);
        },
        () => now,
      );
      expect(await late.commit('payment', batchOf([birthOf(other)]))).toEqual(['applied']);
      expect(await traces(other)).toEqual([1, 0]);
    });

    it('gets its head after ten minutes, and is forgotten if it has ended', async () => {
      const merchantId = unique('mrc');
      const [old, ended, young] = [
        await made(merchantId, 1),
        await made(merchantId, 2),
        await made(merchantId, 600_000),
      ];
      const short = await open().records.get('openPayments', [ended._id]);
      await writePayment(ended, { status: 'settled' });
      await open().records.insert('openPayments', short);
      await open().actors.endOpenPayments(at(600_003));
      expect([await traces(old), await traces(ended), await traces(young)]).toEqual([
        [1, 0],
        [1, 0],
        [0, 1],
      ]);
      const paid = await writePayment(old, { status: 'settled' });
      expect(await open().records.get('payments', [old._id])).toEqual([headOf(paid)]);
    });

    it('has no part in a tally that does not exclude it', async () => {
      const query = { by: [], period: null, sum: null, limit: 9 };
      await expect(
        open().actors.tally('payment', { ...query, where: { merchantId: 'm', mode: 'test' } }),
      ).rejects.toThrow('a tally of payments needs a condition that excludes pending and pulled ones');
    });
  });

  describe('the outbox and the timers of a commit', () => {
    it('are stored before its row, and count only with it', async () => {
      const doc = await stored({ partition: ownPartition(), wakeAt: at(100) });
      const op = unique('op');
      const commit = commitOf(doc, { effects: effects(doc._id, 2, 2) }, { wakeAt: at(50) });
      const died = process(async (into) => {
        if (into === 'log') throw new Error('it died');
      });
      await expect(died.commit('subscription', batchOf([commit], { op }))).rejects.toThrow('it died');
      expect(await outboxesOf(doc)).toContainEqual([op, 2]);
      expect(await timersOf(doc)).toEqual([timerId(commit.after), timerId(doc)]);
      expect(await reload(doc)).toEqual(doc);
      const now = at(60);
      expect(await open().actors.due({ kind: 'subscription', partitions: [doc.partition], now, limit: 9 })).toEqual([]);
    });

    it('have the effects that have not run, also of an earlier commit that they follow', async () => {
      const doc = await stored();
      const [one, two] = [effects(doc._id, 2, 2), effects(doc._id, 4, 1)];
      const second = await advance(doc, {}, { effects: one });
      expect(second.outbox).toEqual(one);
      const third = await advance(second);
      expect(third).toMatchObject({ outboxId: second.outboxId, outbox: one });
      await open().records.change('outbox', third.outboxId ?? '', {}, { set: { [`failures.${doc._id}`]: 3 } });
      const failed = await reload(doc);
      expect(failed.failures).toBe(3);
      const fourth = await advance(failed, {}, { effects: [...failed.outbox, ...two] });
      expect(fourth).toMatchObject({ outbox: [...one, ...two], failures: 3 });
      await open().records.remove('outbox', [fourth.outboxId ?? '']);
      expect(await reload(doc)).toMatchObject({ outbox: [], failures: 0 });
    });

    it('are one document for all actors of a write', async () => {
      const docs = [await stored(), await stored(), await stored()];
      await advance(docs[2] ?? actor());
      const op = unique('op');
      const commits = docs.map((doc, index) => commitOf(doc, { effects: index === 0 ? [] : effects(doc._id, 2, 1) }));
      expect(await write(commits, { op, relayAt: at(77) })).toEqual(['applied', 'applied', 'lost']);
      const [outbox] = await open().records.get('outbox', [op]);
      expect(outbox).toMatchObject({ source: 'subscription', at: at(77), failures: {} });
      const found = await Promise.all(docs.map(reload));
      expect(found.map((doc) => doc.outbox.length)).toEqual([0, 1, 0]);
    });

    it('go with the commit that makes a timer unnecessary', async () => {
      const doc = await stored({ partition: ownPartition(), wakeAt: at(30) });
      expect(await timersOf(doc)).toEqual([timerId(doc)]);
      const same = await advance(doc, { wakeAt: at(30), wakeRev: doc.wakeRev });
      expect(await timersOf(doc)).toEqual([timerId(doc)]);
      const moved = await advance(same, { wakeAt: at(20) });
      expect(await timersOf(doc)).toEqual([timerId(moved)]);
      await advance(moved, { wakeAt: null });
      expect(await timersOf(doc)).toEqual([]);
    });

    it('are stored again after a suspension, because jobs may have removed them', async () => {
      const docs = [await stored({ partition: ownPartition() }), await stored()];
      const [doc = actor()] = docs;
      const op = unique('op');
      const commits = docs.map((each) => commitOf(each, { effects: effects(each._id, 2, 1) }, { wakeAt: at(5) }));
      const batch = batchOf(commits, { op });
      const ids = commits.map((commit) => timerId(commit.after) ?? '');
      for (const [laterMs, left] of [
        [59_000, []],
        [61_000, [1]],
        [61_000, []],
      ] as const) {
        let now = at(0);
        const suspended = process(
          async (into) => {
            if (into !== 'log') return;
            now = at(laterMs);
            await open().records.remove('timers', ids);
            if (left.length === 0) await open().records.remove('outbox', [op]);
            else await open().records.change('outbox', op, {}, { set: { entries: [] } });
          },
          () => now,
        );
        expect(await suspended.commit('subscription', batch)).toEqual(['applied', 'applied']);
        const restored = laterMs > 60_000 ? 1 : 0;
        expect((await timersOf(doc)).length).toBe(restored);
        expect((await reload(doc)).outbox.length).toBe(restored);
      }
    });
  });

  it('is given up before its row after a suspension in which jobs may have removed its outbox', async () => {
    const doc = await stored();
    let now = at(0);
    const suspended = process(
      async (into) => {
        if (into === 'outbox') now = at(1_800_001);
      },
      () => now,
    );
    const batch = batchOf([commitOf(doc, { effects: effects(doc._id, 2, 1) })]);
    await expect(suspended.commit('subscription', batch)).rejects.toThrow('suspended');
    expect(await reload(doc)).toMatchObject({ rev: 1, outbox: [] });
  });

  describe('due', () => {
    const dueIn = async (partitions: readonly number[], ms: number, limit = 99, versions?: readonly number[]) => {
      const query = { kind: 'subscription', partitions, now: at(ms), limit } as const;
      return open().actors.due(versions === undefined ? query : { ...query, versions });
    };
    const idsIn = async (partition: number, ms: number, limit = 99) =>
      (await dueIn([partition], ms, limit)).map(({ _id }) => _id);
    /** The timers that pass before the moment 70. */
    const timersIn = (partition: number) =>
      open().records.count('timers', { kind: 'subscription', partition, at: { lt: at(70) } });

    it('returns due actors of the given partitions and versions, the longest due first, up to the limit', async () => {
      const [mine, other] = [ownPartition(), ownPartition()];
      const wakes = [30, 10, 50, 20, 40].map((ms, index) =>
        actor({ partition: ms % 20 === 0 ? mine : other, wakeAt: at(ms), machineVersion: 7 + (index % 2) }),
      );
      await insertActors(open(), [
        ...wakes,
        actor({ partition: mine }),
        actor({ partition: mine, wakeAt: at(1_000) }),
        actor({ partition: ownPartition(), wakeAt: at(0) }),
        actor({ kind: 'payment', partition: mine, wakeAt: at(0) }),
      ]);
      const wakesOf = (docs: readonly StoredActor[]) => docs.map(({ wakeAt }) => wakeAt);
      const both = [mine, other, mine];
      expect(wakesOf(await dueIn(both, 500))).toEqual([10, 20, 30, 40, 50].map(at));
      expect(wakesOf(await dueIn(both, 500, 2))).toEqual([10, 20].map(at));
      expect(wakesOf(await dueIn(both, 30))).toEqual([10, 20, 30].map(at));
      expect(wakesOf(await dueIn([mine], 500))).toEqual([20, 40].map(at));
      expect(wakesOf(await dueIn(both, 500, 99, [8, 9]))).toEqual([10, 20].map(at));
      expect(await dueIn(both, 500, 99, [])).toEqual([]);
      expect(await dueIn(both, 500, 0)).toEqual([]);
      expect(await dueIn([], 500)).toEqual([]);
      expect(await dueIn(both, 500, 1)).toEqual([wakes[1]]);
    });

    it('returns those of one moment in the order of their ids, whatever their partitions', async () => {
      const partitions = [ownPartition(), ownPartition(), ownPartition()];
      const ids = Array.from({ length: 12 }, () => unique('sub')).sort();
      const docs = ids.map((_id, index) => actor({ _id, partition: partitions[index % 3] ?? 0, wakeAt: at(7) }));
      await insertActors(open(), [...docs.slice(5).reverse(), ...docs.slice(0, 5)]);
      const found = async (limit: number) => (await dueIn(partitions, 9, limit)).map(({ _id }) => _id);
      expect(await found(99)).toEqual(ids);
      expect(await found(5)).toEqual(ids.slice(0, 5));
    });

    it('leaves out quarantined actors until their release', async () => {
      const doc = await stored({ partition: ownPartition(), wakeAt: at(1) });
      const same = { status: doc.status, wakeAt: doc.wakeAt };
      const quarantine = { at: at(5), reason: 'snapshot differs from its journal' };
      const aside = await advance(doc, { ...same, wakeRev: doc.wakeRev, quarantine });
      expect(await idsIn(doc.partition, 9)).toEqual([]);
      expect(await timersOf(doc)).toEqual([]);
      const released = await advance(aside, { ...same, quarantine: null });
      expect(await timersOf(doc)).toEqual([timerId(released)]);
      expect(await idsIn(doc.partition, 9)).toEqual([doc._id]);
    });

    it('removes the timers of losers and of commits that died, when they pass', async () => {
      const doc = await stored({ partition: ownPartition(), wakeAt: at(100) });
      const next = await advance(doc, { wakeAt: at(90) });
      expect(await write([commitOf(doc, {}, { wakeAt: at(50) })])).toEqual(['lost']);
      expect(await timersOf(doc)).toEqual([`${doc._id}:2:${at(50).getTime()}`, timerId(next)]);
      await open().records.insert('timers', [
        { ...timerWithout(doc), _id: timerId(doc) ?? '', rev: 1, at: at(60) },
        { ...timerWithout(doc), _id: unique('timer'), actorId: 'nobody', rev: 1, at: at(61) },
      ]);
      expect(await idsIn(doc.partition, 70)).toEqual([]);
      expect(await timersOf(doc)).toEqual([timerId(next)]);
      expect(await timersIn(doc.partition)).toBe(1);
      expect(await idsIn(doc.partition, UNDER_WAY_MS + 62)).toEqual([doc._id]);
      expect(await timersIn(doc.partition)).toBe(0);
    });

    it('leaves the timer of the winner, for which a loser asked too', async () => {
      const doc = await stored({ partition: ownPartition() });
      const wanted = { wakeAt: at(40) };
      const verdicts = await Promise.all([1, 2, 3].map(() => write([commitOf(doc, {}, wanted)])));
      expect(verdicts.flat().sort()).toEqual(['applied', 'lost', 'lost']);
      expect(await idsIn(doc.partition, 40)).toEqual([doc._id]);
    });

    it('leaves the timer of a commit that may be under way for an hour', async () => {
      const doc = await stored({ partition: ownPartition() });
      const commit = commitOf(doc, {}, { wakeAt: at(5) });
      const seen: number[] = [];
      const slow = process(async (into) => {
        if (into !== 'log') return;
        for (const ms of [6, UNDER_WAY_MS]) {
          expect(await idsIn(doc.partition, ms)).toEqual([]);
          seen.push((await timersOf(doc)).length);
        }
      });
      expect(await slow.commit('subscription', batchOf([commit]))).toEqual(['applied']);
      expect(seen).toEqual([1, 1]);
      expect(await idsIn(doc.partition, 6)).toEqual([doc._id]);
    });

    it('stores the timer of an actor again that a stale one has led to', async () => {
      const doc = await stored({ partition: ownPartition(), wakeAt: at(10) });
      await open().records.remove('timers', [timerId(doc) ?? '']);
      expect(await idsIn(doc.partition, 20)).toEqual([]);
      await open().records.insert('timers', [{ ...timerWithout(doc), _id: unique('timer'), rev: 1, at: at(5) }]);
      expect(await idsIn(doc.partition, 20)).toEqual([doc._id]);
      expect(await timersOf(doc)).toEqual([timerId(doc)]);
    });

    it('finds every due actor behind more stale and unknown timers than it reads at a time', async () => {
      const partition = ownPartition();
      const docs = [50, 51, 52].map((ms) => actor({ partition, wakeAt: at(ms) }));
      await insertActors(open(), docs);
      const stale = Array.from({ length: 20 }, (_, index) => ({
        ...timerWithout(docs[index % 3] ?? actor()),
        _id: unique('timer'),
        rev: index % 2,
        ...(index % 4 < 2 ? {} : { actorId: `nobody ${index}` }),
        at: at(index),
      }));
      await open().records.insert('timers', stale);
      const ids = docs.map(({ _id }) => _id);
      expect(await idsIn(partition, 60, 2)).toEqual(ids.slice(0, 2));
      expect(await idsIn(partition, 60, 3)).toEqual(ids);
      expect(await idsIn(partition, 51, 9)).toEqual(ids.slice(0, 2));
      expect(await timersIn(partition)).toBe(13);
    });

    it('knows the earliest wake of all', async () => {
      expect(await open().actors.earliestWake('payment')).toBeNull();
      const docs = [40, 20, 30].map((ms) => actor({ kind: 'payment', partition: ms % 64, wakeAt: at(ms) }));
      await insertActors(open(), docs);
      expect(await open().actors.earliestWake('payment')).toEqual(at(20));
      const [, first = actor()] = docs;
      await open().actors.commit('payment', batchOf([commitOf(first)]));
      expect(await open().actors.earliestWake('payment')).toEqual(at(30));
      const others = docs.filter((doc) => doc !== first);
      const unmade = [5, 6, 31].map((ms) => ({
        ...timerWithout(actor({ kind: 'payment' })),
        _id: unique('timer'),
        rev: 1,
        at: at(ms),
      }));
      await open().records.insert('timers', unmade);
      expect(await open().actors.earliestWake('payment')).toEqual(at(30));
      await open().actors.commit('payment', batchOf(others.map((doc) => commitOf(doc, {}, { wakeAt: null }))));
      expect(await open().actors.earliestWake('payment')).toBeNull();
    });
  });

  describe('find', () => {
    it('returns the state as of now, although heads are behind', async () => {
      const doc = await stored({ merchantId: unique('mrc') });
      const next = await advance(
        doc,
        { status: doc.status, context: { cycle: 7 } },
        { effects: effects(doc._id, 2, 1) },
      );
      expect(await headRev(doc)).toBe(1);
      const query = { where: { merchantId: doc.merchantId }, limit: 9 };
      expect(await open().actors.find('subscription', query)).toEqual([headOf(next)]);
      const fields = await open().actors.findFields('subscription', query, ['rev', 'context']);
      expect(fields).toEqual([{ _id: doc._id, rev: 2, context: { cycle: 7 } }]);
    });

    it('finds actors by attribute and status, newest first', async () => {
      const merchantId = unique('mrc');
      const docs = [1, 2, 3, 4].map((day) =>
        actor({
          merchantId,
          createdAt: at(day),
          status: day % 2 ? 'active' : 'canceled',
          attributes: { offerId: `o${day % 2}` },
        }),
      );
      await insertActors(open(), docs);
      const query = { sort: [['createdAt', -1]] as const, limit: 10 };
      const idsOf = (found: readonly { readonly _id: string }[]) =>
        found.map((doc) => docs.findIndex(({ _id }) => _id === doc._id) + 1);
      expect(idsOf(await open().actors.find('subscription', { ...query, where: { merchantId } }))).toEqual([
        4, 3, 2, 1,
      ]);
      const odd = { merchantId, mode: 'test', 'attributes.offerId': 'o1' };
      expect(idsOf(await open().actors.find('subscription', { ...query, where: odd }))).toEqual([3, 1]);
      expect(
        idsOf(await open().actors.find('subscription', { ...query, start: 1, limit: 2, where: { merchantId } })),
      ).toEqual([3, 2]);
      const count = (atMost?: number) => open().actors.count('subscription', { merchantId, status: 'active' }, atMost);
      expect([await count(), await count(1), await count(2), await count(3)]).toEqual([2, 1, 2, 2]);
      await expect(count(0)).rejects.toThrow('atMost is 0');
      expect(await open().actors.find('subscription', { where: { merchantId }, limit: 0 })).toEqual([]);
    });

    it('finds named fields of actors alone', async () => {
      const merchantId = unique('mrc');
      const docs = [1, 2, 3].map((day) =>
        actor({ merchantId, createdAt: at(day), attributes: { day, odd: ['a', {}] } }),
      );
      await insertActors(open(), docs);
      const query = { where: { merchantId }, sort: [['createdAt', -1]] as const, limit: 2 };
      const found = await open().actors.findFields('subscription', query, ['attributes', 'createdAt']);
      expect(found).toEqual(
        [docs[2], docs[1]].map((doc) => ({ _id: doc?._id, attributes: doc?.attributes, createdAt: doc?.createdAt })),
      );
      const ids = await open().actors.findFields('subscription', query, []);
      expect(ids).toEqual([{ _id: docs[2]?._id }, { _id: docs[1]?._id }]);
      expect(await open().actors.findFields('subscription', { ...query, limit: 0 }, ['status'])).toEqual([]);
      const unbounded = open().actors.findFields('subscription', { ...query, limit: Number.NaN }, ['status']);
      await expect(unbounded).rejects.toThrow('limit');
    });

    it('refuses a field whose value a head may lack', async () => {
      const { actors } = open();
      const where = { 'context.cycle': 1 };
      const refused = 'a query of subscriptions by context.cycle: name the field in src/store/actors/heads.ts';
      await expect(actors.find('subscription', { where, limit: 1 })).rejects.toThrow(refused);
      const sort = [['context.cycle', 1]] as const;
      await expect(actors.findFields('subscription', { where: {}, sort, limit: 1 }, [])).rejects.toThrow(refused);
      await expect(actors.count('subscription', where)).rejects.toThrow(refused);
      const tally = actors.tally('subscription', { where, by: [], period: null, sum: null, limit: 1 });
      await expect(tally).rejects.toThrow(refused);
    });

    it('adds up groups by fields and by day or month, exactly', async () => {
      const merchantId = unique('mrc');
      const made = (offerId: string | null, day: string, amount: string) =>
        actor({
          merchantId,
          attributes: offerId === null ? {} : { offerId },
          context: { amount, endedAt: `${day}T23:59:59.999Z` },
          createdAt: new Date(`${day}T00:00:00.000Z`),
        });
      await insertActors(open(), [
        made('offer_a', '2028-01-31', '9007199254740993'),
        made('offer_a', '2028-01-31', '2'),
        made('offer_a', '2028-02-01', '5'),
        made(null, '2028-02-01', '7'),
      ]);
      const ask = async (of: string, unit: 'day' | 'month') => {
        const query = {
          where: { merchantId },
          by: ['attributes.offerId'],
          period: { of, unit },
          sum: 'context.amount',
        };
        const found = await open().actors.tally('subscription', { ...query, limit: 10 });
        const described = found.map(
          ({ by, start, count, sum }) => `${by[0]} ${start?.toISOString().slice(0, 10)} ${count} ${sum}`,
        );
        return described.sort();
      };
      const byDay = ['null 2028-02-01 1 7', 'offer_a 2028-01-31 2 9007199254740995', 'offer_a 2028-02-01 1 5'];
      expect(await ask('createdAt', 'day')).toEqual(byDay);
      expect(await ask('context.endedAt', 'day')).toEqual(byDay);
      expect(await ask('createdAt', 'month')).toEqual(byDay.map((line) => line.replace('-01-31 ', '-01-01 ')));
      const all = { where: { merchantId }, by: [], period: null, sum: null };
      expect(await open().actors.tally('subscription', { ...all, limit: 10 })).toEqual([
        { by: [], start: null, count: 4, sum: 0n },
      ]);
      expect(await open().actors.tally('subscription', { ...all, by: ['context.amount'], limit: 3 })).toHaveLength(3);
    });
  });
}

/** The fields of a timer of an actor that do not name the wake. */
function timerWithout({ _id: actorId, kind, partition, machineVersion: version }: StoredActor) {
  return { kind, actorId, partition, version, createdAt: at(0) };
}
