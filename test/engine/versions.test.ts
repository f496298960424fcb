import { familyOf, type Machines, type Snapshot } from '../../machines/versions.ts';
import { replayOf } from '../../src/engine/replay.ts';
import { UnknownVersion, upcastEvent } from '../../src/engine/upcast.ts';
import type { ActorKind, JournalRow } from '../../src/store/documents.ts';
import {
  asThird,
  KNOWS_1,
  KNOWS_1_2,
  KNOWS_1_2_3,
  KNOWS_3,
  knowing1And2By,
  newThirdToy,
  openReleases,
} from './support/released-toys.ts';
import { spied, withActors } from './support/stores.ts';
import { toyContextOf, toyVersion } from './support/toy.ts';
import { CYCLE_DUE, changing, creation, eventFor, NEVER, play, quiet, toyId, type World } from './support/world.ts';

async function rowsOf(world: World, id: string): Promise<JournalRow[]> {
  await quiet(world);
  return world.journal(id);
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
    const id = await old.makeToy({ count: 4 });
    const next = of(KNOWS_1_2_3, { store: spying });
    const taken = await next.engine.dispatch(play(id, { add: 1, emit: 1 }));
    expect(calls).toEqual(['load 1', 'commit 1']);
    expect(taken).toMatchObject({ kind: 'taken', doc: { rev: 3, machineVersion: 3 } });
    const snapshot = { value: 'playing', context: { count: 4, label: 'once open', stars: 40 } };
    const rows = await rowsOf(next, id);
    expect(rows).toMatchObject([
      { rev: 1, version: 1, event: { type: 'actor.created' }, to: 'open' },
      {
        rev: 2,
        version: 3,
        event: { type: 'snapshot.upcast', fromVersion: 1, toVersion: 3, snapshot },
        by: 'engine',
        from: 'open',
        to: 'playing',
        effects: [],
      },
      { rev: 3, version: 3, event: { type: 'variables.replaced' }, from: 'playing', to: 'playing' },
    ]);
    expect(new Set(rows.map(({ op }) => op)).size).toBe(2);
    expect(next.carried).toEqual([`${id}:3:0`]);
    expect(await next.stored(id)).toMatchObject({ rev: 3, machineVersion: 3, value: 'playing', context: { count: 5 } });
    expect(await next.replayed(id)).toMatchObject({ rev: 3, version: 3 });
  });

  it('is upcast once by a burst, and never again', async () => {
    const { of } = openReleases();
    const [old, next] = [of(KNOWS_1), of(KNOWS_1_2)];
    const id = await old.makeToy();
    await next.engine.dispatchMany([play(id, { add: 1 }), play(id, { add: 1 }), play(id, { add: 1 })]);
    await next.engine.dispatch(play(id, { add: 1 }));
    const types = (await rowsOf(next, id)).map(({ event }) => event.type);
    expect(types.filter((type) => type === 'snapshot.upcast')).toHaveLength(1);
    expect(types).toHaveLength(6);
    expect(await next.replayed(id)).toMatchObject({ rev: 6 });
  });

  it('does not change while it refuses events, or is not changed by them', async () => {
    const { of } = openReleases();
    const [old, next] = [of(KNOWS_1), of(KNOWS_1_2)];
    const id = await old.makeToy();
    const before = await old.stored(id);
    const refused = await next.engine.dispatch(eventFor(id, CYCLE_DUE.event));
    const resumed = await next.engine.dispatch(eventFor(id, { type: 'resume.requested' }));
    expect([refused, resumed]).toMatchObject([{ kind: 'refused' }, { kind: 'taken', changed: false }]);
    expect(await next.stored(id)).toEqual(before);
    expect(await next.replayed(id)).toMatchObject({ rev: 1, version: 1 });
  });

  it('is upcast by its wake, too', async () => {
    const { of, clock } = openReleases();
    const [old, next] = [of(KNOWS_1), of(KNOWS_1_2_3)];
    const id = await old.makeToy({ wakeAt: clock.in(1_000) });
    clock.advance(2_000);
    expect(await next.engine.dispatchDue('subscription')).toBe(1);
    expect(await next.stored(id)).toMatchObject({ machineVersion: 3, wakeAt: null, quarantine: null });
    expect(asThird(await next.stored(id))).toMatchObject({ woken: 1 });
    await quiet(next);
    await next.replayed(id);
  });

  it.each<[string, (before: Snapshot) => Snapshot]>([
    ['throws', () => raise('no way back')],
    ['leads to a state that the next version does not have', ({ context }) => ({ value: 'open', context })],
    ['leaves out what the next version remembers', ({ context }) => ({ value: 'playing', context })],
  ])('whose upcast %s is quarantined unchanged', async (_, upcast) => {
    const { of } = openReleases();
    const [old, broken] = [of(KNOWS_1), of(knowing1And2By(upcast))];
    const id = await old.makeToy();
    await expect(broken.engine.dispatch(play(id, { add: 1 }))).rejects.toThrow('Internal error');
    expect(await old.stored(id)).toMatchObject({ rev: 2, machineVersion: 1, value: 'open' });
    expect((await old.stored(id)).quarantine?.reason).toContain('cannot take variables.replaced');
  });

  it('whose upcast fails does not delay others', async () => {
    const { of, clock } = openReleases();
    const old = of(KNOWS_1);
    const ids = [await old.makeToy({ wakeAt: clock.in(0) }), await old.makeToy({ wakeAt: clock.in(1), count: 1 })];
    const next = of(
      knowing1And2By(({ context }) => {
        if (toyContextOf({ context }).count === 0) throw new Error('no way back');
        return { value: 'playing', context: { ...context, label: '' } };
      }),
    );
    clock.advance(10);
    await next.engine.dispatchDue('subscription');
    const docs = await Promise.all(ids.map((id) => next.stored(id)));
    expect(docs.map(({ machineVersion, quarantine }) => [machineVersion, quarantine?.reason])).toEqual([
      [1, 'no way back'],
      [2, undefined],
    ]);
  });
});

