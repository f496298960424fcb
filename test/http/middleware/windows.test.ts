import { describe, expect, it } from '@jest/globals';
import { dayOf, minuteOf, WindowCounters } from '../../../src/http/middleware/windows.ts';

describe('windows', () => {
  it.each([
    ['2030-01-15T10:00:00.000Z', '2030-01-15T10:01:00.000Z', '2030-01-16T00:00:00.000Z'],
    ['2030-01-15T10:00:59.999Z', '2030-01-15T10:01:00.000Z', '2030-01-16T00:00:00.000Z'],
    ['2030-12-31T23:59:59.999Z', '2031-01-01T00:00:00.000Z', '2031-01-01T00:00:00.000Z'],
    ['2028-02-29T00:00:00.000Z', '2028-02-29T00:01:00.000Z', '2028-03-01T00:00:00.000Z'],
  ])('that %s is in end at %s and %s', (now, minuteEnd, dayEnd) => {
    expect(minuteOf(new Date(now)).resetAt.toISOString()).toBe(minuteEnd);
    expect(dayOf(new Date(now)).resetAt.toISOString()).toBe(dayEnd);
  });

  it('have another name as soon as they have another end, and none in common', () => {
    const names = ['2030-01-15T10:00:59.999Z', '2030-01-15T10:01:00.000Z', '2030-01-16T10:01:00.000Z'].flatMap(
      (now) => [minuteOf(new Date(now)).name, dayOf(new Date(now)).name],
    );
    expect(new Set(names).size).toBe(5);
  });
});

describe('WindowCounters', () => {
  it('shares additions among those who wait on one window, each taking its own place', async () => {
    const added: [string, number][] = [];
    let stored = 100;
    const add = async (key: string, n: number) => {
      added.push([key, n]);
      await new Promise((resolve) => setImmediate(resolve));
      stored += n;
      return stored;
    };
    const counters = new WindowCounters({ add });
    const minute = minuteOf(new Date('2030-01-15T10:00:00Z'));
    const places = await Promise.all(Array.from({ length: 80 }, () => counters.raise('merchant', minute)));
    expect(places).toEqual(Array.from({ length: 80 }, (_, index) => 101 + index));
    expect(added).toEqual([
      [`merchant/${minute.name}`, 1],
      [`merchant/${minute.name}`, 79],
    ]);
  });
});
