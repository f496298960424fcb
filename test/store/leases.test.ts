import { openMemoryStore } from '../../src/store/memory/store.ts';
import { DEAD_MS, type Leases, storeLeases, Workers } from '../../src/store/workers.ts';
import { EVERYBODY } from '../chains/support/faults.ts';
import { withRecords } from '../engine/support/stores.ts';
import { deferred } from '../engine/support/world.ts';

const LEASE_MS = 10_000;
const START = Date.parse('2027-01-01T00:00:00.000Z');

/** Two processes on one store, on one clock. `calls`: what they ask of it. */
function two() {
  let now = START;
  const clock = () => new Date(now);
  const calls: string[] = [];
  const { records } = withRecords(openMemoryStore({ now: clock }), (real) => ({
    get: (...args) => {
      calls.push('get');
      return real.get(...args);
    },
    insert: (...args) => {
      calls.push('insert');
      return real.insert(...args);
    },
    change: (...args) => {
      calls.push('change');
      return real.change(...args);
    },
  }));
  const [one, other] = ['one', 'other'].map((holder) => {
    return storeLeases({ records, workers: new Workers({ records, holder }), leaseMs: LEASE_MS, clock });
  });
  if (!one || !other) throw new Error('no leases');
  const pass = (ms: number): void => {
    now += ms;
  };
  return { one, other, pass, calls };
}

describe('a lease', () => {
  it('belongs to one process at a time, until it runs out', async () => {
    const { one, other, pass } = two();
    expect(await one.take('lane')).toBe(true);
    expect(await other.take('lane')).toBe(false);
    pass(LEASE_MS + 1);
    expect(await other.take('lane')).toBe(true);
    expect(await one.take('lane')).toBe(false);
  });

  it('that is given back is free at once', async () => {
    const { one, other } = two();
    await one.take('lane');
    await one.release('lane');
    expect(await other.take('lane')).toBe(true);
  });

  it('is free if it was taken before the clock was set back', async () => {
    const { one, other, pass } = two();
    await one.take('lane');
    pass(-3_600_000);
    expect(await other.take('lane')).toBe(true);
  });

  it('is not taken from a process whose clock is slightly ahead', async () => {
    const { one, other, pass } = two();
    await one.take('lane');
    pass(-LEASE_MS / 2);
    expect(await other.take('lane')).toBe(false);
  });

  it('is prolonged by one write, and only when a third of its life is over', async () => {
    const { one, pass, calls } = two();
    await one.take('lane');
    calls.length = 0;
    expect(await one.take('lane')).toBe(true);
    expect(calls).toEqual([]);
    pass(LEASE_MS / 2);
    expect(await one.take('lane')).toBe(true);
    expect(calls).toEqual(['change']);
  });

  it('is only read by a process that waits for it', async () => {
    const { one, other, calls } = two();
    await one.take('lane');
    calls.length = 0;
    expect(await other.take('lane')).toBe(false);
    expect(calls).toEqual(['get']);
  });

  it('goes to one of two processes that take it at the same moment', async () => {
    const { one, other, pass } = two();
    expect(await Promise.all([one.take('lane'), other.take('lane')])).toEqual([true, false]);
    pass(LEASE_MS + 1);
    const again = await Promise.all([other.take('lane'), one.take('lane')]);
    expect(again.filter((isTaken) => isTaken)).toHaveLength(1);
  });
});

