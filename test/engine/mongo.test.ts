import { MACHINES } from '../../machines/versions.ts';
import { silentLog } from '../../scripts/lib/silent-log.ts';
import { journalOf } from '../../src/engine/journal.ts';
import { replayOf } from '../../src/engine/replay.ts';
import type { StoredActor } from '../../src/store/documents.ts';
import { openMongoStore } from '../../src/store/mongo/store.ts';
import type { Store } from '../../src/store/port.ts';
import { typed } from '../../src/store/typed.ts';
import { startTestDevnet } from '../support/devnet.ts';
import { Outside, openBilling, paymentIdOf, subscriptionCreation } from './support/billing.ts';
import { KNOWS_1, KNOWS_1_2, newSecondToy } from './support/released-toys.ts';
import { rollOut } from './support/roll-out.ts';
import { toyContextOf } from './support/toy.ts';
import {
  ALL_PARTITIONS,
  corrupt,
  creation,
  makeToy,
  NEVER,
  openToy,
  openWorld,
  play,
  quiet,
  relayAll,
  replayed,
  stored,
  TestClock,
  toyId,
} from './support/world.ts';

/** The engine's tests on the real database, which has its own keys, orders and fences. */
describe('the engine on MongoDB', () => {
  const stores: Store[] = [];
  let uri = '';

  async function open(): Promise<Store> {
    const store = await openMongoStore({ uri, dbName: 'engine', log: silentLog });
    stores.push(store);
    return store;
  }

  beforeAll(async () => {
    const devnet = await startTestDevnet({ evm: false });
    uri = devnet.mongoUri;
  });
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()));
  });

  it('accepts a burst on one actor by one write, in order', async () => {
    const { world, id } = await openToy({ store: await open() });
    const before = world.store.roundTrips();
    await world.engine.dispatchMany(Array.from({ length: 30 }, (_, n) => play(id, { add: 1, text: `${n}` })));
    expect(world.store.roundTrips() - before).toBe(2);
    await quiet(world);
    expect(await stored(world, id)).toMatchObject({ rev: 31, context: { count: 30, text: '29' }, outbox: [] });
    expect(await replayed(world, id)).toMatchObject({ rev: 31 });
  });

  it('loses no event when two processes send the same actors many at once, and every journal replays', async () => {
    const clock = new TestClock();
    const [one, two] = [openWorld({ store: await open(), clock }), openWorld({ store: await open(), clock })];
    const ids = [await makeToy(one), await makeToy(one), await makeToy(one)];
    const results = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        await new Promise((resolve) => setTimeout(resolve, index % 7));
        const world = index % 2 === 0 ? one : two;
        return world.engine.dispatchMany(ids.map((id) => play(id, { add: 1, emit: 1 })));
      }),
    );
    expect(results.flat().every((result) => result.kind === 'taken' && result.changed)).toBe(true);
    await quiet(one, two);
    await relayAll(one, ['subscription']);
    for (const id of ids) {
      expect(await stored(one, id)).toMatchObject({ rev: 41, eventSeq: 40, context: { count: 40 }, outbox: [] });
      expect(await replayed(one, id)).toMatchObject({ rev: 41 });
    }
    expect(new Set([...one.carried, ...two.carried]).size).toBe(3 * 40);
  });

  it('wakes due actors once with two processes, and unsound documents delay nobody', async () => {
    const clock = new TestClock();
    const [one, two] = [openWorld({ store: await open(), clock }), openWorld({ store: await open(), clock })];
    const ids = Array.from({ length: 300 }, () => toyId());
    const bad = ids.slice(0, 3);
    await one.engine.create(
      'subscription',
      ids.map((id) => creation(id, { wakeAt: clock.in(1_000) })),
    );
    await quiet(one);
    for (const id of bad) await corrupt(one, id, { value: 'melted' });
    clock.advance(2_000);
    await Promise.all([one, two].map((world) => world.engine.dispatchDue('subscription')));
    await quiet(one, two);
    const docs = await one.store.actors.load('subscription', ids);
    const good = docs.filter(({ _id }) => !bad.includes(_id));
    expect(good.filter((doc) => toyContextOf(doc).woken !== 1 || doc.quarantine !== null)).toEqual([]);
    expect(
      docs
        .filter(({ quarantine }) => quarantine !== null)
        .map(({ _id }) => _id)
        .sort(),
    ).toEqual(bad.sort());
  });

  it('wakes all others although the lists of a due document are not lists', async () => {
    const world = openWorld({ store: await open(), dispatchesDue: false });
    const ids = await Promise.all(Array.from({ length: 20 }, () => makeToy(world, { wakeAt: world.clock.in(1_000) })));
    const sound = await stored(world, ids[0] ?? '');
    const bad = [{ recentOps: 7 }, { outbox: 'none' }].map((wrong) =>
      typed<StoredActor>({ ...sound, _id: toyId('sub_0'), ...wrong }),
    );
    await world.store.actors.insert('subscription', bad);
    world.clock.advance(2_000);
    await world.engine.dispatchDue('subscription');
    const docs = await world.store.actors.load('subscription', ids);
    expect(docs.map((doc) => toyContextOf(doc).woken)).toEqual(ids.map(() => 1));
  });

  it('loses nothing in two upgrades of two steps, and never goes back', async () => {
    const versions = await rollOut(open);
    expect(versions.at(0)).toEqual([1, 1]);
    expect(versions.at(-1)).toEqual([3, 3, 3, 3, 3, 3, 3, 3]);
  });

  it('wakes the versions that older code knows, although more of unknown ones have been due for longer', async () => {
    const clock = new TestClock();
    const store = await openMongoStore({ uri, dbName: 'versions', log: silentLog });
    stores.push(store);
    const old = openWorld({ store, clock, machines: KNOWS_1, dispatchesDue: false });
    const next = openWorld({ store, clock, machines: KNOWS_1_2, dispatchesDue: false });
    const newer = Array.from({ length: 300 }, () => toyId());
    const context = (id: string) => ({ ...newSecondToy(id), wakeAt: clock.in(0) });
    await next.engine.create(
      'subscription',
      newer.map((id) => ({ ...creation(id), context: context(id) })),
    );
    const mine = [await makeToy(old, { wakeAt: clock.in(1) }), await makeToy(old, { wakeAt: clock.in(2) })];
    await quiet(old, next);
    clock.advance(10);
    expect(await old.engine.dispatchDue('subscription')).toBe(2);
    const docs = await Promise.all(mine.map((id) => stored(old, id)));
    expect(docs.map((doc) => toyContextOf(doc).woken)).toEqual([1, 1]);
    expect(await store.actors.count('subscription', { quarantine: null, rev: 1, machineVersion: 2 })).toBe(300);
    expect(await next.engine.dispatchDue('subscription')).toBe(300);
  });

  it('runs the effects of a dead process', async () => {
    const clock = new TestClock();
    const dead = openWorld({ store: await open(), clock, carry: NEVER });
    const { world, id } = await openToy({ store: await open(), clock });
    await dead.engine.dispatch(play(id, { add: 1, emit: 2 }));
    expect(await world.engine.relayLeftBehind('subscription', ALL_PARTITIONS)).toBe(0);
    await relayAll(world, ['subscription']);
    expect(world.carried).toEqual([`${id}:2:0`, `${id}:2:1`]);
    expect(await stored(world, id)).toMatchObject({ outbox: [], relayAt: null });
    expect(await replayed(world, id)).toMatchObject({ rev: 2 });
  });

  it('keeps a billing life on the real machines, which replays bit for bit', async () => {
    const store = await open();
    const clock = new TestClock();
    const outside = new Outside((id, attempt) => (id.endsWith('_2') && attempt < 2 ? 'refuses' : 'pays'));
    const world = openBilling({ store, clock, outside });
    const id = toyId();
    await world.engine.create('subscription', [subscriptionCreation(id, { maxCycles: 2 })]);
    await quiet(world);
    for (let moments = 0; moments < 20; moments += 1) {
      await outside.pump(world.engine);
      await quiet(world);
      const [doc] = await store.actors.load('subscription', [id]);
      if (doc?.wakeAt) clock.advance(doc.wakeAt.getTime() - clock.now().getTime());
      await world.engine.dispatchDue('subscription');
      await quiet(world);
    }
    const ended = [await stored(world, id)];
    for (const cycle of [1, 2]) ended.push(await stored(world, paymentIdOf(id, cycle), 'payment'));
    expect(ended.map(({ status }) => status)).toEqual(['canceled', 'settled', 'settled']);
    for (const doc of ended) {
      const rows = await journalOf(store, doc);
      expect(replayOf(MACHINES, doc, rows).rev).toBe(doc.rev);
    }
    expect(outside.transfers).toEqual([paymentIdOf(id, 1), paymentIdOf(id, 2)]);
  });
});
