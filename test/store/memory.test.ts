import { openMemoryStore } from '../../src/store/memory/store.ts';
import { at } from './support/documents.ts';

describe('the store in memory', () => {
  it('forgets a counter when its clock passes the end of the window', async () => {
    let now = at(0);
    const { counters } = openMemoryStore({ now: () => now });
    expect(await counters.add('minute', 3, at(60_000))).toBe(3);
    now = at(59_999);
    expect(await counters.add('minute', 1, at(60_000))).toBe(4);
    expect(await counters.add('day', 1, at(86_400_000))).toBe(1);
    now = at(60_000);
    expect(await counters.add('minute', 1, at(120_000))).toBe(1);
    expect(await counters.add('day', 1, at(86_400_000))).toBe(2);
  });

  it('does not answer a ping once it is closed', async () => {
    const store = openMemoryStore();
    expect(await store.ping()).toBe(true);
    await store.close();
    expect(await store.ping()).toBe(false);
  });
});