describe('a process that writes an older version than the newest that it knows', () => {
  it("makes actors in the version that it writes, from the newest code's input", async () => {
    const { of } = openReleases();
    const world = of(KNOWS_1_2_3, { writes: { subscription: 2 } });
    const [id, payment] = [await makeThird(world), await makeThird(world, {}, 'payment')];
    expect(await world.stored(id)).toMatchObject({ machineVersion: 2, value: 'playing' });
    expect((await world.stored(id)).context).not.toHaveProperty('stars');
    expect(await world.stored(payment, 'payment')).toMatchObject({ machineVersion: 3, context: { stars: 0 } });
    expect(await world.replayed(id)).toMatchObject({ version: 2 });
  });

  it('brings older documents to that version, and keeps newer ones', async () => {
    const { of } = openReleases();
    const [old, newest] = [of(KNOWS_1), of(KNOWS_1_2_3)];
    const ids = [await old.makeToy(), await makeThird(newest)];
    const world = of(KNOWS_1_2_3, { writes: { subscription: 2 } });
    const results = await world.engine.dispatchMany(ids.map((id) => play(id, { add: 1 })));
    expect(results).toMatchObject([
      { kind: 'taken', doc: { machineVersion: 2, rev: 3 } },
      { kind: 'taken', doc: { machineVersion: 3, rev: 2, context: { count: 1, stars: 0 } } },
    ]);
    await quiet(world);
    for (const id of ids) await world.replayed(id);
  });

  it('refuses events of a later version, and accepts them for documents of that version', async () => {
    const { of } = openReleases();
    const [world, newer] = [of(KNOWS_1_2_3, { writes: { subscription: 1 } }), of(KNOWS_1_2_3)];
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
    const writing = [1, 2, 3].map((subscription) => of(KNOWS_1_2_3, { writes: { subscription } }));
    const ids = await Promise.all(writing.map((world) => makeThird(world, { wakeAt: clock.in(1_000) })));
    clock.advance(2_000);
    const world = of(KNOWS_1_2_3, { writes: { subscription: 2 } });
    expect(await world.engine.dispatchDue('subscription')).toBe(3);
    const docs = await Promise.all(ids.map((id) => world.stored(id)));
    expect(docs.map(({ machineVersion }) => machineVersion)).toEqual([2, 2, 3]);
    expect(docs.map((doc) => asThird(doc).woken)).toEqual([1, 1, 1]);
  });
});

