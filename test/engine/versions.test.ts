import { familyOf, type Machines, type Snapshot } from '../../machines/versions.ts';
import { journalOf } from '../../src/engine/journal.ts';
import { replayOf } from '../../src/engine/replay.ts';
import type { Dispatch } from '../../src/engine/types.ts';
import { UnknownVersion, upcastEvent } from '../../src/engine/upcast.ts';
import type { ActorKind, JournalRow } from '../../src/store/documents.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import {
  asThird,
  KNOWS_1,
  KNOWS_1_2,
  KNOWS_1_2_3,
  KNOWS_3,
  knowing1And2By,
  newThirdToy,
} from './support/released-toys.ts';
import { rollOut } from './support/roll-out.ts';
import { spied, withActors } from './support/stores.ts';
import { toyContextOf, toyVersion } from './support/toy.ts';
import {
  ALL_PARTITIONS,
  CYCLE_DUE,
  creation,
  eventFor,
  leave,
  makeToy,
  NEVER,
  openWorld,
  play,
  playOut,
  quiet,
  relayAll,
  replayed,
  stored,
  TestClock,
  toyId,
  type World,
  type WorldOptions,
} from './support/world.ts';

/** Processes of several releases on one store and clock. They wake only actors that a scan finds. */
function openReleases(options: WorldOptions = {}) {
  const shared = { store: openMemoryStore(), clock: new TestClock(), dispatchesDue: false, ...options };
  const of = (machines: Machines, writes: WorldOptions['writes'] = {}) => openWorld({ ...shared, machines, writes });
  return { ...shared, of };
}

async function rowsOf(world: World, id: string): Promise<JournalRow[]> {
  await quiet(world);
  return journalOf(world.store, await stored(world, id));
}

async function makeThird(world: World, more: Parameters<typeof newThirdToy>[1] = {}, kind: ActorKind = 'subscription') {
  const id = toyId(kind === 'subscription' ? 'sub' : 'pay');
  const [made] = await world.engine.create(kind, [{ ...creation(id, {}, kind), context: newThirdToy(id, more) }]);
  expect(made?.kind).toBe('created');
  await quiet(world);
  return id;
}

