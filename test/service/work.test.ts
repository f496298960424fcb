import { AT_ONCE } from '../../src/engine/waker.ts';
import { wakeAll } from '../../src/service/work.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import { withActors } from '../engine/support/stores.ts';
import { toyContextOf } from '../engine/support/toy.ts';
import { creation, openWorld, quiet, stored, toyId } from '../engine/support/world.ts';

/** A process that finds this many due actors. `scans`: how often it has asked for due ones. */
async function due(count: number) {
  let scanned = 0;
  const store = withActors(openMemoryStore(), (actors) => ({
    due: (...args) => {
      scanned += 1;
      return actors.due(...args);
    },
  }));
  const world = openWorld({ store, wakes: false });
  const ids = Array.from({ length: count }, () => toyId());
  await world.engine.create(
    'subscription',
    ids.map((id) => creation(id, { wakeAt: world.clock.in(1_000) })),
  );
  await quiet(world);
  world.clock.advance(2_000);
  const scans = () => scanned;
  const woken = () => Promise.all(ids.map(async (id) => toyContextOf(await stored(world, id)).woken));
  return { world, ids, scans, woken };
}

describe('waking all due actors of a kind', () => {
  it('takes one scan if there are none', async () => {
    const { world, scans } = await due(0);
    await wakeAll(world.engine, 'subscription', AT_ONCE);
    expect(scans()).toBe(1);
  });

  it('takes one scan for a few, and one that finds no more', async () => {
    const { world, ids, scans, woken } = await due(20);
    await wakeAll(world.engine, 'subscription', AT_ONCE);
    expect(scans()).toBe(2);
    expect(await woken()).toEqual(ids.map(() => 1));
  });

  it('wakes each of a crowd once, in quarters side by side', async () => {
    const { world, ids, woken } = await due(600);
    let [underWay, most] = [0, 0];
    await wakeAll(world.engine, 'subscription', async (docs, wake) => {
      underWay += 1;
      most = Math.max(most, underWay);
      await AT_ONCE(docs, wake);
      underWay -= 1;
      return true;
    });
    expect(await woken()).toEqual(ids.map(() => 1));
    expect(most).toBeGreaterThan(1);
  });

  it('leaves a crowd for later if it may not pass', async () => {
    const { world, ids, woken } = await due(600);
    await wakeAll(world.engine, 'subscription', async () => false);
    expect(await woken()).toEqual(ids.map(() => 0));
  });

  it('fails with the failure of a quarter, after the others have ended', async () => {
    const { world, ids, woken } = await due(600);
    let count = 0;
    const failing = wakeAll(world.engine, 'subscription', async (docs, wake) => {
      count += 1;
      if (count === 1) throw new Error('the first quarter fails');
      return AT_ONCE(docs, wake);
    });
    await expect(failing).rejects.toThrow('the first quarter fails');
    const total = (await woken()).reduce((sum, each) => sum + each, 0);
    expect(total).toBeGreaterThan(300);
    expect(total).toBeLessThan(ids.length);
  });
});
