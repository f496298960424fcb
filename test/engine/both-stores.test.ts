import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { LedgerStore } from '../../src/store/port.ts';
import type { TemporaryDevnet } from '../../stage/temporary-devnet.ts';
import { startTestDevnet } from '../support/devnet.ts';
import { asThird, KNOWS_1, KNOWS_1_2, KNOWS_1_2_3, newThirdToy, openReleases } from './support/released-toys.ts';
import { withActors } from './support/stores.ts';
import { toyContextOf } from './support/toy.ts';
import { creation, NEVER, openToy, play, quiet, TestClock, toyId, World, type WorldOptions } from './support/world.ts';

const memoryStores = new Map<string, LedgerStore>();
let devnet: TemporaryDevnet;

beforeAll(async () => {
  devnet = await startTestDevnet();
});

/** The store of one more process on a database of this name. */
type Open = (dbName?: string) => Promise<LedgerStore>;

function openMongo(dbName = 'engine'): Promise<LedgerStore> {
  return devnet.openStore(dbName);
}

async function openMemory(dbName = 'engine'): Promise<LedgerStore> {
  const store = memoryStores.get(dbName) ?? openMemoryStore();
  memoryStores.set(dbName, store);
  return store;
}

const KNOWING_1 = { machines: KNOWS_1 };
const KNOWING_2 = { machines: KNOWS_1_2 };
const OLDER = { subscription: 1 };

