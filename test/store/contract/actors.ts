import type { StoredActor } from '../../../src/store/documents.ts';
import type { Commit, CommitVerdict, Store } from '../../../src/store/port.ts';
import { actor, at, commitOf, effects, journalRow, ownPartition, unique } from '../support/documents.ts';

/** Actors: load, insert, and the conditional write. */
export function actorContract(open: () => Store): void {
  async function stored(fields: Partial<StoredActor> = {}): Promise<StoredActor> {
    const doc = actor(fields);
    expect(await open().actors.insert('subscription', [doc])).toEqual([{ inserted: true }]);
    return doc;
  }

  async function reload(id: string): Promise<StoredActor | undefined> {
    return (await open().actors.load('subscription', [id]))[0];
  }

  describe('load', () => {
    it('returns the existing documents, complete, each once', async () => {
      const [a, b] = [await stored(), await stored({ relayAt: at(5), outbox: effects('x', 1, 2) })];
      const found = await open().actors.load('subscription', [b._id, 'nobody', a._id, b._id]);
      expect(found.sort((x, y) => (x._id < y._id ? -1 : 1))).toEqual([a, b]);
      expect(await open().actors.load('payment', [a._id])).toEqual([]);
      expect(await open().actors.load('subscription', [])).toEqual([]);
    });

    it('returns copies, which callers may change', async () => {
      const doc = await stored();
      const mine = await reload(doc._id);
      Object.assign(mine?.context ?? {}, { cycle: 99 });
      Object.assign(doc.attributes, { customerId: 'changed after the insert' });
      expect(await reload(doc._id)).toMatchObject({ context: { cycle: 0 }, attributes: { customerId: 'cust_1' } });
    });
  });

  describe('commit', () => {
    it('sets the given fields, records the operation, and keeps the rest', async () => {
      const doc = await stored({ attributes: { customerId: 'cust_9' } });
      const commit = commitOf(doc, { effects: effects(doc._id, 2, 2), relayAt: at(7) }, { wakeAt: at(9), eventSeq: 3 });
      expect(await open().actors.commit('subscription', [commit])).toEqual(['applied']);
      expect(await reload(doc._id)).toEqual({
        ...doc,
        ...commit.set,
        recentOps: [...doc.recentOps, commit.op],
        journal: commit.journal,
        outbox: commit.effects,
        relayAt: at(7),
      });
    });

    it('without effects does not change outbox and relayAt', async () => {
      const doc = await stored({ outbox: effects('a', 1, 1), relayAt: at(3), relayFailures: 2 });
      await open().actors.commit('subscription', [commitOf(doc, { relayAt: at(99) })]);
      expect(await reload(doc._id)).toMatchObject({ rev: 2, outbox: doc.outbox, relayAt: at(3), relayFailures: 2 });
    });

    it('that clears the outbox replaces the effects that it saw by its own', async () => {
      const laden = { outbox: effects('a', 1, 2), relayAt: at(3), relayFailures: 2 };
      const [doc, other, late] = [await stored(laden), await stored(laden), await stored(laden)];
      const commit = commitOf(doc, { effects: effects(doc._id, 2, 1), relayAt: at(7), clearsOutbox: true });
      const nothing = commitOf(other, { relayAt: at(7), clearsOutbox: true });
      expect(await open().actors.commit('subscription', [commit, nothing])).toEqual(['applied', 'applied']);
      expect(await reload(doc._id)).toMatchObject({ outbox: commit.effects, relayAt: at(7), relayFailures: 0 });
      expect(await reload(other._id)).toMatchObject({ outbox: [], relayAt: null, relayFailures: 0 });
      await open().actors.commit('subscription', [commitOf(late, { effects: effects(late._id, 2, 1) })]);
      expect(await open().actors.commit('subscription', [commitOf(late, { clearsOutbox: true })])).toEqual(['lost']);
      expect((await reload(late._id))?.outbox).toHaveLength(3);
    });

    it.each([1, 20])(
      'adds its rows to the journal, or replaces those that are in a page: %i at once',
      async (count) => {
        const docs = await Promise.all(
          Array.from({ length: count }, (_, index) => stored({ journal: index % 2 === 0 ? [journalRow(1)] : [] })),
        );
        const adding = docs.map((doc) => commitOf(doc, { journal: [journalRow(2), journalRow(3)] }));
        expect(new Set(await open().actors.commit('subscription', adding))).toEqual(new Set(['applied']));
        for (const [index, { id, journal }] of adding.entries())
          expect((await reload(id))?.journal).toEqual([...(docs[index]?.journal ?? []), ...journal]);
        const turning = docs.map((doc) => {
          return { ...commitOf({ ...doc, rev: 2 }, { journal: [journalRow(4)] }), turnsPage: true as const };
        });
        expect(new Set(await open().actors.commit('subscription', turning))).toEqual(new Set(['applied']));
        for (const { id, journal } of turning) expect((await reload(id))?.journal).toEqual(journal);
        const late = docs.map((doc) => commitOf(doc, { journal: [journalRow(5)] }));
        expect(new Set(await open().actors.commit('subscription', late))).toEqual(new Set(['lost']));
        for (const { id, journal } of turning) expect((await reload(id))?.journal).toEqual(journal);
      },
    );

    it('never writes the fields of the relay, even if a whole document is given', async () => {
      const doc = await stored({ outbox: effects('a', 1, 1), relayAt: at(3) });
      const commit = commitOf(doc);
      const whole = { ...doc, outbox: [], relayAt: null, recentOps: [], ...commit.set };
      const careless: Commit = { ...commit, set: whole };
      await open().actors.commit('subscription', [careless]);
      expect(await reload(doc._id)).toMatchObject({
        outbox: doc.outbox,
        relayAt: at(3),
        recentOps: [doc.recentOps[0], commit.op],
      });
    });

    it.each([0, 1, 5, 50, 100])('names the losers of a batch of 100 when %i lose', async (percent) => {
      const docs = Array.from({ length: 100 }, () => actor());
      await open().actors.insert('subscription', docs);
      const losers = docs.filter((_, i) => (i * 37) % 100 < percent);
      await open().actors.commit(
        'subscription',
        losers.map((doc) => commitOf(doc, {}, { status: 'theirs' })),
      );
      const verdicts = await open().actors.commit(
        'subscription',
        docs.map((doc) => commitOf(doc, {}, { status: 'ours' })),
      );
      const expected = docs.map((doc): CommitVerdict => (losers.includes(doc) ? 'lost' : 'applied'));
      expect(verdicts).toEqual(expected);
      const after = await open().actors.load(
        'subscription',
        docs.map(({ _id }) => _id),
      );
      const statusOf = new Map(after.map((doc) => [doc._id, doc.status]));
      expect(docs.map(({ _id }) => statusOf.get(_id))).toEqual(expected.map((v) => (v === 'lost' ? 'theirs' : 'ours')));
    });

    it('answers "applied" to a repeated commit, and makes it once', async () => {
      const [doc, other] = [await stored(), await stored()];
      const commit = commitOf(doc, { effects: effects(doc._id, 2, 1) });
      await open().actors.commit('subscription', [commit]);
      expect(await open().actors.commit('subscription', [commit])).toEqual(['applied']);
      expect(await open().actors.commit('subscription', [commit, commitOf(other)])).toEqual(['applied', 'applied']);
      expect(await reload(doc._id)).toMatchObject({
        rev: 2,
        outbox: commit.effects,
        recentOps: [doc.recentOps[0], commit.op],
      });
    });

    it('recognises an operation behind fifteen later ones, and no more', async () => {
      let doc = await stored();
      const first = commitOf(doc);
      await open().actors.commit('subscription', [first]);
      for (let later = 1; later <= 16; later++) {
        doc = { ...doc, rev: doc.rev + 1 };
        await open().actors.commit('subscription', [commitOf(doc)]);
        if (later === 15) expect(await open().actors.commit('subscription', [first])).toEqual(['applied']);
      }
      expect((await reload(doc._id))?.recentOps).toHaveLength(16);
      expect(await open().actors.commit('subscription', [first])).toEqual(['lost']);
    });

    it('answers "missing" for an unknown document', async () => {
      const doc = await stored();
      const verdicts = await open().actors.commit('subscription', [commitOf(actor()), commitOf(doc)]);
      expect(verdicts).toEqual(['missing', 'applied']);
      expect(await open().actors.commit('subscription', [commitOf(actor())])).toEqual(['missing']);
      expect(await open().actors.commit('subscription', [])).toEqual([]);
    });

    it('lets one of many writers through at each rev', async () => {
      const doc = await stored();
      for (let rev = 1; rev <= 5; rev++) {
        const seen = { ...doc, rev };
        const rivals = Array.from({ length: 12 }, () => open().actors.commit('subscription', [commitOf(seen)]));
        const verdicts = (await Promise.all(rivals)).flat();
        expect(verdicts.filter((verdict) => verdict === 'applied')).toHaveLength(1);
        expect(verdicts.filter((verdict) => verdict === 'lost')).toHaveLength(11);
      }
      expect((await reload(doc._id))?.rev).toBe(6);
    });

    it('loses if the document was quarantined since it was read, alone and among others', async () => {
      const [aside, other] = [await stored(), await stored()];
      await open().actors.setQuarantine('subscription', aside._id, { at: at(5), reason: 'quarantined' });
      const old = (doc: StoredActor) => ({ ...commitOf(doc), unlessQuarantined: true as const });
      expect(await open().actors.commit('subscription', [old(aside)])).toEqual(['lost']);
      expect(await open().actors.commit('subscription', [old(aside), old(other)])).toEqual(['lost', 'applied']);
      expect([(await reload(aside._id))?.rev, (await reload(other._id))?.rev]).toEqual([1, 2]);
    });

    it('has the same result alone and among many', async () => {
      const context = { $dollar: 1, 'a.dot': ['$value', '$$ROOT'], $ref: 'x', nested: { _bsontype: 'Long' } };
      const quarantine = { at: at(5), reason: 'quarantined' };
      const variants: ((doc: StoredActor) => Commit)[] = [
        (doc) => commitOf(doc),
        (doc) => commitOf(doc, { effects: effects('x', 2, 2), relayAt: at(8) }),
        (doc) => commitOf(doc, { effects: effects('x', 2, 1), relayAt: at(8), clearsOutbox: true }),
        (doc) => commitOf(doc, { relayAt: at(8), clearsOutbox: true }),
        (doc) => commitOf(doc, { unlessQuarantined: true }),
        (doc) => commitOf(doc, { turnsPage: true }),
        (doc) => commitOf(doc, {}, { context, value: '$status', status: '$$ROOT', wakeAt: at(6) }),
        (doc) => commitOf(doc, { unlessQuarantined: true }, { status: 'not taken' }),
        (doc) => commitOf({ ...doc, rev: 7 }, {}, { status: 'not taken' }),
        (doc) => commitOf({ ...doc, _id: `${doc._id}:nobody` }),
      ];
      const make = () =>
        variants.map((_, i) =>
          actor({
            ...{ outbox: effects('o', 1, 2), relayAt: at(3), relayFailures: 2, recentOps: ['op_before'] },
            quarantine: i === 6 || i === 7 ? quarantine : null,
            journal: [{ ...journalRow(1), op: 'op_before' }],
          }),
        );
      const [alone, among] = [make(), make()];
      await open().actors.insert('subscription', [...alone, ...among]);
      const commitsOf = (docs: readonly StoredActor[]) =>
        docs.flatMap((doc, i) => {
          const commit = variants[i]?.(doc);
          if (commit === undefined) return [];
          const [op, journal] = [`op_${i}`, commit.journal.map((row) => ({ ...row, op: `op_${i}` }))];
          return [{ ...commit, op, journal }];
        });
      const one: CommitVerdict[] = [];
      for (const commit of commitsOf(alone)) one.push(...(await open().actors.commit('subscription', [commit])));
      expect(await open().actors.commit('subscription', commitsOf(among))).toEqual(one);
      expect(one.slice(-3)).toEqual(['lost', 'lost', 'missing']);
      for (const [i, doc] of among.entries()) {
        const other = await reload(alone[i]?._id ?? '');
        const { _id, merchantId, partition } = doc;
        expect(await reload(_id)).toEqual({ ...other, _id, merchantId, partition });
      }
    });

    it('refuses an actor that is twice in the batch', async () => {
      const doc = await stored();
      const twice = open().actors.commit('subscription', [commitOf(doc), commitOf(doc)]);
      await expect(twice).rejects.toThrow(`subscription ${doc._id} is in the batch twice`);
      expect((await reload(doc._id))?.rev).toBe(1);
    });
  });

  describe('due', () => {
    it('returns due actors of the given partitions, the longest due first, up to the limit', async () => {
      const [mine, other] = [ownPartition(), ownPartition()];
      const wakes = [30, 10, 50, 20, 40].map((ms) =>
        actor({ partition: ms % 20 === 0 ? mine : other, wakeAt: at(ms) }),
      );
      await open().actors.insert('subscription', [
        ...wakes,
        actor({ partition: mine, wakeAt: null }),
        actor({ partition: mine, wakeAt: at(1_000) }),
        actor({ partition: ownPartition(), wakeAt: at(0) }),
      ]);
      const due = (limit: number, now = 500) => open().actors.due('subscription', [mine, other, mine], at(now), limit);
      expect((await due(10)).map(({ wakeAt }) => wakeAt)).toEqual([10, 20, 30, 40, 50].map(at));
      expect((await due(2)).map(({ wakeAt }) => wakeAt)).toEqual([10, 20].map(at));
      expect((await due(10, 30)).map(({ wakeAt }) => wakeAt)).toEqual([10, 20, 30].map(at));
      expect(await due(0)).toEqual([]);
      expect(await open().actors.due('subscription', [], at(500), 10)).toEqual([]);
      expect((await due(1))[0]).toEqual(wakes[1]);
    });

    it('leaves out quarantined actors until their release', async () => {
      const partition = ownPartition();
      const doc = await stored({ partition, wakeAt: at(1), relayAt: at(2), outbox: effects('q', 1, 1) });
      const due = async () => (await open().actors.due('subscription', [partition], at(9), 9)).map(({ _id }) => _id);
      const unrelayed = () => open().outboxes.unrelayed('subscription', [partition], at(9), 9);
      expect(await due()).toEqual([doc._id]);
      const quarantine = { at: at(5), reason: 'snapshot differs from its journal' };
      expect(await open().actors.setQuarantine('subscription', doc._id, quarantine)).toBe(true);
      expect([await due(), await unrelayed()]).toEqual([[], []]);
      expect(await reload(doc._id)).toEqual({ ...doc, quarantine });
      await open().actors.commit('subscription', [
        commitOf(doc, { effects: effects(doc._id, 2, 1) }, { wakeAt: at(3) }),
      ]);
      expect([await due(), await unrelayed()]).toEqual([[], []]);
      expect(await open().actors.setQuarantine('subscription', doc._id, null)).toBe(true);
      expect(await due()).toEqual([doc._id]);
      expect(await unrelayed()).toHaveLength(1);
      expect(await open().actors.setQuarantine('subscription', 'nobody', quarantine)).toBe(false);
    });

    it('knows the earliest wake of all that are not quarantined', async () => {
      expect(await open().actors.earliestWake('payment')).toBeNull();
      const docs = [40, 20, 30].map((ms) => actor({ kind: 'payment', partition: ms % 64, wakeAt: at(ms) }));
      await open().actors.insert('payment', docs);
      expect(await open().actors.earliestWake('payment')).toEqual(at(20));
      await open().actors.setQuarantine('payment', docs[1]?._id ?? '', { at: at(0), reason: 'test' });
      expect(await open().actors.earliestWake('payment')).toEqual(at(30));
    });
  });

  describe('find', () => {
    it('finds actors without their journals', async () => {
      const { merchantId, ...doc } = await stored({ journal: [journalRow(1)] });
      const [found] = await open().actors.find('subscription', { where: { merchantId }, limit: 10 });
      const { journal: _, ...rest } = { ...doc, merchantId };
      expect(found).toEqual(rest);
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
      await open().actors.insert('subscription', docs);
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
      await open().actors.insert('subscription', docs);
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

    it('adds up groups by fields and by day or month, exactly', async () => {
      const merchantId = unique('mrc');
      const made = (offerId: string | null, day: string, amount: string) =>
        stored({
          merchantId,
          attributes: offerId === null ? {} : { offerId },
          context: { amount, endedAt: `${day}T23:59:59.999Z` },
          createdAt: new Date(`${day}T00:00:00.000Z`),
        });
      await made('offer_a', '2028-01-31', '9007199254740993');
      await made('offer_a', '2028-01-31', '2');
      await made('offer_a', '2028-02-01', '5');
      await made(null, '2028-02-01', '7');
      await made('offer_a', '2028-02-01', 'no digits');
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
      const byDay = ['null 2028-02-01 1 7', 'offer_a 2028-01-31 2 9007199254740995', 'offer_a 2028-02-01 2 5'];
      expect(await ask('createdAt', 'day')).toEqual(byDay);
      expect(await ask('context.endedAt', 'day')).toEqual(byDay);
      expect(await ask('createdAt', 'month')).toEqual(byDay.map((line) => line.replace('-01-31 ', '-01-01 ')));
      const all = { where: { merchantId }, by: [], period: null, sum: null };
      expect(await open().actors.tally('subscription', { ...all, limit: 10 })).toEqual([
        { by: [], start: null, count: 5, sum: 0n },
      ]);
      expect(await open().actors.tally('subscription', { ...all, by: ['context.amount'], limit: 3 })).toHaveLength(3);
    });
  });
}
