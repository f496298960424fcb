import { dayOf, minuteOf, WindowCounters } from '../../src/store/windows.ts';

describe('windows', () => {
  it.each([
    ['2030-01-15T10:00:00.000Z', '2030-01-15T10:01:00.000Z', '2030-01-16T00:00:00.000Z'],
    ['2030-01-15T10:00:59.999Z', '2030-01-15T10:01:00.000Z', '2030-01-16T00:00:00.000Z'],
    ['2030-12-31T23:59:59.999Z', '2031-01-01T00:00:00.000Z', '2031-01-01T00:00:00.000Z'],
    ['2028-02-29T00:00:00.000Z', '2028-02-29T00:01:00.000Z', '2028-03-01T00:00:00.000Z'],
  ])('that contain %s end at %s and %s', (now, minuteEnd, dayEnd) => {
    expect(minuteOf(new Date(now)).resetAt.toISOString()).toBe(minuteEnd);
    expect(dayOf(new Date(now)).resetAt.toISOString()).toBe(dayEnd);
  });

  it('have another name for another end', () => {
    const names = ['2030-01-15T10:00:59.999Z', '2030-01-15T10:01:00.000Z', '2030-01-16T10:01:00.000Z'].flatMap(
      (now) => [minuteOf(new Date(now)).name, dayOf(new Date(now)).name],
    );
    expect(new Set(names).size).toBe(5);
  });
});

/** A store that counts all keys together, and records its calls. */
function scriptedCounters(stored: number) {
  const added: [key: string, n: number, part: number | null][] = [];
  const count = { whole: stored, part: stored / 10 };
  const take = async (key: string, n: number, part: number | null) => {
    added.push([key, n, part]);
    await new Promise((resolve) => setImmediate(resolve));
    count.whole += n;
    count.part += n;
    return { ...count };
  };
  return {
    added,
    add: async (key: string, n: number) => (await take(key, n, null)).whole,
    addPart: (key: string, n: number, part: number) => take(key, n, part),
  };
}

describe('WindowCounters', () => {
  const now = new Date('2030-01-15T10:00:00Z');
  const minute = minuteOf(now);
  const day = dayOf(now);

  it('shares additions among waiting calls of one window, and gives each its own place', async () => {
    const store = scriptedCounters(100);
    const counters = new WindowCounters(store);
    const places = await Promise.all(Array.from({ length: 80 }, () => counters.raise('merchant', minute)));
    expect(places).toEqual(Array.from({ length: 80 }, (_, index) => 101 + index));
    expect(store.added).toEqual([[`merchant/${minute.name}`, 80, null]]);
  });

  it('counts day and minute in one addition, and gives a place in each', async () => {
    const store = scriptedCounters(100);
    const counters = new WindowCounters(store);
    const places = await Promise.all(Array.from({ length: 80 }, () => counters.raiseDaily('merchant', now)));
    expect(places).toEqual(Array.from({ length: 80 }, (_, index) => ({ ofDay: 101 + index, ofMinute: 11 + index })));
    expect(store.added).toEqual([[`merchant/${day.name}`, 80, minute.number]]);
  });

  it('does not count those of two minutes together', async () => {
    const store = scriptedCounters(0);
    const counters = new WindowCounters(store);
    const next = new Date(now.getTime() + 60_000);
    await Promise.all([now, next, now, next].map((at) => counters.raiseDaily('merchant', at)));
    const minutes = [minute.number, minuteOf(next).number];
    expect(store.added.map(([, n, part]) => [n, part])).toEqual(minutes.map((part) => [2, part]));
  });
});