/** What the engine promises with the keys, orders and fences of each store. */
describe.each<[string, Open]>([
  ['in memory', openMemory],
  ['on MongoDB', openMongo],
])('the engine %s', (_name, open) => {
  /** Two processes on one database. */
  async function openTwo(first: WorldOptions = {}, second: WorldOptions = {}): Promise<[World, World]> {
    const clock = new TestClock();
    return [new World({ store: await open(), clock, ...first }), new World({ store: await open(), clock, ...second })];
  }

  it('accepts a burst on one actor in order by one write: rev + k, and k journal rows of one operation', async () => {
    const { world, id, calls } = await openToy({ store: await open() });
    const texts = Array.from({ length: 20 }, (_, index) => `event ${index}`);
    const results = await world.engine.dispatchMany(texts.map((text) => play(id, { add: 1, text, emit: 1 })));
    expect(calls).toEqual(['load 1', 'commit 1']);
    await quiet(world);
    expect(results.every((result) => result.kind === 'taken' && result.doc.rev === 21)).toBe(true);
    const rows = await world.journal(id);
    expect(await world.stored(id)).toMatchObject({ rev: 21, context: { count: 20, text: 'event 19' }, outbox: [] });
    expect(rows.slice(1).map(({ event }) => event['customVariables'])).toMatchObject(texts.map((text) => ({ text })));
    expect(new Set(rows.slice(1).map(({ op }) => op)).size).toBe(1);
    expect(world.carried).toEqual(texts.map((_, index) => `${id}:${index + 2}:0`));
    expect(await world.replayed(id)).toMatchObject({ rev: 21 });
  });

  /** Each pair with the version and the revision after 60 events. The older processes have made the actors. */
  it.each<[string, WorldOptions, WorldOptions, { machineVersion: number; rev: number }]>([
    ['of one release', KNOWING_1, KNOWING_1, { machineVersion: 1, rev: 61 }],
    ['of which one knows a next version', KNOWING_1, { ...KNOWING_2, writes: OLDER }, { machineVersion: 1, rev: 61 }],
    ['of which one writes that', { ...KNOWING_2, writes: OLDER }, KNOWING_2, { machineVersion: 2, rev: 62 }],
  ])(
    'loses no event when two processes %s send many at once, and every journal replays',
    async (_, first, second, after) => {
      const [one, two] = await openTwo(first, second);
      const older = one.beside(KNOWING_1);
      const ids = [await older.makeToy(), await older.makeToy(), await older.makeToy()];
      const results = await Promise.all(
        Array.from({ length: 60 }, async (_, index) => {
          for (let turn = index % 5; turn > 0; turn -= 1) await new Promise((resolve) => setImmediate(resolve));
          const world = index % 2 === 0 ? one : two;
          return world.engine.dispatchMany(ids.map((id) => play(id, { add: 1, emit: 1 })));
        }),
      );
      expect(results.flat().every((result) => result.kind === 'taken' && result.changed)).toBe(true);
      await quiet(one, two);
      await one.relayAll(['subscription']);
      for (const id of ids) {
        expect(await one.stored(id)).toMatchObject({ ...after, eventSeq: 60, context: { count: 60 }, outbox: [] });
        for (const world of [one, two]) expect(await world.replayed(id)).toMatchObject({ rev: after.rev });
      }
      const carried = new Set([...one.carried, ...two.carried]);
      for (const id of ids) expect([...carried].filter((effect) => effect.startsWith(`${id}:`))).toHaveLength(60);
    },
  );

  it('wakes due actors once with two processes, and unsound documents delay nobody', async () => {
    const [one, two] = await openTwo();
    const ids = Array.from({ length: 300 }, () => toyId());
    const bad = ids.slice(0, 3);
    const wakeAt = one.clock.in(1_000);
    await one.engine.create(
      'subscription',
      ids.map((id) => creation(id, { wakeAt })),
    );
    await quiet(one);
    for (const id of bad) await one.corrupt(id, { value: 'melted' });
    one.clock.advance(2_000);
    await Promise.all([one, two].map((world) => world.engine.dispatchDue('subscription')));
    await quiet(one, two);
    const docs = await one.store.actors.load('subscription', ids);
    const good = docs.filter(({ _id }) => !bad.includes(_id));
    expect(good.filter((doc) => doc.rev !== 2 || toyContextOf(doc).woken !== 1 || doc.quarantine !== null)).toEqual([]);
    const quarantined = docs.filter(({ quarantine }) => quarantine !== null).map(({ _id }) => _id);
    expect(quarantined.sort()).toEqual(bad.sort());
  });

  it('leaves documents of unknown versions to newer code, and they delay nobody', async () => {
    const store = await open('versions');
    const { of, clock } = openReleases(store);
    const [older, next] = [of(KNOWS_1), of(KNOWS_1_2_3)];
    const newer = Array.from({ length: 600 }, () => toyId());
    const [soon, later] = [clock.in(0), clock.in(1)];
    await next.engine.create(
      'subscription',
      newer.map((id) => ({ ...creation(id), context: newThirdToy(id, { wakeAt: soon }) })),
    );
    const mine = await Promise.all(Array.from({ length: 300 }, () => older.makeToy({ wakeAt: later })));
    await quiet(next);
    clock.advance(10);
    const scans: number[] = [];
    const counting = withActors(store, (actors) => ({
      due: async (...args) => {
        const docs = await actors.due(...args);
        scans.push(docs.length);
        return docs;
      },
    }));
    const old = of(KNOWS_1, { store: counting });
    expect(await old.engine.dispatchDue('subscription')).toBe(300);
    expect(await old.engine.dispatchDue('subscription')).toBe(0);
    const [first, ...others] = scans;
    expect([first, others.reduce((sum, found) => sum + found)]).toEqual([250, 300]);
    const left = await store.actors.load('subscription', newer);
    expect(left.every((doc) => doc.quarantine === null && doc.rev === 1 && asThird(doc).woken === 0)).toBe(true);
    expect(await next.engine.dispatchDue('subscription')).toBe(600);
    const woken = await store.actors.load('subscription', [...newer, ...mine]);
    expect(woken.filter((doc) => asThird(doc).woken !== 1)).toEqual([]);
  });

  it('runs the effects of a dead process after their grace, and not before', async () => {
    const clock = new TestClock();
    const dead = new World({ store: await open(), clock, carry: NEVER });
    const { world, id } = await openToy({ store: await open(), clock });
    await dead.engine.dispatchMany([play(id, { emit: 2, add: 1 }), play(id, { free: 1 }), play(id, { emit: 1 })]);
    clock.advance(1_999);
    expect(await world.relay()).toBe(0);
    await world.relayAll(['subscription']);
    expect(world.carried).toEqual([`${id}:2:0`, `${id}:2:1`, `${id}:3:0`, `${id}:4:0`]);
    expect(await world.outboxes(id)).toEqual([]);
    expect(await world.replayed(id)).toMatchObject({ rev: 4 });
  });
});