describe('a document of an older version', () => {
  it('is upcast step by step to the written version, with its own row in the write of the event', async () => {
    const { of, store } = openReleases();
    const [old, { store: spying, calls }] = [of(KNOWS_1), spied(store)];
    const id = await makeToy(old, { count: 4 });
    const next = openWorld({ store: spying, clock: old.clock, machines: KNOWS_1_2_3 });
    const taken = await next.engine.dispatch(play(id, { add: 1, emit: 1 }));
    expect(calls).toEqual(['load 1', 'commit 1']);
    expect(taken).toMatchObject({ kind: 'taken', doc: { rev: 3, machineVersion: 3 } });
    const snapshot = { value: 'playing', context: { count: 4, label: 'once open', stars: 40 } };
    const rows = await rowsOf(next, id);
    expect(rows).toMatchObject([
      { rev: 1, machineVersion: 1, event: { type: 'actor.created' }, to: 'open' },
      {
        rev: 2,
        machineVersion: 3,
        event: { type: 'snapshot.upcast', fromVersion: 1, toVersion: 3, snapshot },
        by: 'engine',
        from: 'open',
        to: 'playing',
        effects: [],
      },
      { rev: 3, machineVersion: 3, event: { type: 'variables.replaced' }, from: 'playing', to: 'playing' },
    ]);
    expect(new Set(rows.map(({ op }) => op)).size).toBe(2);
    expect(next.carried).toEqual([`${id}:3:0`]);
    expect(await stored(next, id)).toMatchObject({
      rev: 3,
      machineVersion: 3,
      value: 'playing',
      context: { count: 5 },
    });
    expect(await replayed(next, id, 'subscription', KNOWS_1_2_3)).toMatchObject({ rev: 3, version: 3 });
  });

  it('is upcast once by a burst, and never again', async () => {
    const { of } = openReleases();
    const [old, next] = [of(KNOWS_1), of(KNOWS_1_2)];
    const id = await makeToy(old);
    await next.engine.dispatchMany([play(id, { add: 1 }), play(id, { add: 1 }), play(id, { add: 1 })]);
    await next.engine.dispatch(play(id, { add: 1 }));
    const types = (await rowsOf(next, id)).map(({ event }) => event.type);
    expect(types.filter((type) => type === 'snapshot.upcast')).toHaveLength(1);
    expect(types).toHaveLength(6);
    expect(await replayed(next, id, 'subscription', KNOWS_1_2)).toMatchObject({ rev: 6 });
  });

  it('does not change while it refuses events, or is not changed by them', async () => {
    const { of } = openReleases();
    const [old, next] = [of(KNOWS_1), of(KNOWS_1_2)];
    const id = await makeToy(old);
    const before = await stored(old, id);
    const refused = await next.engine.dispatch(eventFor(id, CYCLE_DUE.event));
    const resumed = await next.engine.dispatch(eventFor(id, { type: 'resume.requested' }));
    expect([refused, resumed]).toMatchObject([{ kind: 'refused' }, { kind: 'taken', changed: false }]);
    expect(await stored(next, id)).toEqual(before);
    expect(await replayed(next, id, 'subscription', KNOWS_1_2)).toMatchObject({ rev: 1, version: 1 });
  });

  it('is upcast by its wake, too', async () => {
    const { of, clock } = openReleases();
    const [old, next] = [of(KNOWS_1), of(KNOWS_1_2_3)];
    const id = await makeToy(old, { wakeAt: clock.in(1_000) });
    clock.advance(2_000);
    expect(await next.engine.dispatchDue('subscription')).toBe(1);
    expect(await stored(next, id)).toMatchObject({ machineVersion: 3, wakeAt: null, quarantine: null });
    expect(asThird(await stored(next, id))).toMatchObject({ woken: 1 });
    await quiet(next);
    await replayed(next, id, 'subscription', KNOWS_1_2_3);
  });

  it('leaves no row without a journal', async () => {
    const { of } = openReleases();
    const [old, next] = [of(KNOWS_1), of(KNOWS_1_2)];
    const id = await makeToy(old, {}, 'delivery');
    const reported: Dispatch = { ...play(id, { add: 1 }), kind: 'delivery' };
    await next.engine.dispatch(reported);
    expect(await stored(next, id, 'delivery')).toMatchObject({
      machineVersion: 2,
      value: 'playing',
      outbox: [],
      journal: [],
    });
  });

  it.each<[string, (before: Snapshot) => Snapshot]>([
    ['throws', () => raise('no way back')],
    ['leads to a state that the next version does not have', ({ context }) => ({ value: 'open', context })],
    ['leaves out what the next version remembers', ({ context }) => ({ value: 'playing', context })],
  ])('whose upcast %s is quarantined unchanged', async (_, upcast) => {
    const { of } = openReleases();
    const [old, broken] = [of(KNOWS_1), of(knowing1And2By(upcast))];
    const id = await makeToy(old);
    await expect(broken.engine.dispatch(play(id, { add: 1 }))).rejects.toThrow('Internal error');
    expect(await stored(old, id)).toMatchObject({ rev: 1, machineVersion: 1, value: 'open' });
    expect((await stored(old, id)).quarantine?.reason).toContain('cannot take variables.replaced');
  });

  it('whose upcast fails does not delay others', async () => {
    const { of, clock } = openReleases();
    const old = of(KNOWS_1);
    const ids = [await makeToy(old, { wakeAt: clock.in(0) }), await makeToy(old, { wakeAt: clock.in(1), count: 1 })];
    const next = of(
      knowing1And2By(({ context }) => {
        if (toyContextOf({ context }).count === 0) throw new Error('no way back');
        return { value: 'playing', context: { ...context, label: '' } };
      }),
    );
    clock.advance(10);
    await next.engine.dispatchDue('subscription');
    const docs = await Promise.all(ids.map((id) => stored(next, id)));
    expect(docs.map(({ machineVersion, quarantine }) => [machineVersion, quarantine?.reason])).toEqual([
      [1, 'no way back'],
      [2, undefined],
    ]);
  });
});

