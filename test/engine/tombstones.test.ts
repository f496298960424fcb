import { Tombstones } from '../../src/engine/tombstones.ts';

describe('a tombstone', () => {
  it('is kept while 10,000 others are added, and dropped after 20,000', () => {
    const tombstones = new Tombstones();
    tombstones.add('first');
    for (let i = 1; i <= 10_000; i += 1) tombstones.add(`other ${i}`);
    expect(tombstones.has('first')).toBe(true);
    for (let i = 10_001; i < 20_000; i += 1) tombstones.add(`other ${i}`);
    expect(tombstones.has('first')).toBe(false);
    expect(tombstones.has('other 10000')).toBe(true);
    expect(tombstones.has('other 19999')).toBe(true);
  });

  it('does not exist for an id that was not added', () => {
    expect(new Tombstones().has('any')).toBe(false);
  });
});
