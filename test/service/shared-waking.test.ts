import type { Engine } from '../../src/engine/engine.ts';
import { SCAN_MAX } from '../../src/engine/scanner.ts';
import { AT_ONCE, type Passage } from '../../src/engine/waker.ts';
import { crowdLeases, sharedWaking } from '../../src/service/shared-waking.ts';
import { type ActorDoc, EVERY_PARTITION } from '../../src/store/documents.ts';
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
  const process = (name: string) =>
    sharedWaking({ engine: world.engine, leases: crowdLeases(store.records, name, world.clock.now) });
  const wakeAll = process('this');
  const woken = () => Promise.all(ids.map(async (id) => toyContextOf(await stored(world, id)).woken));
  return { world, ids, scans, wakeAll, process, woken };
}

describe('waking all due actors of a kind', () => {
  it('takes one scan if there are none', async () => {
    const { wakeAll, scans } = await due(0);
    await wakeAll('subscription', AT_ONCE);
    expect(scans()).toBe(1);
  });

  it('takes one scan for a few, and one that finds no more', async () => {
    const { wakeAll, ids, scans, woken } = await due(20);
    await wakeAll('subscription', AT_ONCE);
    expect(scans()).toBe(2);
    expect(await woken()).toEqual(ids.map(() => 1));
  });

  it('wakes each of a crowd once, in parts side by side', async () => {
    const { wakeAll, ids, woken } = await due(600);
    let [underWay, most] = [0, 0];
    await wakeAll('subscription', async (docs, wake) => {
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
    const { wakeAll, ids, woken } = await due(600);
    await wakeAll('subscription', async () => false);
    expect(await woken()).toEqual(ids.map(() => 0));
  });

  it('fails with the failure of a part, after the others have ended', async () => {
    const { wakeAll, ids, woken } = await due(600);
    let count = 0;
    const failing = wakeAll('subscription', async (docs, wake) => {
      count += 1;
      if (count === 1) throw new Error('the first part fails');
      return AT_ONCE(docs, wake);
    });
    await expect(failing).rejects.toThrow('the first part fails');
    const total = (await woken()).reduce((sum, each) => sum + each, 0);
    expect(total).toBeGreaterThan(300);
    expect(total).toBeLessThan(ids.length);
  });

  it('wakes all other parts of a crowd if more of them fail than it wakes side by side', async () => {
    const searched = new Set<number>();
    const wakeDue: Engine['wakeDue'] = async (kind, partitions, passage) => {
      if (partitions.length === EVERY_PARTITION.length) return crowded.wakeDue(kind, partitions, passage);
      const part = Math.min(...partitions);
      searched.add(part);
      if (part < 8) throw new Error(`part ${part} fails`);
      return 0;
    };
    const leases = { take: async () => true, release: async () => undefined };
    const waking = sharedWaking({ engine: { wakeDue }, leases })('subscription', AT_ONCE);
    await expect(waking).rejects.toThrow('part 0 fails');
    expect(searched.size).toBe(16);
  });

  it('shares a crowd with another process', async () => {
    const { process, ids, woken } = await due(1_200);
    const by = { one: 0, other: 0 };
    const counting =
      (name: keyof typeof by): Passage =>
      async (docs, wake) => {
        by[name] += docs.length;
        return AT_ONCE(docs, wake);
      };
    await Promise.all([
      process('one')('subscription', counting('one')),
      process('other')('subscription', counting('other')),
    ]);
    expect(await woken()).toEqual(ids.map(() => 1));
    expect(by.one + by.other).toBe(ids.length);
    expect(Math.min(by.one, by.other)).toBeGreaterThan(ids.length / 4);
  });

  it('leaves the crowd to the run that this process has under way', async () => {
    const { wakeAll, ids, scans, woken } = await due(600);
    let seen = 0;
    await wakeAll('subscription', async (docs, wake) => {
      const before = scans();
      await wakeAll('subscription', AT_ONCE);
      expect(scans()).toBe(before);
      seen += 1;
      return AT_ONCE(docs, wake);
    });
    expect(seen).toBeGreaterThan(0);
    expect(await woken()).toEqual(ids.map(() => 1));
  });

  it('stops at a part whose lease it has lost', async () => {
    const taken: string[] = [];
    const wakeAll = sharedWaking({
      engine: crowded,
      leases: {
        take: async (lease) => {
          taken.push(lease);
          return taken.filter((each) => each === lease).length <= 2;
        },
        release: async () => undefined,
      },
    });
    let batches = 0;
    await wakeAll('subscription', async (docs, wake) => {
      batches += 1;
      return AT_ONCE(docs, wake);
    });
    expect(batches).toBe(new Set(taken).size);
  });

  it('does not search a part whose lease another process has', async () => {
    let searches = 0;
    const wakeDue: Engine['wakeDue'] = async (...args) => {
      searches += 1;
      return crowded.wakeDue(...args);
    };
    const leases = { take: async () => false, release: async () => undefined };
    await sharedWaking({ engine: { wakeDue }, leases })('subscription', AT_ONCE);
    expect(searches).toBe(1);
  });
});

/** Every search finds a full batch, three times in each part. */
const crowded: Pick<Engine, 'wakeDue'> = {
  wakeDue: async (_kind, _partitions, passage = AT_ONCE) => {
    const batch = Array.from<ActorDoc>({ length: SCAN_MAX });
    for (let woken = 0; woken < 3 * SCAN_MAX; woken += SCAN_MAX) {
      if (!(await passage(batch, async () => undefined))) return woken;
    }
    return 3 * SCAN_MAX;
  },
};
