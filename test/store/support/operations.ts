import fc from 'fast-check';
import type { OfferDoc } from '../../../src/store/collections.ts';
import type { StoredActor } from '../../../src/store/documents.ts';
import type { Change, Condition, Store, Where } from '../../../src/store/port.ts';
import { actor, at, batchOf, birthOf, commitOf, effects, offer } from './documents.ts';

/**
 * One operation on a store with the names of one run in it, so that runs never meet. Its answer is comparable: lists
 * without an order are sorted.
 */
export interface Operation {
  readonly text: string;
  readonly run: (store: Store, names: Names) => Promise<unknown>;
}

export interface Names {
  readonly actor: (i: number) => string;
  readonly offer: (i: number) => string;
  readonly merchant: (i: number) => string;
  readonly partition: (i: number) => number;
  readonly op: (name: string) => string;
}

export function namesOf(run: number): Names {
  return {
    actor: (i) => `run${run}_sub_${i}`,
    offer: (i) => `run${run}_offer_${i}`,
    merchant: (i) => `run${run}_mrc_${i}`,
    partition: (i) => 10_000_000 + run * 4 + i,
    op: (name) => `run${run}_${name}`,
  };
}

const ACTORS = 5;
const OFFERS = 6;

const actorNo = fc.integer({ min: 0, max: ACTORS - 1 });
const offerNo = fc.integer({ min: 0, max: OFFERS - 1 });
const small = fc.integer({ min: 0, max: 3 });
const partitions = fc.uniqueArray(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 4 });
/** Different for each wake, because the order of timers that pass at the same moment is not promised. */
const moment = (t: number, i: number, rev: number) => at((t * ACTORS + i) * 10 + rev);

const text = fc.constantFrom('a', 'b', 'B', 'é', '\uffff', '\u{1f600}', '', '1');
const scalar = fc.oneof(text, fc.constantFrom(-1, 0, 1, 1.5, 10), fc.boolean(), fc.constant(null), small.map(at));
const value = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 2 }),
  fc.record({ v: scalar }),
  fc.array(fc.record({ v: scalar }), { maxLength: 2 }),
);

function operation<T>(
  name: string,
  values: fc.Arbitrary<T>,
  run: (store: Store, names: Names, values: T) => Promise<unknown>,
) {
  return values.map(
    (drawn): Operation => ({
      text: `${name} ${JSON.stringify(drawn)}`,
      run: (store, names) => run(store, names, drawn),
    }),
  );
}

const newActor = fc.record({ i: actorNo, m: small, status: text, wake: fc.option(small), p: small, count: small });
const newActors = fc.uniqueArray(newActor, { minLength: 1, maxLength: 4, selector: ({ i }) => i });
const op = fc.integer({ min: 0, max: 5 }).map((n) => `op${n}`);
const status = fc.option(text);
const commits = fc.uniqueArray(
  fc.record({
    i: actorNo,
    seen: fc.integer({ min: 1, max: 5 }),
    count: small,
    wake: fc.option(small),
    status,
    on: fc.boolean(),
  }),
  { minLength: 1, maxLength: 4, selector: ({ i }) => i },
);

/** The actor as some writer may have seen it. */
function seenAs(names: Names, i: number, fields: Partial<StoredActor>): StoredActor {
  return actor({ _id: names.actor(i), merchantId: names.merchant(0), partition: names.partition(0), ...fields });
}