describe('a process that writes an older version than the newest that it knows', () => {
  it("makes actors in the version that it writes, from the newest code's input", async () => {
    const { of } = openReleases();
    const world = of(KNOWS_1_2_3, { subscription: 2 });
    const [id, payment] = [await makeThird(world), await makeThird(world, {}, 'payment')];
    expect(await stored(world, id)).toMatchObject({ machineVersion: 2, value: 'playing' });
    expect((await stored(world, id)).context).not.toHaveProperty('stars');
    expect(await stored(world, payment, 'payment')).toMatchObject({ machineVersion: 3, context: { stars: 0 } });
    expect(await replayed(world, id, 'subscription', KNOWS_1_2_3)).toMatchObject({ version: 2 });
  });

  it('brings older documents to that version, and keeps newer ones', async () => {
    const { of } = openReleases();
    const [old, newest] = [of(KNOWS_1), of(KNOWS_1_2_3)];
    const ids = [await makeToy(old), await makeThird(newest)];
    const world = of(KNOWS_1_2_3, { subscription: 2 });
    const results = await world.engine.dispatchMany(ids.map((id) => play(id, { add: 1 })));
    expect(results).toMatchObject([
      { kind: 'taken', doc: { machineVersion: 2, rev: 3 } },
      { kind: 'taken', doc: { machineVersion: 3, rev: 2, context: { count: 1, stars: 0 } } },
    ]);
    await quiet(world);
    for (const id of ids) await replayed(world, id, 'subscription', KNOWS_1_2_3);
  });

  it('refuses events of a later version, and accepts them for documents of that version', async () => {
    const { of } = openReleases();
    const [world, newer] = [of(KNOWS_1_2_3, { subscription: 1 }), of(KNOWS_1_2_3)];
    const ids = [await makeThird(world), await makeThird(newer)];
    const event = { type: 'failure.forced', reason: null } as const;
    const reported = ids.map((id) => eventFor(id, event));
    expect(await world.engine.dispatchMany(reported)).toMatchObject([
      { kind: 'refused', doc: { machineVersion: 1 } },
      { kind: 'taken', doc: { machineVersion: 3, context: { count: 1 } } },
    ]);
  });

  it('wakes documents of every version that it knows', async () => {
    const { of, clock } = openReleases();
    const writing = [1, 2, 3].map((subscription) => of(KNOWS_1_2_3, { subscription }));
    const ids = await Promise.all(writing.map((world) => makeThird(world, { wakeAt: clock.in(1_000) })));
    clock.advance(2_000);
    const world = of(KNOWS_1_2_3, { subscription: 2 });
    expect(await world.engine.dispatchDue('subscription')).toBe(3);
    const docs = await Promise.all(ids.map((id) => stored(world, id)));
    expect(docs.map(({ machineVersion }) => machineVersion)).toEqual([2, 2, 3]);
    expect(docs.map((doc) => asThird(doc).woken)).toEqual([1, 1, 1]);
  });
});

describe('two upgrades in two steps, with both sides of each at work on the same documents', () => {
  it('lose nothing, never go back, and every journal leads to its snapshot throughout', async () => {
    const store = openMemoryStore();
    expect(await rollOut(() => store)).toEqual([
      [1, 1],
      [2, 2, 2, 2],
      [2, 2, 2, 2, 2, 2],
      [3, 3, 3, 3, 3, 3, 3, 3],
    ]);
  });
});

