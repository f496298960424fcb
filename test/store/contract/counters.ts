import { describe, expect, it } from '@jest/globals';
import type { Store } from '../../../src/store/port.ts';
import { unique } from '../support/documents.ts';

export function counterContract(open: () => Store): void {
  const inAMinute = () => new Date(Date.now() + 60_000);

  describe('add', () => {
    it('gives the count after it, each key by itself', async () => {
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
}
