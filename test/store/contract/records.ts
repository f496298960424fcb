import { headOf } from '../../../src/store/actors/heads.ts';
import type { EventDoc, OfferDoc, PricingOption } from '../../../src/store/collections.ts';
import { DuplicateKey } from '../../../src/store/errors.ts';
import type { Condition, LedgerStore, Query } from '../../../src/store/port.ts';
import {
  actor,
  apiKey,
  at,
  charge,
  customer,
  event,
  merchantOf,
  offer,
  transaction,
  unique,
} from '../support/documents.ts';

/** Plain documents: reading, finding, changing. */
export function recordContract(open: () => LedgerStore): void {
  const records = () => open().records;

  async function storedOffer(fields: Partial<OfferDoc> = {}): Promise<OfferDoc> {
    const doc = offer(fields);
    expect(await records().insert('offers', [doc])).toEqual([{ inserted: true }]);
    return doc;
  }

  async function reload(id: string): Promise<OfferDoc | undefined> {
    return (await records().get('offers', [id]))[0];
  }

  describe('get, insert, remove', () => {
    it('keeps documents unchanged, and returns copies', async () => {
      const doc = await storedOffer({
        metadata: { 'a.b': 'dots', $x: 'dollar', ümlaut: '𝒳' },
        features: [{ a: [1, [2, null]] }],
      });
      const mine = await reload(doc._id);
      expect(mine).toEqual(doc);
      Object.assign(mine?.metadata ?? {}, { mine: 'yes' });
      expect(await reload(doc._id)).toEqual(doc);
      expect(await records().get('offers', [])).toEqual([]);
      expect(await records().get('offers', [doc._id, 'nobody', doc._id])).toEqual([doc]);
    });

    it('keeps field names that mean something to the driver', async () => {
      const features = [
        { _bsontype: 'ObjectId', id: 'x' },
        { _bsontype: { deep: [{ _bsontype: 1 }] } },
        { $ref: 'a.b', $id: 1, $db: 'c', more: true },
        { $ref: 'a', $id: { $oid: '0' } },
        { '\u0001$ref': 'marked', '\u0001\u0001': 'twice', toBSON: 'text', $oid: 'x', $numberLong: '1' },
      ];
      const doc = await storedOffer({ features, metadata: { _bsontype: 'Long' } });
      expect(await reload(doc._id)).toEqual(doc);
      const [found] = await records().find('offers', { where: { _id: doc._id }, limit: 1 });
      expect(found).toEqual(doc);
      const changed = await records().change('offers', doc._id, {}, { set: { collectFields: { inner: features[2] } } });
      expect(changed).toEqual({ ...doc, collectFields: { inner: features[2] } });
      expect(await records().changeMany('offers', [{ id: doc._id, where: {}, change: { set: { features } } }])).toEqual(
        [true],
      );
      // A read document can be written again.
      const copied = await storedOffer({ features: (await reload(doc._id))?.features ?? [] });
      expect(await reload(copied._id)).toEqual({ ...copied, features });
    });

    it('reads documents together with those that they name', async () => {
      const [mine, lost] = [apiKey(unique('mrc')), apiKey(unique('mrc'))];
      const merchant = merchantOf(mine.merchantId);
      await records().insert('apiKeys', [mine, lost]);
      await records().insert('merchants', [merchant]);
      const ids = [lost._id, 'nobody', mine._id, lost._id];
      const found = await records().getWith('apiKeys', ids, 'merchantId', 'merchants');
      expect(found).toHaveLength(2);
      expect(found).toContainEqual({ doc: mine, named: merchant });
      expect(found).toContainEqual({ doc: lost, named: null });
      expect(await records().getWith('apiKeys', [], 'merchantId', 'merchants')).toEqual([]);
    });

    it('gives each of many callers its own copy', async () => {
      const docs = [await storedOffer(), await storedOffer()];
      const ids = docs.map(({ _id }) => _id);
      const asked = Array.from({ length: 30 }, (_, i) => (i % 3 === 0 ? ids : [ids[i % 2] ?? '', 'nobody']));
      const found = await Promise.all(asked.map((wanted) => records().get('offers', wanted)));
      for (const [i, answer] of found.entries()) {
        expect(answer).toHaveLength(asked[i] === ids ? 2 : 1);
        for (const doc of answer) {
          expect(docs).toContainEqual(doc);
          Object.assign(doc, { name: `changed by ${i}` });
        }
      }
    });

    it('removes existing documents and counts them', async () => {
      const [a, b] = [await storedOffer(), await storedOffer()];
      expect(await records().remove('offers', [a._id, 'nobody'])).toBe(1);
      expect(await records().remove('offers', [])).toBe(0);
      expect((await records().get('offers', [a._id, b._id])).map(({ _id }) => _id)).toEqual([b._id]);
    });
  });

  describe('find', () => {
    it('orders newest first, ties by _id in the same direction, and pages without gaps or repetitions', async () => {
      const merchantId = unique('mrc');
      const docs = Array.from({ length: 23 }, (_, i) => event({ merchantId, createdAt: at(Math.floor(i / 4)) }));
      await records().insert('events', docs);
      const query: Query = { where: { merchantId }, sort: [['createdAt', -1]], limit: 5 };
      const pages: string[][] = [];
      for (let start = 0; start < 30; start += 5) {
        pages.push((await records().find('events', { ...query, start })).map(({ _id }) => _id));
      }
      expect(pages.map((page) => page.length)).toEqual([5, 5, 5, 5, 3, 0]);
      expect(pages.flat()).toEqual(docs.map(({ _id }) => _id).reverse());
      const unsorted = await records().find('events', { where: { merchantId }, limit: 100 });
      expect(unsorted.map(({ _id }) => _id)).toEqual(docs.map(({ _id }) => _id));
    });

    it('pages after a document by its sort keys, in both directions, even if it was deleted', async () => {
      const merchantId = unique('mrc');
      const docs = Array.from({ length: 23 }, (_, i) =>
        event({ merchantId, createdAt: at(Math.floor(i / 4)), sequence: i % 2 }),
      );
      await records().insert('events', docs);
      const sorts = [
        [
          ['createdAt', -1],
          ['sequence', 1],
          ['_id', -1],
        ],
        [['createdAt', 1]],
      ] as const;
      for (const sort of sorts) {
        const query: Query = { where: { merchantId }, sort, limit: 100 };
        const all = await records().find('events', query);
        const behind = async (doc: EventDoc) => {
          const after = sort.length === 1 ? [doc.createdAt, doc._id] : [doc.createdAt, doc.sequence, doc._id];
          return (await records().find('events', { ...query, after })).map(({ _id }) => _id);
        };
        for (const [index, doc] of all.entries()) {
          expect(await behind(doc)).toEqual(all.slice(index + 1).map(({ _id }) => _id));
        }
      }
      const [first] = docs;
      if (first === undefined) throw new Error('documents were expected');
      await records().remove('events', [first._id]);
      const after = [first.createdAt, first._id];
      const found = await records().find('events', {
        where: { merchantId },
        sort: [['createdAt', 1]],
        after,
        limit: 2,
      });
      expect(found.map(({ _id }) => _id)).toEqual(docs.slice(1, 3).map(({ _id }) => _id));
    });

    it('orders by several fields: empty lists, null, numbers, texts', async () => {
      const merchantId = unique('mrc');
      const docs = [
        event({ merchantId, sequence: 2, resourceId: 'b' }),
        event({ merchantId, sequence: 2, resourceId: 'a' }),
        event({ merchantId, sequence: 10, resourceId: 'a' }),
        event({ merchantId, sequence: 1, resourceId: 'z\uffff' }),
        event({ merchantId, sequence: 1, resourceId: 'z\u{1f600}' }),
      ];
      await records().insert('events', docs);
      const sort = [
        ['sequence', -1],
        ['resourceId', 1],
      ] as const;
      const found = await records().find('events', { where: { merchantId }, sort, limit: 10 });
      expect(found.map(({ _id }) => docs.findIndex((doc) => doc._id === _id))).toEqual([2, 1, 0, 3, 4]);
      const mixed = [{ v: 'x' }, { v: 7 }, { v: null }, {}, { v: true }, { v: 'X' }, { v: [] }].map((data) =>
        event({ merchantId: `${merchantId}2`, data }),
      );
      await records().insert('events', mixed);
      const byData = await records().find('events', {
        where: { merchantId: `${merchantId}2` },
        sort: [['data.v', 1]],
        limit: 10,
      });
      expect(byData.map(({ data }) => data['v'])).toEqual([[], null, undefined, 7, 'X', 'x', true]);
    });

    it('treats absent fields as null', async () => {
      const merchantId = unique('mrc');
      const docs = [{ v: null }, {}, { v: 0 }, { v: 'x' }, { v: { w: 1 } }].map((data) => event({ merchantId, data }));
      await records().insert('events', docs);
      const matching = async (path: string, condition: Condition) => {
        const found = await records().find('events', { where: { merchantId, [path]: condition }, limit: 10 });
        return found.map(({ _id }) => docs.findIndex((doc) => doc._id === _id));
      };
      expect(await matching('data.v', null)).toEqual([0, 1]);
      expect(await matching('data.v', { not: null })).toEqual([2, 3, 4]);
      expect(await matching('data.v', { in: [null, 'x'] })).toEqual([0, 1, 3]);
      expect(await matching('data.v.w', null)).toEqual([0, 1, 2, 3]);
      expect(await matching('data.v.w', 1)).toEqual([4]);
      expect(await matching('data.nowhere.deep', null)).toEqual([0, 1, 2, 3, 4]);
      expect(await matching('data.v', { in: [] })).toEqual([]);
    });

    it('compares only values of one type', async () => {
      const merchantId = unique('mrc');
      const docs = [5, 10, '7', null, true].map((v) => event({ merchantId, data: { v } }));
      await records().insert('events', docs);
      const matching = async (condition: Condition) => {
        const found = await records().find('events', { where: { merchantId, 'data.v': condition }, limit: 10 });
        return found.map(({ data }) => data['v']);
      };
      expect(await matching({ gt: 4 })).toEqual([5, 10]);
      expect(await matching({ gt: 5, lte: 10 })).toEqual([10]);
      expect(await matching({ gte: '0', lt: '9' })).toEqual(['7']);
      expect(await matching({ not: 5 })).toEqual([10, '7', null, true]);
      expect(await matching({ gte: null })).toEqual([null]);
      expect(await matching({ lt: null })).toEqual([]);
      expect(await matching(true)).toEqual([true]);
    });

    it('finds texts by their beginning, in the order of their code points', async () => {
      const merchantId = unique('mrc');
      const keys = ['mia', 'mia a', 'mia\uffff', 'mia𝒳', 'mi', 'mib', 'nia', null];
      await records().insert(
        'customers',
        keys.map((nameKey) => customer({ merchantId, nameKey })),
      );
      const where = { merchantId, nameKey: { gte: 'mia', lt: 'mia\u{10ffff}' } };
      const found = await records().find('customers', { where, sort: [['nameKey', 1]], limit: 9 });
      expect(found.map(({ nameKey }) => nameKey)).toEqual(['mia', 'mia a', 'mia\uffff', 'mia𝒳']);
    });

    it('compares dates, and searches lists', async () => {
      const merchantId = unique('mrc');
      const docs = [1, 2, 3].map((n) =>
        charge({ merchantId, notBefore: at(n), shares: [share(`0xa${n}`), share(`0xb${n}`)] }),
      );
      await records().insert('charges', docs);
      const matching = async (where: Query['where']) => {
        const found = await records().find('charges', { where: { merchantId, ...where }, limit: 10 });
        return found.map(({ _id }) => docs.findIndex((doc) => doc._id === _id) + 1);
      };
      expect(await matching({ notBefore: { lte: at(2) } })).toEqual([1, 2]);
      expect(await matching({ notBefore: at(2) })).toEqual([2]);
      expect(await matching({ 'shares.to': '0xb3' })).toEqual([3]);
      expect(await matching({ 'shares.to': { in: ['0xa1', '0xb2', '0xc9'] } })).toEqual([1, 2]);
      expect(await matching({ 'shares.to': { not: '0xa1' } })).toEqual([2, 3]);
      const known = docs.map(({ _id }) => _id);
      expect(await matching({ _id: { in: [known[1] ?? '', 'nobody'] } })).toEqual([2]);
    });

    it('finds by the fields of partial indexes', async () => {
      const merchantId = unique('mrc');
      const [a, b] = [customer({ merchantId, walletKeys: ['evm:0x1', 'solana:S1'] }), customer({ merchantId })];
      await records().insert('customers', [a, b]);
      const where = { merchantId, mode: 'test' };
      const found = async (walletKeys: Condition) =>
        (await records().find('customers', { where: { ...where, walletKeys }, limit: 5 })).map(({ _id }) => _id);
      expect(await found('solana:S1')).toEqual([a._id]);
      expect(await found({ in: ['evm:0x9', 'evm:0x1'] })).toEqual([a._id]);
      expect(await found('evm:0x2')).toEqual([]);
      expect(await records().count('customers', { ...where, idempotencyKey: null })).toBe(2);
      expect(await records().count('customers', { ...where, walletKeys: 'evm:0x1' })).toBe(1);
    });
  });

  describe('change', () => {
    it('sets by path, pushes, adds, and answers with the new document', async () => {
      const doc = await storedOffer({ pricing: [option('price_1'), option('price_2')], holds: ['a'] });
      const change = {
        set: {
          name: 'Tea',
          'pricing.1.active': false,
          'metadata.size': 'L',
          'afterCompletion.deep.er': [1],
          expiresAt: null,
        },
        push: { holds: ['b', 'c'], features: [{ deep: [1, null] }], recentOps: ['op_2'] },
        inc: { rev: 1, redeemedCount: 2 },
      };
      const expected: OfferDoc = {
        ...doc,
        name: 'Tea',
        pricing: [option('price_1'), { ...option('price_2'), active: false }],
        metadata: { size: 'L' },
        afterCompletion: { deep: { er: [1] } },
        holds: ['a', 'b', 'c'],
        features: [{ deep: [1, null] }],
        recentOps: [...doc.recentOps, 'op_2'],
        rev: 2,
        redeemedCount: 2,
      };
      expect(await records().change('offers', doc._id, { rev: 1, active: true }, change)).toEqual(expected);
      expect(await reload(doc._id)).toEqual(expected);
    });

    it('returns null and changes nothing if the condition does not hold or the document is unknown', async () => {
      const doc = await storedOffer();
      const change = { set: { name: 'other' } };
      expect(await records().change('offers', doc._id, { rev: 7 }, change)).toBeNull();
      expect(await records().change('offers', doc._id, { _id: 'somebody else' }, change)).toBeNull();
      expect(await records().change('offers', 'nobody', {}, change)).toBeNull();
      expect(await reload(doc._id)).toEqual(doc);
    });

    it('keeps the last sixteen operations', async () => {
      const doc = await storedOffer({ recentOps: [] });
      for (let i = 0; i < 20; i++) await records().change('offers', doc._id, {}, { push: { recentOps: [`op${i}`] } });
      expect((await reload(doc._id))?.recentOps).toEqual(Array.from({ length: 16 }, (_, i) => `op${i + 4}`));
    });

    it('only reads if it is empty', async () => {
      const doc = await storedOffer();
      expect(await records().change('offers', doc._id, { rev: 1 }, {})).toEqual(doc);
      expect(await records().change('offers', doc._id, { rev: 2 }, {})).toBeNull();
    });

    it('of one document by many at once loses none', async () => {
      const doc = await storedOffer();
      const all = Array.from({ length: 40 }, (_, i) =>
        records().change('offers', doc._id, {}, { inc: { redeemedCount: 1 }, push: { holds: [`h${i}`] } }),
      );
      await Promise.all(all);
      const after = await reload(doc._id);
      expect(after?.redeemedCount).toBe(40);
      expect(new Set(after?.holds).size).toBe(40);
    });

    it('throws with the name of the index and changes nothing if another document has the key', async () => {
      const merchantId = unique('mrc');
      await storedOffer({ merchantId, identifier: 'coffee' });
      const doc = await storedOffer({ merchantId, identifier: 'tea' });
      const conflict = records().change('offers', doc._id, {}, { set: { identifier: 'coffee', name: 'x' } });
      await expect(conflict).rejects.toMatchObject({
        name: 'DuplicateKey',
        index: 'identifier',
        collection: 'offers',
        id: doc._id,
      });
      expect(await reload(doc._id)).toEqual(doc);
      expect(await records().change('offers', doc._id, {}, { set: { identifier: null } })).toMatchObject({
        identifier: null,
      });
      await expect(storedOffer({ merchantId, identifier: 'tea' })).resolves.toBeDefined();
    });

    it('refuses to push to a value that is not a list, to add to one that is not a number, and to set below one without fields', async () => {
      const doc = await storedOffer();
      const broken = [
        { push: { name: ['x'] } },
        { inc: { name: 1 } },
        { set: { 'name.first': 'x' } },
        { push: { identifier: ['x'] } },
      ];
      for (const change of broken) await expect(records().change('offers', doc._id, {}, change)).rejects.toThrow();
      expect(await reload(doc._id)).toEqual(doc);
    });
  });

  describe('changeAlike', () => {
    it('changes the matching documents, and returns their number', async () => {
      const docs = [charge(), charge({ state: 'started' }), charge(), charge()];
      await records().insert('charges', docs);
      const ids = docs.map(({ _id }) => _id);
      const asked = [...ids.slice(0, 3), 'nobody'];
      const take = { set: { state: 'started', transactionId: 't1' } };
      expect(await records().changeAlike('charges', asked, { state: 'waiting' }, take)).toBe(2);
      const after = new Map((await records().get('charges', ids)).map((doc) => [doc._id, doc.transactionId]));
      expect(ids.map((id) => after.get(id))).toEqual(['t1', null, 't1', null]);
      expect(await records().changeAlike('charges', asked, { state: 'waiting' }, take)).toBe(0);
      expect(await records().changeAlike('charges', [], {}, take)).toBe(0);
      expect(await records().changeAlike('charges', ids, { _id: ids[3] ?? '' }, take)).toBe(1);
    });

    it('lets exactly one of many rivals have each', async () => {
      const docs = Array.from({ length: 20 }, () => charge());
      await records().insert('charges', docs);
      const ids = docs.map(({ _id }) => _id);
      const rivals = Array.from({ length: 6 }, (_, rival) => {
        const change = { set: { state: 'started', lane: `lane${rival}` } };
        return records().changeAlike('charges', ids, { state: 'waiting' }, change);
      });
      const counts = await Promise.all(rivals);
      const after = await records().get('charges', ids);
      expect(counts).toEqual(counts.map((_, rival) => after.filter(({ lane }) => lane === `lane${rival}`).length));
      expect(after.filter(({ state }) => state === 'waiting')).toEqual([]);
    });
  });

  describe('changeMany', () => {
    it('returns for each change whether it was made, in the given order', async () => {
      const docs = [charge(), charge({ state: 'started' }), charge(), charge()];
      await records().insert('charges', docs);
      const ids = [docs[3], docs[1], docs[0], undefined, docs[2]].map((doc) => doc?._id ?? 'nobody');
      const take = ids.map((id, i) => ({
        id,
        where: { state: 'waiting', attempt: 1 },
        change: { set: { state: 'started', transactionId: `t${i}` } },
      }));
      expect(await records().changeMany('charges', take)).toEqual([true, false, true, false, true]);
      const after = new Map((await records().get('charges', ids)).map((doc) => [doc._id, doc.transactionId]));
      expect(ids.map((id) => after.get(id))).toEqual(['t0', null, 't2', undefined, 't4']);
      expect(await records().changeMany('charges', take)).toEqual([false, false, false, false, false]);
      expect(await records().changeMany('charges', [])).toEqual([]);
    });

    it('lets exactly one of many rivals have each', async () => {
      const docs = Array.from({ length: 20 }, () => charge());
      await records().insert('charges', docs);
      const rivals = Array.from({ length: 6 }, (_, rival) =>
        records().changeMany(
          'charges',
          idsOf(docs).map((id) => step(id, 'waiting', 'started', { lane: `lane${rival}` })),
        ),
      );
      const answers = await Promise.all(rivals);
      const found = await records().get('charges', idsOf(docs));
      const after = new Map(found.map((doc) => [doc._id, doc.lane]));
      for (const [i, doc] of docs.entries()) {
        const winners = answers.flatMap((made, rival) => (made[i] === true ? [`lane${rival}`] : []));
        expect(winners).toEqual([after.get(doc._id)]);
      }
    });

    it('makes changes of one document one after another', async () => {
      const [a, b] = [charge(), charge()];
      await records().insert('charges', [a, b]);
      const steps = [
        step(a._id, 'waiting', 'started'),
        step(b._id, 'started', 'sent'),
        step(a._id, 'started', 'sent'),
        step(b._id, 'waiting', 'started'),
      ];
      expect(await records().changeMany('charges', steps)).toEqual([true, false, true, true]);
    });

    it('makes the others if one meets a used key, and reports that', async () => {
      const sender = unique('0x');
      const docs = [0, 1, 2].map((nonce) => transaction({ sender, nonce }));
      await records().insert('transactions', docs);
      const to = (nonce: number, i: number) => ({ id: docs[i]?._id ?? '', where: {}, change: { set: { nonce } } });
      const conflict = records().changeMany('transactions', [to(10, 0), to(2, 1), to(12, 2)]);
      await expect(conflict).rejects.toThrow(DuplicateKey);
      const after = await records().find('transactions', { where: { sender }, sort: [['nonce', 1]], limit: 5 });
      expect(after.map(({ nonce }) => nonce)).toEqual([1, 10, 12]);
    });
  });

  describe('upsert', () => {
    const initial = { block: 5, updatedAt: at(0) };

    it('makes the document with the change, and later only changes it', async () => {
      const id = unique('chain');
      const change = { set: { updatedAt: at(1) }, inc: { block: 2 } };
      const cursor = (block: number) => ({ _id: id, block, updatedAt: at(1) });
      expect(await records().upsert('chainCursors', id, initial, change)).toEqual(cursor(7));
      expect(await records().upsert('chainCursors', id, initial, change)).toEqual(cursor(9));
      expect(await records().upsert('chainCursors', id, initial, {})).toEqual(cursor(9));
      expect(await records().get('chainCursors', [id])).toEqual([cursor(9)]);
    });

    it('by many at once ends with one document that has every change', async () => {
      const id = unique('chain');
      await Promise.all(
        Array.from({ length: 32 }, () => records().upsert('chainCursors', id, initial, { inc: { block: 1 } })),
      );
      expect(await records().get('chainCursors', [id])).toEqual([{ _id: id, block: 37, updatedAt: at(0) }]);
    });

    it('reports a conflict of another unique index', async () => {
      const taken = transaction();
      await records().insert('transactions', [taken]);
      const { _id: _, ...same } = taken;
      await expect(records().upsert('transactions', unique('tx'), same, {})).rejects.toMatchObject({ index: 'nonce' });
    });
  });

  describe('putNewer', () => {
    const head = (_id: string, rev: number) => headOf(actor({ _id, merchantId: 'mrc', rev, status: `as of ${rev}` }));
    const stored = async (id: string) => (await records().get('subscriptions', [id]))[0]?.status;

    it('stores documents that are new or have a higher revision, and leaves others', async () => {
      const ids = [unique('sub'), unique('sub'), unique('sub'), unique('sub')];
      const [a = '', b = '', c = '', d = ''] = ids;
      await records().putNewer('subscriptions', [head(a, 2), head(b, 2), head(c, 2)]);
      const again = [head(a, 3), head(b, 1), { ...head(c, 2), status: 'another of this revision' }, head(d, 7)];
      await records().putNewer('subscriptions', again);
      expect(await Promise.all(ids.map(stored))).toEqual(['as of 3', 'as of 2', 'as of 2', 'as of 7']);
      expect((await records().get('subscriptions', [a]))[0]).toEqual(head(a, 3));
      await records().putNewer('subscriptions', []);
    });

    it('by many at once ends with the highest revision', async () => {
      const ids = Array.from({ length: 400 }, () => unique('sub'));
      const rivals = ids.flatMap((id) =>
        [3, 1, 5, 2, 4].map((rev) => records().putNewer('subscriptions', [head(id, rev)])),
      );
      await Promise.all(rivals);
      expect(await Promise.all(ids.map(stored))).toEqual(ids.map(() => 'as of 5'));
    });
  });

  it('finds named fields of documents alone', async () => {
    const merchantId = unique('mrc');
    const docs = [1, 2].map((sequence) => event({ merchantId, sequence, data: { deep: [sequence] } }));
    await records().insert('events', docs);
    const query: Query = { where: { merchantId }, sort: [['sequence', -1]], limit: 5 };
    const found = await records().findFields('events', query, ['data', 'sequence']);
    expect(found).toEqual([...docs].reverse().map(({ _id, sequence, data }) => ({ _id, data, sequence })));
    expect(await records().findFields('events', query, [])).toEqual([...docs].reverse().map(({ _id }) => ({ _id })));
  });

  it('adds up groups of documents', async () => {
    const merchantId = unique('mrc');
    const docs = ['1', '20', '300'].map((gross, index) =>
      charge({ merchantId, gross, state: index === 0 ? 'final' : 'sent', notBefore: at(index * 86_400_000) }),
    );
    await records().insert('charges', docs);
    const query = {
      where: { merchantId },
      by: ['state'],
      period: { of: 'notBefore', unit: 'month' },
      limit: 9,
    } as const;
    const groups = await records().tally('charges', { ...query, sum: 'gross' });
    expect(groups.sort((a, b) => a.count - b.count)).toEqual([
      { by: ['final'], start: at(0), count: 1, sum: 1n },
      { by: ['sent'], start: at(0), count: 2, sum: 320n },
    ]);
  });

  it('finds in the order of the sort keys if ties may come in any order', async () => {
    const merchantId = unique('mrc');
    const docs = [3, 1, 2, 1].map((sequence) => event({ merchantId, sequence }));
    await records().insert('events', docs);
    const query: Query = { where: { merchantId }, sort: [['sequence', 1]], ties: 'any', limit: 3 };
    expect((await records().find('events', query)).map(({ sequence }) => sequence)).toEqual([1, 1, 2]);
  });
}

function idsOf(docs: readonly { readonly _id: string }[]): string[] {
  return docs.map(({ _id }) => _id);
}

/** The change of a charge from one state to another. */
function step(id: string, from: string, state: string, more: { readonly lane?: string } = {}) {
  return { id, where: { state: from }, change: { set: { state, ...more } } };
}

function share(to: string) {
  return { role: 'forward' as const, to, amount: '1' };
}

function option(id: string): PricingOption {
  return {
    id,
    label: null,
    amount: '9.90',
    currency: 'USD',
    billing: { type: 'recurring', interval: 'month', intervalCount: 1 },
    acceptedTokens: [],
    trialDays: null,
    maxCycles: null,
    maxFailedCycles: null,
    merchantDestinationWallet: null,
    active: true,
  };
}
