import { PARTS_KEPT, type Store } from '../../../src/store/port.ts';
import { unique } from '../support/documents.ts';

export function counterContract(open: () => Store): void {
  const inAMinute = () => new Date(Date.now() + 60_000);

  describe('add', () => {
    it('returns the count after it, for each key separately', async () => {
      const [a, b] = [unique('window'), unique('window')];
      expect(await open().counters.add(a, 1, inAMinute())).toBe(1);
      expect(await open().counters.add(a, 5, inAMinute())).toBe(6);
      expect(await open().counters.add(b, 2, inAMinute())).toBe(2);
      expect(await open().counters.add(a, 0, inAMinute())).toBe(6);
    });

    it('is exact for many at once: each gets its own place', async () => {
      const key = unique('window');
      const counts = await Promise.all(Array.from({ length: 200 }, () => open().counters.add(key, 1, inAMinute())));
      expect(counts.sort((x, y) => x - y)).toEqual(Array.from({ length: 200 }, (_, i) => i + 1));
    });
  });

  describe('addPart', () => {
    const inADay = () => new Date(Date.now() + 86_400_000);
    const add = (key: string, n: number, part: number) => open().counters.addPart(key, n, part, inADay());

    it('counts the window and its parts separately', async () => {
      const key = unique('window');
      expect(await add(key, 2, 29_000_000)).toEqual({ whole: 2, part: 2 });
      expect(await add(key, 3, 29_000_001)).toEqual({ whole: 5, part: 3 });
      expect(await add(key, 1, 29_000_000)).toEqual({ whole: 6, part: 3 });
      expect(await add(key, 0, 29_000_001)).toEqual({ whole: 6, part: 3 });
      expect(await open().counters.add(key, 4, inADay())).toBe(10);
    });

    it('distinguishes so many consecutive parts, in any order', async () => {
      const key = unique('window');
      const parts = Array.from({ length: PARTS_KEPT }, (_, i) => 29_000_000 + i);
      for (const part of [...parts, ...parts.toReversed()]) await add(key, 1, part);
      for (const part of parts) expect(await add(key, 0, part)).toMatchObject({ part: 2 });
    });

    it('drops a part, but nothing of the window, when a later one is far enough away', async () => {
      const key = unique('window');
      await add(key, 5, 100);
      await add(key, 1, 99 + PARTS_KEPT);
      expect(await add(key, 1, 100)).toEqual({ whole: 7, part: 6 });
      expect(await add(key, 1, 100 + PARTS_KEPT)).toEqual({ whole: 8, part: 1 });
      expect(await add(key, 1, 100)).toEqual({ whole: 9, part: 1 });
    });

    it('is exact for many at once, in window and part', async () => {
      const key = unique('window');
      const counts = await Promise.all(Array.from({ length: 200 }, (_, i) => add(key, 1, i % 2)));
      const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1);
      const sorted = (values: number[]) => values.sort((x, y) => x - y);
      expect(sorted(counts.map(({ whole }) => whole))).toEqual(upTo(200));
      for (const parity of [0, 1]) {
        const parts = counts.filter((_, i) => i % 2 === parity).map(({ part }) => part);
        expect(sorted(parts)).toEqual(upTo(100));
      }
    });
  });
}