describe('a document of a version that a process does not know', () => {
  it('is refused by name, neither changed nor quarantined', async () => {
    const { of } = openReleases();
    const [old, next] = [of(KNOWS_1_2), of(KNOWS_1_2_3)];
    const id = await makeThird(next);
    const before = await next.stored(id);
    const refusal = await old.engine.dispatch(play(id, { add: 1 })).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(UnknownVersion);
    expect(refusal).toMatchObject({
      message: 'Internal error',
      internal: `${id} is of version 3 of subscription; expected one that this process knows: 1, 2`,
    });
    await expect(old.engine.dispatch({ ...play(id, { add: 1 }), seen: before })).rejects.toBeInstanceOf(UnknownVersion);
    expect(await next.stored(id)).toEqual(before);
  });

  it('is refused in the same way if it is older than all registered versions', async () => {
    const { of } = openReleases();
    const [old, last] = [of(KNOWS_1), of(KNOWS_3)];
    const id = await old.makeToy();
    await expect(last.engine.dispatch(play(id, { add: 1 }))).rejects.toBeInstanceOf(UnknownVersion);
    expect(await old.stored(id)).toMatchObject({ machineVersion: 1, quarantine: null });
  });

  it('does not keep others of its batch from accepting events', async () => {
    const { of } = openReleases();
    const [old, next] = [of(KNOWS_1), of(KNOWS_1_2_3)];
    const ids = [await old.makeToy(), await makeThird(next), await old.makeToy()];
    const results = await Promise.allSettled(ids.map((id) => old.engine.dispatch(play(id, { add: 1 }))));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('is no failure of the scan if newer code upcasts it before its wake', async () => {
    const { of, clock, store } = openReleases();
    const [older, next] = [of(KNOWS_1), of(KNOWS_1_2)];
    const id = await older.makeToy({ wakeAt: clock.in(0), whenWoken: 'stays' });
    clock.advance(10);
    const overtaken = withActors(store, (actors) => ({
      commit: async (...args) => {
        await next.engine.dispatch(play(id, { add: 1, wakeAt: clock.in(60_000) }));
        return actors.commit(...args);
      },
    }));
    const old = of(KNOWS_1, { store: overtaken });
    expect(await old.engine.dispatchDue('subscription')).toBe(1);
    expect(await next.stored(id)).toMatchObject({ machineVersion: 2, quarantine: null });
  });

  it('keeps its effects until a process that knows it runs them, and delays nobody', async () => {
    const { clock, of, store } = openReleases();
    const dead = of(KNOWS_1_2_3, { carry: NEVER });
    const old = of(KNOWS_1);
    const maker = of(KNOWS_1_2_3);
    const newer = await Promise.all(Array.from({ length: 260 }, () => makeThird(maker)));
    await dead.engine.dispatchMany(newer.map((id) => play(id, { emit: 1 })));
    const mine = await old.makeToy();
    await old.leave(mine, [{ type: 'unit.free', offerId: 'offer_1', holder: 'x' }]);
    clock.advance(3_000);
    expect(await old.relay()).toBe(1);
    expect(await old.relay()).toBe(0);
    await quiet(old);
    expect(old.carried).toEqual([`${mine}:2:0`]);
    const left = await store.actors.load('subscription', newer);
    expect(left.filter(({ outbox, failures }) => outbox.length === 0 || failures > 0)).toEqual([]);
    await maker.relayAll(['subscription']);
    expect(new Set(maker.carried)).toEqual(new Set(newer.map((id) => `${id}:2:0`)));
    for (const id of newer.slice(0, 3)) await maker.replayed(id);
  });

  it('makes senders wait: no failure is counted, and nobody is quarantined', async () => {
    const { clock, of } = openReleases();
    const to = await makeThird(of(KNOWS_1_2_3));
    const telling = (machines: Machines) =>
      of(machines, {
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
    const id = await old.makeToy({}, 'payment');
    const event = { type: 'charge.scheduled', nextAttemptAt: null } as const;
    await old.engine.dispatch({ kind: 'payment', id, event, by: 'test' });
    for (let tries = 0; tries < 25; tries += 1) {
      await quiet(old);
      clock.advance(60_000);
      expect(await old.relay('payment')).toBe(1);
    }
    await quiet(old);
    expect(await old.stored(id, 'payment')).toMatchObject({ failures: 0, quarantine: null });
    const next = telling(KNOWS_1_2_3);
    clock.advance(60_000);
    await next.relayAll(['payment']);
    expect(await next.stored(id, 'payment')).toMatchObject({ outbox: [], machineVersion: 1 });
    expect(asThird(await next.stored(to))).toMatchObject({ count: 1 });
  });

  it('is not blamed if newer code upcasts it while an effect fails in older code', async () => {
    const { of } = openReleases();
    const dead = of(KNOWS_1_2, { carry: NEVER });
    const old = of(KNOWS_1, {
      carry: async ({ source }) => {
        await dead.engine.dispatch(play(source.id, { add: 1 }));
        return { failed: new Error('no such field') };
      },
    });
    const id = await of(KNOWS_1).makeToy();
    await old.playOut(id, { emit: 1 });
    expect(await old.stored(id)).toMatchObject({ machineVersion: 2, failures: 0, quarantine: null });
  });
});

describe('the replay of a journal with an upcast', () => {
  async function lifted() {
    const { of } = openReleases();
    const [old, next] = [of(KNOWS_1), of(KNOWS_1_2_3)];
    const id = await old.makeToy();
    await old.engine.dispatch(play(id, { add: 2 }));
    await next.engine.dispatch(play(id, { add: 3 }));
    const rows = await rowsOf(next, id);
    return { id, rows, doc: await next.stored(id) };
  }

  it('starts there, so that it needs no earlier machine', async () => {
    const { rows, doc } = await lifted();
    expect(rows.map(({ version }) => version)).toEqual([1, 1, 3, 3]);
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
    ['no snapshot', ({ event: { type, now } }) => ({ event: { type, now } })],
    ['another state', () => ({ to: 'open' })],
    ['another version', () => ({ version: 2 })],
  ])('with %s names that row', async (_, change) => {
    const { rows, doc, id } = await lifted();
    const [, , row] = rows;
    if (!row) throw new Error('no third row');
    expect(() => replayOf(KNOWS_1_2_3, doc, changing(rows, 3, change(row)))).toThrow(`${id} rev 3: `);
  });

  it('finds an event of another version than the snapshot', async () => {
    const { rows, doc, id } = await lifted();
    const changed = changing(rows, 4, { version: 2 });
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
    expect(() => familyOf([toyVersion, { ...toyVersion, version: 3 }])).toThrow(
      'version 3 is registered where 2 was expected',
    );
  });

  it('is refused if one has no upcast', () => {
    expect(() => familyOf([toyVersion, { ...toyVersion, version: 2 }])).toThrow(
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