/** `count` running workers on one store, and the names of leases that all can take. */
async function running(count: number, names: readonly string[]) {
  let now = START;
  const clock = () => new Date(now);
  const { records, roundTrips: calls } = openMemoryStore({ now: clock });
  const made = Array.from({ length: count }, (_, index) => {
    const workers = new Workers({ records, holder: `worker ${index}`, elapsed: () => now });
    return { workers, leases: storeLeases({ records, workers, leaseMs: DEAD_MS, clock }) };
  });
  let living = made;
  const second = async (): Promise<void> => {
    now += 1_000;
    for (const { workers, leases } of living) {
      await workers.beat();
      for (const name of names) await leases.take(name);
    }
  };
  /** How many leases each of the living has; a lease counts for one, and fails the test if it has two holders. */
  const shares = async (): Promise<number[]> => {
    const taken = await Promise.all(living.map(({ leases }) => Promise.all(names.map((name) => leases.take(name)))));
    for (const [index] of names.entries()) expect(taken.filter((mine) => mine[index]).length).toBeLessThanOrEqual(1);
    return taken.map((mine) => mine.filter((isTaken) => isTaken).length);
  };
  return {
    records,
    calls,
    second,
    shares,
    only: (wanted: (workers: Workers, index: number) => boolean) => {
      living = made.filter(({ workers }, index) => wanted(workers, index));
    },
    leasesOf: (index: number): Leases => made[index]?.leases ?? EVERYBODY,
    workers: made.map(({ workers }) => workers),
  };
}

describe('the leases of many workers', () => {
  const NAMES = Array.from({ length: 20 }, (_, index) => `due:subscription:${index}`);
  const seconds = async ({ second }: { second: () => Promise<void> }, count: number): Promise<void> => {
    for (let passed = 0; passed < count; passed += 1) await second();
  };

  it.each([
    { count: 1, each: [20] },
    { count: 3, each: [7, 7, 6] },
    { count: 10, each: Array.from({ length: 10 }, () => 2) },
  ])('are shared evenly by $count', async ({ count, each }) => {
    const all = await running(count, NAMES);
    await seconds(all, 4);
    expect(await all.shares()).toEqual(each);
    expect(all.workers.map((workers) => workers.count)).toEqual(each.map(() => count));
  });

  it('go to the others within five seconds when a worker dies, and are divided again when one starts', async () => {
    const all = await running(3, NAMES);
    await seconds(all, 4);
    all.only((_, index) => index !== 1);
    await seconds(all, 5);
    expect(await all.shares()).toEqual([10, 10]);
    all.only(() => true);
    await seconds(all, 4);
    expect(await all.shares()).toEqual([7, 7, 6]);
  });

  it('go at once when a worker stops, and the signs of the dead are removed', async () => {
    const all = await running(3, NAMES);
    await seconds(all, 4);
    await all.workers[1]?.start(async () => undefined);
    await all.workers[1]?.stop();
    expect(await all.leasesOf(1).take(NAMES[0] ?? '')).toBe(false);
    all.only((_, index) => index === 0);
    await seconds(all, 5);
    expect(await all.shares()).toEqual([20]);
    const [doc] = await all.records.get('lanes', ['workers']);
    expect(Object.keys(doc?.workers ?? {})).toEqual(['worker 0']);
  });

  it('are for those who can do the work, however many others there are', async () => {
    const all = await running(4, NAMES);
    await seconds(all, 4);
    const only = all.workers[2];
    expect(only?.isMine('31337:0xkey')).toBe(true);
    await seconds(all, 2);
    expect(only?.isMine('31337:0xkey')).toBe(true);
  });

  it('cost a worker nothing that are for another one', async () => {
    const all = await running(2, NAMES);
    await seconds(all, 4);
    const mine = NAMES.filter((name) => all.workers[0]?.isMine(name));
    const before = all.calls();
    for (const name of NAMES) expect(await all.leasesOf(0).take(name)).toBe(mine.includes(name));
    expect(all.calls()).toBe(before);
  });

  it('are announced with a call, which lasts for seconds', async () => {
    const all = await running(2, NAMES);
    await seconds(all, 2);
    const [one, other] = all.workers;
    const done = deferred<void>();
    const run = one?.calling('subscription', () => done.promise);
    await seconds(all, 5);
    expect(one?.isCalled('subscription')).toBe(true);
    expect([await other?.beat(), await one?.beat()]).toEqual([new Set(['subscription']), new Set()]);
    expect([other?.isCalled('subscription'), other?.isCalled('payment')]).toEqual([true, false]);
    done.resolve();
    await run;
    await seconds(all, 5);
    expect([one, other].map((each) => each?.isCalled('subscription'))).toEqual([false, false]);
  });
});
