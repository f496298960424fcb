import type { Admit } from '../../src/engine/due.ts';
import { SCAN_MAX } from '../../src/engine/scanner.ts';
import type { Dispatched } from '../../src/engine/types.ts';
import { StoreUnavailable } from '../../src/store/errors.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import { spied, withActors } from './support/stores.ts';
import { type ToyContext, toyContextOf } from './support/toy.ts';
import {
  CYCLE_DUE,
  creation,
  eventFor,
  openToy,
  play,
  quiet,
  toyId,
  World,
  type WorldOptions,
} from './support/world.ts';

/** Waiting toys: the first wakes in a second, each next one a second later. */
async function waiting(world: World, count: number, more: Partial<ToyContext> = {}): Promise<string[]> {
  const ids = Array.from({ length: count }, () => toyId());
  const creations = ids.map((id, index) => creation(id, { ...more, wakeAt: world.clock.in((index + 1) * 1_000) }));
  const made = await world.engine.create('subscription', creations);
  expect(made.every(({ kind }) => kind === 'created')).toBe(true);
  await quiet(world);
  return ids;
}

/** A process that only wakes actors that a scan finds. */
function sleepy(options: WorldOptions = {}): World {
  return new World({ ...options, dispatchesDue: false });
}

async function wokenOf(world: World, ids: readonly string[]): Promise<number[]> {
  return Promise.all(ids.map(async (id) => toyContextOf(await world.stored(id)).woken));
}

describe('a due actor', () => {
  it('is woken once, and no other is', async () => {
    const world = sleepy();
    const ids = await waiting(world, 5);
    world.clock.advance(3_000);
    expect(await world.engine.dispatchDue('subscription')).toBe(3);
    expect(await world.engine.dispatchDue('subscription')).toBe(0);
    expect(await wokenOf(world, ids)).toEqual([1, 1, 1, 0, 0]);
    await quiet(world);
    for (const id of ids) await world.replayed(id);
  });

  it('is dispatched in batches of the documents that the scans have loaded', async () => {
    const { store, calls } = spied(openMemoryStore());
    const batches: number[] = [];
    const admit: Admit = async (docs) => {
      batches.push(docs.length);
      return { docs };
    };
    const world = sleepy({ store, admit });
    const ids = await waiting(world, 600);
    world.clock.advance(700_000);
    calls.length = 0;
    expect(await world.engine.dispatchDue('subscription')).toBe(600);
    expect(batches.reduce((sum, each) => sum + each, 0)).toBe(600);
    expect(Math.max(...batches)).toBeLessThan(SCAN_MAX);
    expect(calls.filter((call) => call.startsWith('load'))).toEqual([]);
    expect(await wokenOf(world, ids)).toEqual(ids.map(() => 1));
  });

  it('is due by its own clock', async () => {
    const world = sleepy();
    const [id = ''] = await waiting(world, 1);
    await world.engine.dispatch(eventFor(id, { type: 'clock.moved', clockOffsetMs: 999 }));
    expect(await world.engine.dispatchDue('subscription')).toBe(0);
    await world.engine.dispatch(eventFor(id, { type: 'clock.moved', clockOffsetMs: 1_000 }));
    expect(await world.engine.dispatchDue('subscription')).toBe(1);
  });
});

describe('a commit whose actor is already due', () => {
  it('wakes it at once, after its creation too', async () => {
    const { world, id } = await openToy();
    await world.playOut(id, { wakeAt: world.clock.in(0) });
    expect(toyContextOf(await world.stored(id))).toMatchObject({ woken: 1, wakeAt: null });
    expect(await wokenOf(world, [await world.makeToy({ wakeAt: world.clock.in(-5) })])).toEqual([1]);
  });

  it('leaves it to the workers if the process is not one', async () => {
    const world = sleepy();
    const id = await world.makeToy({ wakeAt: world.clock.in(-5) });
    await quiet(world);
    expect(await wokenOf(world, [id])).toEqual([0]);
  });

  it('leaves it to the next tick if waking fails', async () => {
    let isDown = true;
    const world = new World({
      dueEvents: async (docs) => {
        if (isDown) throw new StoreUnavailable('no answer');
        return docs.map(() => CYCLE_DUE);
      },
    });
    const id = await world.makeToy({ wakeAt: world.clock.in(-5) });
    expect(toyContextOf(await world.stored(id))).toMatchObject({ woken: 0 });
    isDown = false;
    expect(await world.engine.dispatchDue('subscription')).toBe(1);
    expect(toyContextOf(await world.stored(id))).toMatchObject({ woken: 1 });
  });
});