const actorOperations = [
  operation('new actors', fc.record({ op, drawn: newActors }), (store, names, { op, drawn }) => {
    const births = drawn.map(({ i, m, status, wake, p, count }) =>
      birthOf(
        seenAs(names, i, {
          merchantId: names.merchant(m),
          status,
          partition: names.partition(p),
          wakeAt: wake === null ? null : moment(wake, i, 1),
          outbox: effects(names.actor(i), 1, count),
        }),
      ),
    );
    return store.actors.commit('subscription', batchOf(births, { op: names.op(op) }));
  }),
  operation('load', fc.array(actorNo, { maxLength: 5 }), async (store, names, drawn) =>
    byId(await store.actors.load('subscription', drawn.map(names.actor))),
  ),
  operation('commit', fc.record({ op, drawn: commits }), (store, names, { op, drawn }) => {
    const made = drawn.map(({ i, seen, count, wake, status, on }) => {
      const before = seenAs(names, i, { rev: seen, headRev: on ? 1 : seen });
      const set = {
        status: status ?? before.status,
        wakeAt: wake === null ? null : moment(wake, i, seen + 1),
        quarantine: count === 3 ? { at: at(0), reason: 'test' } : null,
      };
      return commitOf(before, { effects: effects(before._id, seen + 1, count) }, set);
    });
    return store.actors.commit('subscription', batchOf(made, { op: names.op(op) }));
  }),
  operation(
    'due',
    fc.record({ partitions, now: small, limit: fc.integer({ min: 0, max: 5 }) }),
    (store, names, { now, limit, ...drawn }) => {
      const partitions = drawn.partitions.map(names.partition);
      return store.actors.due({ kind: 'subscription', partitions, now: moment(now, 2, 0), limit });
    },
  ),
  operation('find actors', fc.record({ m: small, status: text }), async (store, names, { m, status }) => {
    const where = { merchantId: names.merchant(m), status: { gte: status } };
    return store.actors.find('subscription', { where, sort: [['status', -1]], limit: 9 });
  }),
  operation('write a head', actorNo, async (store, names, i) => {
    const [doc] = await store.actors.load('subscription', [names.actor(i)]);
    if (doc !== undefined) await store.actors.writeHeads('subscription', [doc]);
  }),
  operation('remove a head', actorNo, (store, names, i) => store.records.remove('subscriptions', [names.actor(i)])),
];

const newOffer = fc.record({
  i: offerNo,
  m: fc.constantFrom(0, 1),
  slug: fc.option(small, { freq: 1 }),
  name: text,
  redeemedCount: small,
  active: fc.boolean(),
  expiresAt: fc.option(small.map(at)),
  holds: fc.array(text, { maxLength: 2 }),
  free: value,
});

function offerOf(
  names: Names,
  {
    i,
    m,
    slug,
    free,
    ...fields
  }: Omit<Partial<OfferDoc>, 'free'> & { i: number; m: number; slug: number | null; free: unknown },
): OfferDoc {
  const made = offer({
    ...fields,
    _id: names.offer(i),
    merchantId: names.merchant(m),
    identifier: slug === null ? null : `slug${slug}`,
    recentOps: ['made'],
  });
  Reflect.set(made.afterCompletion, 'free', free);
  return made;
}

const path = fc.constantFrom(
  'name',
  'redeemedCount',
  'active',
  'expiresAt',
  'identifier',
  'holds',
  'afterCompletion.free',
  'afterCompletion.none.x',
);
const condition: fc.Arbitrary<Condition> = fc.oneof(
  scalar,
  fc.record({ in: fc.array(scalar, { maxLength: 3 }) }),
  fc.record({ not: scalar }),
  fc.record({ gte: scalar }),
  fc.record({ gt: scalar, lt: scalar }),
  fc.record({ lte: scalar }),
);
const where: fc.Arbitrary<Where> = fc.oneof(
  fc.constant({}),
  fc.dictionary(path, condition, { minKeys: 1, maxKeys: 1 }),
  fc.dictionary(path, condition, { maxKeys: 2 }),
  fc.record({ 'afterCompletion.free.v': scalar.filter((drawn) => drawn !== null) }),
);
const direction = fc.constantFrom<1 | -1>(1, -1);
/** MongoDB cannot sort by two lists at once. */
const sort = fc
  .uniqueArray(fc.tuple(path, direction), { maxLength: 2, selector: ([by]) => by })
  .filter((keys) => keys.filter(([by]) => by === 'holds' || by === 'afterCompletion.free').length < 2);

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.constant({}),
  fc.record({
    set: fc.dictionary(fc.constantFrom('name', 'afterCompletion.free', 'metadata.size', 'expiresAt'), scalar, {
      maxKeys: 2,
    }),
  }),
  fc.record({ set: fc.record({ identifier: fc.option(small.map((n) => `slug${n}`)) }) }),
  fc.record({
    push: fc.record({ holds: fc.array(text, { maxLength: 2 }), recentOps: fc.array(text, { maxLength: 3 }) }),
  }),
  fc.record({ inc: fc.record({ redeemedCount: small, rev: small }) }),
  fc.record({ push: fc.record({ 'afterCompletion.free': fc.array(scalar, { maxLength: 2 }) }) }),
  fc.record({ inc: fc.record({ 'afterCompletion.free': small }) }),
  fc.record({ set: fc.record({ 'afterCompletion.free.v': scalar }) }),
);
const conditional = fc.record({ i: offerNo, where, change });