describe('a document of a version that a process does not know', () => {
  it('is refused by name, neither changed nor quarantined', async () => {
    const { of } = openReleases();
    const [old, next] = [of(KNOWS_1_2), of(KNOWS_1_2_3)];
    const id = await makeThird(next);
    const before = await stored(next, id);
    const refusal = await old.engine.dispatch(play(id, { add: 1 })).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(UnknownVersion);
    expect(refusal).toMatchObject({
      message: 'Internal error',
      internal: `${id} is of version 3 of subscription; expected one that this process knows: 1, 2`,
    });
    await expect(old.engine.dispatch({ ...play(id, { add: 1 }), seen: before })).rejects.toBeInstanceOf(UnknownVersion);
    expect(await stored(next, id)).toEqual(before);
  });

  it('is refused in the same way if it is older than all registered versions', async () => {
    const { of } = openReleases();
    const [old, last] = [of(KNOWS_1), of(KNOWS_3)];
    const id = await makeToy(old);
    await expect(last.engine.dispatch(play(id, { add: 1 }))).rejects.toBeInstanceOf(UnknownVersion);
    expect(await stored(old, id)).toMatchObject({ machineVersion: 1, quarantine: null });
  });

  it('does not keep others of its batch from accepting events', async () => {
    const { of } = openReleases();
    const [old, next] = [of(KNOWS_1), of(KNOWS_1_2_3)];
    const ids = [await makeToy(old), await makeThird(next), await makeToy(old)];
    const results = await Promise.allSettled(ids.map((id) => old.engine.dispatch(play(id, { add: 1 }))));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('stays due until a process that knows it comes, and does not delay others', async () => {
    const store = openMemoryStore();
    const { of, clock } = openReleases({ store });
    const [older, next] = [of(KNOWS_1), of(KNOWS_1_2_3)];
    const newer = await Promise.all(Array.from({ length: 600 }, () => makeThird(next, { wakeAt: clock.in(0) })));
    const mine = await Promise.all(Array.from({ length: 300 }, () => makeToy(older, { wakeAt: clock.in(1) })));
    clock.advance(10);
    const scans: number[] = [];
    const counting = withActors(store, (actors) => ({
      due: async (...args) => {
        const docs = await actors.due(...args);
        scans.push(docs.length);
        return docs;
      },
    }));
    const old = openWorld({ store: counting, clock, machines: KNOWS_1, dispatchesDue: false });
    expect(await old.engine.dispatchDue('subscription')).toBe(300);
    expect(await old.engine.dispatchDue('subscription')).toBe(0);
    expect([scans[0], scans.at(-1)]).toEqual([250, 250]);
    expect(old.troubles).toEqual(['documents of an unknown version are left to other processes']);
    const left = await store.actors.load('subscription', newer);
    expect(left.every((doc) => doc.quarantine === null && doc.rev === 1 && asThird(doc).woken === 0)).toBe(true);
    expect(await next.engine.dispatchDue('subscription')).toBe(600);
    const woken = await store.actors.load('subscription', [...newer, ...mine]);
    expect(woken.filter((doc) => asThird(doc).woken !== 1)).toEqual([]);
  });

  it('is no failure of the scan if newer code upcasts it before its wake', async () => {
    const store = openMemoryStore();
    const { of, clock } = openReleases({ store });
    const [older, next] = [of(KNOWS_1), of(KNOWS_1_2)];
    const id = await makeToy(older, { wakeAt: clock.in(0), whenWoken: 'stays' });
    clock.advance(10);
    const overtaken = withActors(store, (actors) => ({
      commit: async (...args) => {
        await next.engine.dispatch(play(id, { add: 1, wakeAt: clock.in(60_000) }));
        return actors.commit(...args);
      },
    }));
    const old = openWorld({ store: overtaken, clock, machines: KNOWS_1, dispatchesDue: false });
    expect(await old.engine.dispatchDue('subscription')).toBe(1);
    expect(await stored(next, id)).toMatchObject({ machineVersion: 2, quarantine: null });
  });

  it('keeps its effects until a process that knows it runs them, and delays nobody', async () => {
    const store = openMemoryStore();
    const { clock, of } = openReleases({ store });
    const dead = openWorld({
      store,
      clock,
      machines: KNOWS_1_2_3,
      carry: NEVER,
      dispatchesDue: false,
    });
    const old = of(KNOWS_1);
    const maker = of(KNOWS_1_2_3);
    const newer = await Promise.all(Array.from({ length: 260 }, () => makeThird(maker)));
    await dead.engine.dispatchMany(newer.map((id) => play(id, { emit: 1 })));
    const mine = await makeToy(old);
    await leave(old, mine, [{ type: 'unit.free', offerId: 'offer_1', holder: 'x' }]);
    clock.advance(3_000);
    expect(await old.engine.relayLeftBehind('subscription', ALL_PARTITIONS)).toBe(1);
    expect(await old.engine.relayLeftBehind('subscription', ALL_PARTITIONS)).toBe(0);
    await quiet(old);
    expect(old.carried).toEqual([`${mine}:2:0`]);
    const left = await store.actors.load('subscription', newer);
    expect(left.filter(({ outbox, relayFailures }) => outbox.length === 0 || relayFailures > 0)).toEqual([]);
    await relayAll(maker, ['subscription']);
    expect(new Set(maker.carried)).toEqual(new Set(newer.map((id) => `${id}:2:0`)));
    for (const id of newer.slice(0, 3)) await replayed(maker, id, 'subscription', KNOWS_1_2_3);
  });

  it('makes senders wait: no failure is counted, and nobody is quarantined', async () => {
    const { store, clock, of } = openReleases();
    const to = await makeThird(of(KNOWS_1_2_3));
    const telling = (machines: Machines) =>
      openWorld({
        store,
        clock,
        machines,
        dispatchesDue: false,
        handlersOf: (engine) => ({
          'charge.withdraw': async (items) => {
            const requests = items.map(({ source, mark }) => ({
              ...play(to, { add: 1 }),
              sender: { id: source.id, mark },
            }));
            await engine.dispatchMany(requests);
            return items.map(() => 'done');
          },
        }),
      });
    const old = telling(KNOWS_1);
    const id = await makeToy(old, {}, 'payment');
    const event = { type: 'charge.scheduled', nextAttemptAt: null } as const;
    await old.engine.dispatch({ kind: 'payment', id, event, by: 'test' });
    for (let tries = 0; tries < 25; tries += 1) {
      await quiet(old);
      clock.advance(60_000);
      expect(await old.engine.relayLeftBehind('payment', ALL_PARTITIONS)).toBe(1);
    }
    await quiet(old);
    expect(await stored(old, id, 'payment')).toMatchObject({ relayFailures: 0, quarantine: null });
    const next = telling(KNOWS_1_2_3);
    clock.advance(60_000);
    await relayAll(next, ['payment']);
    expect(await stored(next, id, 'payment')).toMatchObject({ outbox: [], machineVersion: 1 });
    expect(asThird(await stored(next, to))).toMatchObject({ count: 1 });
  });

  it('is not blamed if newer code upcasts it while an effect fails in older code', async () => {
    const store = openMemoryStore();
    const { clock, of } = openReleases({ store });
    const dead = openWorld({
      store,
      clock,
      machines: KNOWS_1_2,
      carry: NEVER,
      dispatchesDue: false,
    });
    const old = openWorld({
      store,
      clock,
      machines: KNOWS_1,
      carry: async ({ source }) => {
        await dead.engine.dispatch(play(source.id, { add: 1 }));
        return { failed: new Error('no such field') };
      },
    });
    const id = await makeToy(of(KNOWS_1));
    await playOut(old, id, { emit: 1 });
    expect(await stored(old, id)).toMatchObject({ machineVersion: 2, relayFailures: 0, quarantine: null });
  });
});

describe('the replay of a journal with an upcast', () => {
  async function lifted() {
    const { of } = openReleases();
    const [old, next] = [of(KNOWS_1), of(KNOWS_1_2_3)];
    const id = await makeToy(old);
    await old.engine.dispatch(play(id, { add: 2 }));
    await next.engine.dispatch(play(id, { add: 3 }));
    const rows = await rowsOf(next, id);
    return { id, rows, doc: await stored(next, id) };
  }

  function changing(rows: readonly JournalRow[], rev: number, change: Partial<JournalRow>): JournalRow[] {
    return rows.map((row) => (row.rev === rev ? { ...row, ...change } : row));
  }

  it('starts there, so that it needs no earlier machine', async () => {
    const { rows, doc } = await lifted();
    expect(rows.map(({ machineVersion }) => machineVersion)).toEqual([1, 1, 3, 3]);
    for (const machines of [KNOWS_1_2_3, KNOWS_3]) {
      expect(replayOf(machines, doc, rows)).toMatchObject({ rev: 4, version: 3, state: { context: { count: 5 } } });
    }
  });

  it('names the missing machine', async () => {
    const { rows, doc, id } = await lifted();
    expect(() => replayOf(KNOWS_1_2, doc, rows)).toThrow(
      `${id} rev 4: was taken by version 3 of subscription; known are 1, 2`,
    );
  });

  it.each([1, 2, 3, 4])('without row %s names the missing revision', async (rev) => {
    const { rows, doc, id } = await lifted();
    const left = rows.filter((row) => row.rev !== rev);
    expect(() => replayOf(KNOWS_1_2_3, doc, left)).toThrow(`${id} rev ${rev}: the row is not in the journal`);
  });

  it.each<[string, (row: JournalRow) => Partial<JournalRow>]>([
    ['another snapshot', (row) => ({ event: withCount(row, 7) })],
    ['no snapshot', ({ event }) => ({ event: { type: event.type } })],
    ['another state', () => ({ to: 'open' })],
    ['another version', () => ({ machineVersion: 2 })],
  ])('with %s names that row', async (_, change) => {
    const { rows, doc, id } = await lifted();
    const [, , row] = rows;
    if (!row) throw new Error('no third row');
    expect(() => replayOf(KNOWS_1_2_3, doc, changing(rows, 3, change(row)))).toThrow(`${id} rev 3: `);
  });

  it('finds an event of another version than the snapshot', async () => {
    const { rows, doc, id } = await lifted();
    const changed = changing(rows, 4, { machineVersion: 2 });
    expect(() => replayOf(KNOWS_1_2_3, doc, changed)).toThrow(
      `${id} rev 4: the version of the machine is 2; the replay leads to 3`,
    );
  });

  it('finds a document with another version than its journal leads to', async () => {
    const { rows, doc, id } = await lifted();
    expect(() => replayOf(KNOWS_1_2_3, { ...doc, machineVersion: 2 }, rows)).toThrow(
      `${id} rev 4: the document is of version 2; its journal leads to version 3`,
    );
  });
});

describe('a family of versions', () => {
  it('is refused if one does not follow the one before it', () => {
    expect(() => familyOf([toyVersion, { ...toyVersion, version: 3 }], true)).toThrow(
      'version 3 is registered where 2 was expected',
    );
  });

  it('is refused if one has no upcast', () => {
    expect(() => familyOf([toyVersion, { ...toyVersion, version: 2 }], true)).toThrow(
      'version 2 has no upcast from version 1',
    );
  });
});

function raise(message: string): never {
  throw new Error(message);
}

function withCount({ event }: JournalRow, count: number): JournalRow['event'] {
  const { snapshot, ...others } = upcastEvent.parse(event);
  return { ...others, snapshot: { ...snapshot, context: { ...snapshot.context, count } } };
}
