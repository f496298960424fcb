import type { Json, JsonObject } from '../../../machines/json.ts';
import type { Condition, Query, Store, Where } from '../../../src/store/port.ts';
import { actor, at, batchOf, commitOf, customer, insertActors, offer, unique } from '../support/documents.ts';

/** Both forms refuse forbidden values with their path, and write nothing. */
export function guardContract(open: () => Store): void {
  /** Values that types forbid, but that a parse or a careless spread can produce. */
  const broken: readonly (readonly [name: string, value: unknown, problem: string])[] = [
    ['undefined', undefined, 'is undefined'],
    ['an invalid date', new Date(Number.NaN), 'is an invalid date'],
    ['a bigint', 10n ** 24n, 'is a bigint'],
    ['NaN', Number.NaN, 'is NaN'],
    ['Infinity', Number.POSITIVE_INFINITY, 'is Infinity'],
    ['a Map', new Map([['a', 1]]), 'is a Map'],
    ['a Set', new Set([1]), 'is a Set'],
    ['a function', () => 1, 'is a function'],
    ['half a surrogate pair', 'a\ud800b', 'is a string with half a surrogate pair'],
  ];

  it.each(broken)('refuses to store %s', async (_, value, problem) => {
    const context = contextWith(value);
    const doc = actor();
    const born = insertActors(open(), [actor(), { ...doc, context }]);
    await expect(born).rejects.toThrow(`subscription ${doc._id}:00000001.context.list.1.deep ${problem}`);
    await insertActors(open(), [doc]);
    const committed = open().actors.commit('subscription', batchOf([commitOf(doc, {}, { context })]));
    await expect(committed).rejects.toThrow(`subscription ${doc._id}:00000002.context.list.1.deep ${problem}`);
    const changed = open().records.change('offers', 'x', {}, { set: { features: context } });
    await expect(changed).rejects.toThrow(`change offers x.set['features'].list.1.deep ${problem}`);
    const pushed = open().records.change('offers', 'x', {}, { push: { holds: [value] } });
    await expect(pushed).rejects.toThrow(`change offers x.push['holds'].0 ${problem}`);
    expect(await open().actors.load('subscription', [doc._id])).toEqual([doc]);
  });

  describe('a filter', () => {
    const merchantId = unique('mrc');
    const refused: readonly (readonly [where: Record<string, unknown>, problem: string])[] = [
      [{ merchantId: undefined }, "where['merchantId'] is undefined"],
      [{ merchantId, status: { in: ['a', undefined] } }, "where['status'].in.1 is undefined"],
      [{ merchantId, createdAt: { lt: undefined } }, "where['createdAt'].lt is undefined"],
      [{ merchantId, createdAt: { lt: new Date(Number.NaN) } }, "where['createdAt'].lt is an invalid date"],
      [{ merchantId, status: {} }, "where['status'] is an empty condition"],
      [{ merchantId, status: { $ne: 'x' } }, "where['status'].$ne is no condition"],
      [{ merchantId, status: { not: { $gt: '' } } }, "where['status'].not is an object"],
      [{ merchantId, status: ['a'] }, "where['status'].0 is no condition"],
      [{ merchantId, status: { in: 'a' } }, "where['status'].in is not a list"],
      [{ merchantId, status: { not: 'a', lt: 'b' } }, "where['status'] has more beside"],
      [{ $where: 'true' }, "has the path '$where'"],
      [{ 'a..b': 1 }, "has the path 'a..b'"],
    ];

    it.each(refused)('is refused: %j', async (where, problem) => {
      await open().records.insert('offers', [offer({ merchantId })]);
      const asked = whereOf(where);
      await expect(open().records.find('offers', { where: asked, limit: 10 })).rejects.toThrow(problem);
      await expect(open().records.count('offers', asked)).rejects.toThrow(problem);
      await expect(open().records.change('offers', 'x', asked, { set: { name: 'y' } })).rejects.toThrow(problem);
      await expect(open().records.changeMany('offers', [{ id: 'x', where: asked, change: {} }])).rejects.toThrow(
        problem,
      );
      await expect(open().records.changeAlike('offers', ['x'], asked, {})).rejects.toThrow(problem);
      const ofActors = problem.startsWith('has the path') ? 'name the field in' : problem;
      await expect(open().actors.find('payment', { where: asked, limit: 10 })).rejects.toThrow(ofActors);
      await expect(open().actors.count('payment', asked)).rejects.toThrow(ofActors);
    });
  });

  it.each([-1, 1.5, Number.NaN])('refuses a limit or a start of %s', async (n) => {
    const query: Query = { where: {}, limit: n };
    await expect(open().records.find('offers', query)).rejects.toThrow('limit');
    await expect(open().records.find('offers', { ...query, limit: 1, start: n })).rejects.toThrow('start');
    const due = open().actors.due({ kind: 'payment', partitions: [1], now: at(0), limit: n });
    await expect(due).rejects.toThrow('limit');
  });

  it('refuses a place in the order without a value of a sort key, or with null for one', async () => {
    const query = { where: {}, sort: [['createdAt', -1]], limit: 1 } as const;
    const lacking = open().records.find('offers', { ...query, after: [new Date(0)] });
    await expect(lacking).rejects.toThrow('find offers.after has 1 values; 2, one for each sort key, were expected');
    const none = open().records.find('offers', { ...query, after: [null, 'offer_1'] });
    await expect(none).rejects.toThrow('find offers.after.0 is null; no document can come after it');
  });

  it('refuses to sort by a path twice', async () => {
    const sort = [
      ['name', 1],
      ['name', -1],
    ] as const;
    const found = open().records.find('offers', { where: {}, sort, limit: 1 });
    await expect(found).rejects.toThrow('find offers.sort has a path twice: name, name');
  });

  it('refuses a commit whose revs do not fence', async () => {
    const doc = actor();
    const commit = (rev: number, next: number, op = 'op') =>
      open().actors.commit('subscription', batchOf([commitOf({ ...doc, rev }, {}, { rev: next })], { op }));
    for (const rev of [Number.NaN, 1.5, -1]) await expect(commit(rev, 2)).rejects.toThrow(`${doc._id}.before.rev`);
    await expect(commit(1, 2.5)).rejects.toThrow(`${doc._id}.after.rev`);
    await expect(commit(1, 1)).rejects.toThrow('after.rev is not above 1');
    await expect(commit(1, 2, '')).rejects.toThrow('.op is not a string');
  });

  it('refuses an invalid date as the time of a query or a retry', async () => {
    const never = new Date(Number.NaN);
    const due = open().actors.due({ kind: 'payment', partitions: [1], now: never, limit: 1 });
    await expect(due).rejects.toThrow('now is an invalid date');
    for (const time of ['at', 'relayAt']) {
      const batch = batchOf([commitOf(actor())], { [time]: never });
      await expect(open().actors.commit('subscription', batch)).rejects.toThrow(`${time} is an invalid date`);
    }
    await expect(open().counters.add('x', 1, never)).rejects.toThrow('expiresAt is an invalid date');
    await expect(open().counters.add('x', Number.NaN, at(0))).rejects.toThrow('n is NaN');
    await expect(open().counters.addPart('x', 1, 1, never)).rejects.toThrow('expiresAt is an invalid date');
    await expect(open().counters.addPart('x', 1, 1.5, at(0))).rejects.toThrow('part is 1.5');
  });

  it('refuses two changes of one field, changes of _id, and operators', async () => {
    const doc = customer();
    await open().records.insert('customers', [doc]);
    const change = (what: Parameters<Store['records']['change']>[3]) =>
      open().records.change('customers', doc._id, {}, what);
    await expect(change({ set: { name: 'a', 'name.b': 'c' } })).rejects.toThrow("changes 'name' and 'name.b'");
    await expect(change({ set: { rev: 2 }, inc: { rev: 1 } })).rejects.toThrow('one path in two ways');
    await expect(change({ set: { _id: 'other' } })).rejects.toThrow("set['_id'] cannot be changed");
    await expect(change({ set: { $rename: 'x' } })).rejects.toThrow("has the path '$rename'");
    expect(await open().records.get('customers', [doc._id])).toEqual([doc]);
  });
}

/** Puts a value where the types would not allow it. */
function contextWith(value: unknown): JsonObject {
  const deep: { deep: Json } = { deep: null };
  Reflect.set(deep, 'deep', value);
  return { list: [1, deep] };
}

function whereOf(conditions: Record<string, unknown>): Where {
  const where: Record<string, Condition> = {};
  for (const [path, condition] of Object.entries(conditions)) Reflect.set(where, path, condition);
  return where;
}
