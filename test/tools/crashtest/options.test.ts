import { UsageError } from '../../../scripts/lib/script.ts';
import { readCrashOptions } from '../../../tools/crashtest/options.ts';
import { Random } from '../../../tools/crashtest/random.ts';

describe('npm run prove -- crash', () => {
  it.each([
    ['', { kind: 'points', full: false }],
    ['--full', { kind: 'points', full: true }],
    ['--kills 200 --seed 7', { kind: 'strikes', count: 200, seed: 7 }],
    ['--kills 1', { kind: 'strikes', count: 1, seed: expect.any(Number) }],
    ['elections', { kind: 'elections', count: 30 }],
    ['elections --count 8', { kind: 'elections', count: 8 }],
  ])('takes "%s"', (line, run) => {
    expect(readCrashOptions(line.split(' ').filter((word) => word !== ''))).toEqual(run);
  });

  it.each([
    '--kills 0',
    '--kills -1',
    '--kills 1.5',
    '--kills many',
    '--kills 5 --seed 0x1',
    '--kills 5 --full',
    '--seed 5',
    'blast',
    '--minutes 5',
    'elections elections',
    'elections --kills 5',
    'elections --count 0',
    'elections --minutes 1',
    '--count 5',
    '--nothing',
  ])('refuses "%s"', (line) => {
    expect(() => readCrashOptions(line.split(' '))).toThrow(UsageError);
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