describe('a machine that is due', () => {
  it.each([
    ['refuses its waking', 'refuses'],
    ['is not changed by it', 'ignores'],
    ['is due for the same moment afterwards', 'stays'],
  ] as const)('and %s is quarantined, and not found for ever', async (_, whenWoken) => {
    const world = sleepy();
    const [bad = ''] = await waiting(world, 1, { whenWoken });
    const [good = ''] = await waiting(world, 1);
    world.clock.advance(5_000);
    await world.engine.dispatchDue('subscription');
    expect((await world.stored(bad)).quarantine?.reason).toContain('takes no event');
    expect((await world.stored(good)).quarantine).toBeNull();
    expect(await wokenOf(world, [good])).toEqual([1]);
  });

  it('is not quarantined for a later event in the same burst', async () => {
    const { world, id } = await openToy();
    const asSeen = { ...(await world.stored(id)), wakeAt: world.clock.now() };
    const reported: Promise<Dispatched>[] = [];
    // The scan saw it due. A second read shows that it is not, and the event behind the wake makes it due.
    const store = withActors(world.store, (actors) => ({
      due: async () => (reported.length === 0 ? [asSeen] : []),
      load: async (kind, ids) => {
        if (reported.length === 0) reported.push(other.engine.dispatch(play(id, { wakeAt: world.clock.in(0) })));
        return actors.load(kind, ids);
      },
    }));
    const other = sleepy({ store, clock: world.clock });
    await other.engine.dispatchDue('subscription');
    expect(await Promise.all(reported)).toMatchObject([{ kind: 'taken', changed: true }]);
    expect(await world.stored(id)).toMatchObject({ wakeAt: world.clock.now(), quarantine: null });
  });

  it('is not quarantined if another process was first', async () => {
    const world = sleepy();
    const [id = ''] = await waiting(world, 1);
    world.clock.advance(5_000);
    const seen = await world.stored(id);
    const store = withActors(world.store, () => ({ due: async () => seenOnce.splice(0) }));
    const seenOnce = [seen];
    await world.engine.dispatchDue('subscription');
    await sleepy({ store, clock: world.clock }).engine.dispatchDue('subscription');
    expect(await world.stored(id)).toMatchObject({ rev: 2, quarantine: null });
  });

  it.each([
    ['is refused', 'refuses'],
    ['changes nothing', 'ignores'],
  ] as const)(
    'is not quarantined if it has moved on since the scan and is due again, and the expected event %s',
    async (_, whenWoken) => {
      const world = sleepy();
      const [id = ''] = await waiting(world, 1, { whenWoken });
      world.clock.advance(5_000);
      const seenOnce = [await world.stored(id)];
      const store = withActors(world.store, () => ({ due: async () => seenOnce.splice(0) }));
      const stalled = sleepy({ store, clock: world.clock });
      await world.engine.dispatch(play(id, { wakeAt: world.clock.in(60_000) }));
      world.clock.advance(90_000);
      await stalled.engine.dispatchDue('subscription');
      expect(await world.stored(id)).toMatchObject({ rev: 2, quarantine: null });
    },
  );
});

describe('unsound documents', () => {
  it('keep no other from being woken in time, and the scan from nothing', async () => {
    const world = sleepy();
    const ids = await waiting(world, 1_000);
    const bad = ids.filter((_, index) => index % 100 === 7);
    for (const [index, id] of bad.entries()) {
      const wrong = [
        { context: { id } },
        { value: 'melted' },
        { value: null },
        { context: { wakeAt: 7, clockOffsetMs: 'x' } },
      ];
      await world.corrupt(id, wrong[index % wrong.length] ?? {});
    }
    world.clock.advance(2_000_000);
    expect(await world.engine.dispatchDue('subscription')).toBe(1_000);
    const good = ids.filter((id) => !bad.includes(id));
    expect(await wokenOf(world, good)).toEqual(good.map(() => 1));
    for (const id of bad) expect((await world.stored(id)).quarantine?.reason).toContain('cannot be restored');
    expect(await world.engine.dispatchDue('subscription')).toBe(0);
  });

  it('are not shown to the domain', async () => {
    const shown: string[] = [];
    const world = sleepy({
      dueEvents: async (docs) => {
        shown.push(...docs.map(({ _id }) => _id));
        return docs.map(() => CYCLE_DUE);
      },
    });
    const [good = '', bad = ''] = await waiting(world, 2);
    await world.corrupt(bad, { context: {} });
    world.clock.advance(5_000);
    await world.engine.dispatchDue('subscription');
    expect(shown).toEqual([good]);
  });

  it('for the domain alone keep no other from being woken, and are checked again at the next tick', async () => {
    let strange = '';
    const world = sleepy({
      dueEvents: async (docs) => {
        if (docs.some(({ _id }) => _id === strange)) throw new Error('attributes of no known shape');
        return docs.map(() => CYCLE_DUE);
      },
    });
    const ids = await waiting(world, 300);
    strange = ids[3] ?? '';
    world.clock.advance(600_000);
    await expect(world.engine.dispatchDue('subscription')).rejects.toThrow('attributes of no known shape');
    expect(await wokenOf(world, ids)).toEqual(ids.map((id) => (id === strange ? 0 : 1)));
    expect((await world.stored(strange)).quarantine).toBeNull();
    strange = '';
    expect(await world.engine.dispatchDue('subscription')).toBe(1);
  });

  it('are quarantined with the reason of the domain, and delay nobody', async () => {
    let runaway = '';
    const world = sleepy({
      dueEvents: async (docs) =>
        docs.map(({ _id }) => (_id === runaway ? { objection: 'it has run away' } : CYCLE_DUE)),
    });
    const ids = await waiting(world, 3);
    runaway = ids[1] ?? '';
    world.clock.advance(10_000);
    await world.engine.dispatchDue('subscription');
    expect(await wokenOf(world, ids)).toEqual([1, 0, 1]);
    expect((await world.stored(runaway)).quarantine?.reason).toBe('it has run away');
  });

  it('end the run if everything fails, because then the cause is elsewhere', async () => {
    const world = sleepy({
      dueEvents: async () => {
        throw new StoreUnavailable('no answer');
      },
    });
    const ids = await waiting(world, 3);
    world.clock.advance(10_000);
    await expect(world.engine.dispatchDue('subscription')).rejects.toThrow(StoreUnavailable);
    for (const id of ids) expect((await world.stored(id)).quarantine).toBeNull();
  });
});
