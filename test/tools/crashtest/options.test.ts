import { UsageError } from '../../../scripts/lib/script.ts';
import { readCrashOptions } from '../../../tools/crashtest/options.ts';
import { Random } from '../../../tools/crashtest/random.ts';

const nothing = { full: false, strikes: null, burst: null, soak: null, elections: null, json: false };

describe('npm run prove -- crash', () => {
  it('tries every fault point by default', () => {
    expect(readCrashOptions([])).toEqual({ ...nothing, json: false });
    expect(readCrashOptions(['--full', '--json'])).toEqual({ ...nothing, full: true, json: true });
  });

  it('strikes the given number of times, from its own seed unless one is given', () => {
    expect(readCrashOptions(['--kills', '200', '--seed', '7']).strikes).toEqual({ count: 200, seed: 7 });
    expect(readCrashOptions(['--kills', '1']).strikes).toEqual({ count: 1, seed: expect.any(Number) });
  });

  it('lets the given number fall due together, or a thousand', () => {
    expect(readCrashOptions(['burst'])).toMatchObject({ burst: { count: 1_000, overMs: 0 }, strikes: null });
    const spread = ['burst', '--subscriptions', '60', '--over', '20'];
    expect(readCrashOptions(spread)).toMatchObject({ burst: { count: 60, overMs: 20_000 } });
  });

  it('samples for the given time, or twenty minutes', () => {
    expect(readCrashOptions(['soak'])).toMatchObject({ soak: { minutes: 20 }, burst: null, strikes: null });
    expect(readCrashOptions(['soak', '--minutes', '3']).soak).toEqual({ minutes: 3 });
  });

  it('holds the given number of elections, or thirty', () => {
    expect(readCrashOptions(['elections'])).toEqual({ ...nothing, elections: { count: 30 } });
    expect(readCrashOptions(['elections', '--count', '8']).elections).toEqual({ count: 8 });
  });

  it.each([
    [['--kills', '0']],
    [['--kills', '-1']],
    [['--kills', '1.5']],
    [['--kills', 'many']],
    [['--kills', '5', '--seed', '0x1']],
    [['--kills', '5', '--full']],
    [['--seed', '5']],
    [['blast']],
    [['burst', 'burst']],
    [['burst', '--full']],
    [['burst', '--kills', '5']],
    [['burst', '--subscriptions', '0']],
    [['--subscriptions', '60']],
    [['--over', '20']],
    [['--minutes', '5']],
    [['soak', '--full']],
    [['soak', '--minutes', '0']],
    [['soak', '--over', '20']],
    [['elections', '--count', '0']],
    [['elections', '--minutes', '1']],
    [['--count', '5']],
    [['--nothing']],
  ])('refuses %j', (argv) => {
    expect(() => readCrashOptions(argv)).toThrow(UsageError);
  });
});

describe('choices from a seed', () => {
  it('are the same for the same seed and others for another', () => {
    const drawn = (seed: number) => {
      const random = new Random(seed);
      return Array.from({ length: 20 }, () => random.integer(0, 1_000_000));
    };
    expect(drawn(1)).toEqual(drawn(1));
    expect(drawn(1)).not.toEqual(drawn(2));
  });

  it('come evenly from the whole range, both ends included', () => {
    const random = new Random(3);
    const counts = new Map<number, number>();
    for (let draws = 0; draws < 10_000; draws += 1) {
      const drawn = random.integer(5, 14);
      counts.set(drawn, (counts.get(drawn) ?? 0) + 1);
    }
    expect([...counts.keys()].sort((one, other) => one - other)).toEqual([5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
    for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(150);
  });

  it('need at least one item', () => {
    expect(() => new Random(1).pick([])).toThrow(RangeError);
  });
});
