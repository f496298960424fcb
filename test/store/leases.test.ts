import { storeLeases } from '../../src/store/leases.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import { withRecords } from '../engine/support/stores.ts';

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
  const [one, other] = ['one', 'other'].map((holder) => storeLeases({ records, holder, leaseMs: LEASE_MS, clock }));
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
