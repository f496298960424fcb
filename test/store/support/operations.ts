import fc from 'fast-check';
import type { OfferDoc } from '../../../src/store/collections.ts';
import type { StoredActor } from '../../../src/store/documents.ts';
import type { Change, Condition, Store, Where } from '../../../src/store/port.ts';
import { actor, at, commitOf, effects, offer } from './documents.ts';

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
}

export function namesOf(run: number): Names {
  return {
    actor: (i) => `run${run}_sub_${i}`,
    offer: (i) => `run${run}_offer_${i}`,
    merchant: (i) => `run${run}_mrc_${i}`,
    partition: (i) => 10_000_000 + run * 4 + i,
  };
}

const ACTORS = 5;
const OFFERS = 6;

const actorNo = fc.integer({ min: 0, max: ACTORS - 1 });
const offerNo = fc.integer({ min: 0, max: OFFERS - 1 });
const small = fc.integer({ min: 0, max: 3 });
const partitions = fc.uniqueArray(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 4 });
/** Different for each actor, because the order of actors that are due at the same moment is not promised. */
const moment = (t: number, i: number) => at(t * ACTORS + i);

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

const newActor = fc.record({
  i: actorNo,
  m: small,
  key: fc.option(small),
  wake: fc.option(small),
  p: small,
  waits: fc.boolean(),
});

function actorOf(
  names: Names,
  drawn: { i: number; m: number; key: number | null; wake: number | null; p: number; waits: boolean },
): StoredActor {
  const _id = names.actor(drawn.i);
  return actor({
    _id,
    merchantId: names.merchant(drawn.m),
    recentOps: ['made'],
    attributes: { idempotencyKey: drawn.key === null ? null : `key${drawn.key}` },
    partition: names.partition(drawn.p),
    wakeAt: drawn.wake === null ? null : moment(drawn.wake, drawn.i),
    outbox: drawn.waits ? effects(_id, 1, 2) : [],
    relayAt: drawn.waits ? moment(0, drawn.i) : null,
  });
}

const actorOperations = [
  operation('insert actors', fc.array(newActor, { minLength: 1, maxLength: 4 }), (store, names, drawn) =>
    store.actors.insert(
      'subscription',
      drawn.map((one) => actorOf(names, one)),
    ),
  ),
  operation('load', fc.array(actorNo, { maxLength: 5 }), async (store, names, drawn) =>
    byId(await store.actors.load('subscription', drawn.map(names.actor))),
  ),
  operation(
    'commit',
    fc.uniqueArray(
      fc.record({
        i: actorNo,
        seen: fc.integer({ min: 1, max: 4 }),
        op: small,
        count: fc.integer({ min: 0, max: 2 }),
        wake: fc.option(small),
      }),
      { minLength: 1, maxLength: 4, selector: ({ i }) => i },
    ),
    (store, names, drawn) => {
      const commits = drawn.map(({ i, seen, op, count, wake }) => {
        const id = names.actor(i);
        const wakeAt = wake === null ? null : moment(wake, i);
        const fields = { op: `op${op}`, effects: effects(id, seen + 1, count), relayAt: moment(seen, i) };
        return commitOf(actor({ _id: id, rev: seen }), fields, { wakeAt });
      });
      return store.actors.commit('subscription', commits);
    },
  ),
  operation(
    'due',
    fc.record({ partitions, now: small, limit: fc.integer({ min: 0, max: 5 }) }),
    (store, names, drawn) =>
      store.actors.due('subscription', drawn.partitions.map(names.partition), moment(drawn.now, 2), drawn.limit),
  ),
  operation('quarantine', fc.record({ i: actorNo, on: fc.boolean() }), (store, names, { i, on }) =>
    store.actors.setQuarantine('subscription', names.actor(i), on ? { at: at(0), reason: 'test' } : null),
  ),
  operation(
    'unrelayed',
    fc.record({ partitions, before: small, limit: fc.integer({ min: 0, max: 5 }) }),
    (store, names, drawn) =>
      store.outboxes.unrelayed(
        'subscription',
        drawn.partitions.map(names.partition),
        moment(drawn.before, 2),
        drawn.limit,
      ),
  ),
  operation(
    'ack',
    fc.array(fc.record({ i: actorNo, rev: fc.integer({ min: 1, max: 4 }), indexes: fc.subarray([0, 1]) }), {
      maxLength: 3,
    }),
    (store, names, drawn) => {
      const done = drawn.map(({ i, rev, indexes }) => {
        const id = names.actor(i);
        return { id, effectIds: indexes.map((index) => `${id}:${rev}:${index}`) };
      });
      return store.outboxes.ack('subscription', done);
    },
  ),
  operation(
    'failed',
    fc.record({ i: actorNo, t: small, count: fc.constantFrom<0 | 1>(0, 1) }),
    (store, names, { i, t, count }) => store.outboxes.failed('subscription', names.actor(i), moment(t, i), count),
  ),
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
  return [byId(actors), byId(offers)];
}

function byId<T extends { readonly _id: string }>(docs: readonly T[]): T[] {
  return [...docs].sort((a, b) => (a._id < b._id ? -1 : 1));
}