const alike = fc.record({
  is: fc.array(offerNo, { maxLength: 4 }),
  where,
  change: fc.record({ set: fc.dictionary(fc.constantFrom('name', 'expiresAt'), scalar, { maxKeys: 2 }) }),
});

const find = operation(
  'find',
  fc.record({ m: small, where, sort, start: small, limit: fc.integer({ min: 0, max: 6 }) }),
  (store, names, { m, ...query }) =>
    store.records.find('offers', {
      ...query,
      where: { ...query.where, merchantId: { in: [names.merchant(0), names.merchant(m)] } },
    }),
);

const offerOperations = [
  operation('insert offers', fc.array(newOffer, { minLength: 3, maxLength: OFFERS }), (store, names, drawn) =>
    store.records.insert(
      'offers',
      drawn.map((one) => offerOf(names, one)),
    ),
  ),
  operation('get', fc.array(offerNo, { maxLength: 4 }), async (store, names, drawn) =>
    byId(await store.records.get('offers', drawn.map(names.offer))),
  ),
  find,
  operation('count', fc.record({ m: small, where }), (store, names, drawn) =>
    store.records.count('offers', { ...drawn.where, merchantId: names.merchant(drawn.m) }),
  ),
  operation('change', conditional, (store, names, { i, where, change }) =>
    store.records.change('offers', names.offer(i), where, change),
  ),
  operation('changeMany', fc.array(conditional, { maxLength: 4 }), (store, names, drawn) =>
    store.records.changeMany(
      'offers',
      drawn.map(({ i, where, change }) => ({ id: names.offer(i), where, change })),
    ),
  ),
  operation('changeAlike', alike, (store, names, drawn) =>
    store.records.changeAlike('offers', drawn.is.map(names.offer), drawn.where, drawn.change),
  ),
  operation('upsert', fc.record({ drawn: newOffer, change }), (store, names, { drawn, change }) => {
    const { _id, ...initial } = offerOf(names, drawn);
    return store.records.upsert('offers', _id, initial, change);
  }),
  operation('remove', fc.array(offerNo, { maxLength: 2 }), (store, names, drawn) =>
    store.records.remove('offers', drawn.map(names.offer)),
  ),
  operation('counter', fc.record({ i: small, n: small }), (store, names, { i, n }) =>
    store.counters.add(names.merchant(i), n, new Date(Date.now() + 600_000)),
  ),
  operation('counter with parts', fc.record({ i: small, n: small, part: small }), (store, names, { i, n, part }) =>
    store.counters.addPart(names.merchant(i), n, part, new Date(Date.now() + 600_000)),
  ),
];

/** Any operation of the port. */
export const anyOperation: fc.Arbitrary<Operation> = fc.oneof(...actorOperations, ...offerOperations, find, find, find);

/** All documents that a run can have made. */
export async function everything(store: Store, names: Names): Promise<unknown> {
  const actors = await store.actors.load(
    'subscription',
    Array.from({ length: ACTORS }, (_, i) => names.actor(i)),
  );
  const offers = await store.records.get(
    'offers',
    Array.from({ length: OFFERS }, (_, i) => names.offer(i)),
  );
  const where = { actorId: { in: Array.from({ length: ACTORS }, (_, i) => names.actor(i)) } };
  const timers = await store.records.find('timers', { where, limit: 1_000 });
  const outboxes = await store.records.find('outbox', {
    where: { _id: { gte: names.op(''), lt: names.op('~') } },
    limit: 99,
  });
  return [byId(actors), byId(offers), byId(timers), byId(outboxes)];
}

function byId<T extends { readonly _id: string }>(docs: readonly T[]): T[] {
  return [...docs].sort((a, b) => (a._id < b._id ? -1 : 1));
}
