import { storeLeases } from '../../src/chains/leases.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';

const LEASE_MS = 10_000;
const START = Date.parse('2027-01-01T00:00:00.000Z');

/** Two processes on one store, on one clock. */
function two() {
  let now = START;
  const clock = () => new Date(now);
  const { records } = openMemoryStore({ now: clock });
  const [one, other] = ['one', 'other'].map((holder) => storeLeases({ records, holder, leaseMs: LEASE_MS, clock }));
  if (!one || !other) throw new Error('no leases');
  const pass = (ms: number): void => {
    now += ms;
  };
  return { one, other, pass };
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
});
