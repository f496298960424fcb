import { silentLog } from '../../scripts/lib/silent-log.ts';
import { sweepUpcasts } from '../../src/engine/upcast-sweep.ts';
import { KNOWS_1, KNOWS_1_2, KNOWS_1_2_3, knowing1And2By, openReleases } from './support/released-toys.ts';
import { play, quiet, type World } from './support/world.ts';

const DAY_MS = 86_400_000;

async function toys(world: World, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made += 1) ids.push(await world.makeToy({ count: made }));
  return ids;
}

function tick({ engine, store, clock, machines }: World, limit?: number) {
  return sweepUpcasts({ engine, store, machines, clock: clock.now, log: silentLog }, limit);
}

/** The progress of the sweep: at its end if `after` is null; null: it has never started. */
async function swept({ store }: World): Promise<unknown> {
  const [setting] = await store.records.get('settings', ['upcasts:subscription']);
  return setting === undefined ? null : JSON.parse(setting.value);
}

async function versions(world: World, ids: readonly string[]): Promise<number[]> {
  const docs = await Promise.all(ids.map((id) => world.stored(id)));
  return docs.map(({ machineVersion }) => machineVersion);
}

describe('documents that rest in an older version', () => {
  it('are brought to the written one in parts, one at each tick, each with a journal row and no other change', async () => {
    const { of } = openReleases();
    const [old, next] = [of(KNOWS_1), of(KNOWS_1_2_3)];
    const ids = await toys(old, 5);
    const before = await Promise.all(ids.map((id) => old.stored(id)));
    for (const done of [2, 4, 5]) {
      await tick(next, 2);
      expect((await versions(next, ids)).filter((version) => version === 3)).toHaveLength(done);
    }
    await quiet(next);
    for (const [index, id] of ids.entries()) {
      const { updatedAt, rev } = await next.stored(id);
      expect([updatedAt, rev]).toEqual([before[index]?.updatedAt, 2]);
      expect(await next.replayed(id)).toMatchObject({ rev: 2, version: 3 });
    }
    expect(await swept(next)).toMatchObject({ version: 3, after: null, left: 0 });
  });

  it('are searched for again a day after the end, because older code may have written meanwhile', async () => {
    const { of, clock } = openReleases();
    const [old, next] = [of(KNOWS_1), of(KNOWS_1_2)];
    await tick(next);
    const late = await toys(old, 1);
    await tick(next);
    expect(await versions(next, late)).toEqual([1]);
    clock.advance(DAY_MS);
    await tick(next);
    expect(await versions(next, late)).toEqual([2]);
  });

  it('are searched for again if the clock was set back from the end of the last sweep', async () => {
    const { of, clock } = openReleases();
    const [old, next] = [of(KNOWS_1), of(KNOWS_1_2)];
    clock.advance(365 * DAY_MS);
    await tick(next);
    clock.advance(-365 * DAY_MS);
    const late = await toys(old, 1);
    await tick(next);
    expect(await versions(next, late)).toEqual([2]);
  });

  it('stay while their version is the written one, and move on after that', async () => {
    const { of } = openReleases();
    const [old, cautious] = [of(KNOWS_1), of(KNOWS_1_2, { writes: { subscription: 1 } })];
    const ids = await toys(old, 2);
    await tick(cautious);
    expect(await versions(cautious, ids)).toEqual([1, 1]);
    expect(await swept(cautious)).toBeNull();
    const next = of(KNOWS_1_2);
    await tick(next);
    expect(await versions(next, ids)).toEqual([2, 2]);
    await tick(of(KNOWS_1_2_3));
    expect(await versions(next, ids)).toEqual([3, 3]);
  });

  it('are quarantined if their snapshot cannot be upcast, and do not block others', async () => {
    const { of } = openReleases();
    const old = of(KNOWS_1);
    const ids = await toys(old, 3);
    const spoils = knowing1And2By(({ value, context }) => {
      return context['count'] === 1
        ? { value, context: {} }
        : { value: 'playing', context: { ...context, label: 'x' } };
    });
    const next = of(spoils);
    await tick(next);
    expect(await versions(next, ids)).toEqual([2, 1, 2]);
    expect((await next.stored(ids[1] ?? '')).quarantine).not.toBeNull();
    expect(await swept(next)).toMatchObject({ version: 2, after: null, left: 1 });
  });

  it('accept events meanwhile, and are upcast once', async () => {
    const { of } = openReleases();
    const [old, next] = [of(KNOWS_1), of(KNOWS_1_2)];
    const [id = ''] = await toys(old, 1);
    await Promise.all([tick(next), next.engine.dispatch(play(id, { add: 1 }))]);
    await quiet(next);
    expect(await next.stored(id)).toMatchObject({ machineVersion: 2, rev: 3 });
    expect(await next.replayed(id)).toMatchObject({ rev: 3, version: 2 });
  });
});
