import { Integrity } from '../../tools/fuzz/integrity.ts';

/** The faults after a change of the process, at the first check and at the second. */
function foundAfter(damage: () => void): readonly (readonly string[])[] {
  const integrity = new Integrity();
  try {
    damage();
    return [integrity.faults(), integrity.faults()].map((faults) => faults.map(({ what }) => what));
  } finally {
    integrity.stop();
  }
}

describe("the fuzzer's check of the whole process", () => {
  it('finds nothing without a change', () => {
    expect(foundAfter(() => undefined)).toEqual([[], []]);
  });

  it('finds a new key of a prototype, and removes it', () => {
    const damage = () => void Object.defineProperty(Object.prototype, 'isAdmin', { value: true, configurable: true });
    expect(foundAfter(damage)).toEqual([['Object.prototype has a new key isAdmin'], []]);
    expect('isAdmin' in {}).toBe(false);
  });

  it('finds a changed key of a prototype, and restores it', () => {
    const own = Object.prototype.toString;
    const damage = () => void Reflect.set(Object.prototype, 'toString', 'mine');
    expect(foundAfter(damage)).toEqual([['Object.prototype has a changed toString'], []]);
    expect(Object.prototype.toString).toBe(own);
  });

  it('finds a removed key of a prototype, and restores it', () => {
    const own = Array.prototype.at;
    const damage = () => void Reflect.deleteProperty(Array.prototype, 'at');
    expect(foundAfter(damage)).toEqual([['Array.prototype has a changed at'], []]);
    expect(Array.prototype.at).toBe(own);
  });
});
