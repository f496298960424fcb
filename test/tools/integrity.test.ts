import { Integrity } from '../../tools/fuzz/integrity.ts';

/** The faults found after a change of the process, at the first check and at the second. */
function foundAfter(damage: () => void): readonly (readonly string[])[] {
  const integrity = new Integrity();
  try {
    damage();
    return [integrity.faults(), integrity.faults()].map((faults) => faults.map(({ what }) => what));
  } finally {
    integrity.stop();
  }
}

describe("the fuzzer's check what belongs to the whole process", () => {
  it('finds nothing where nothing was done', () => {
    expect(foundAfter(() => undefined)).toEqual([[], []]);
  });

  it('finds a key that a prototype has got, and takes it away', () => {
    const damage = () => void Object.defineProperty(Object.prototype, 'isAdmin', { value: true, configurable: true });
    expect(foundAfter(damage)).toEqual([['Object.prototype has got isAdmin'], []]);
    expect('isAdmin' in {}).toBe(false);
  });

  it('finds a key of a prototype that has another value, and puts it right', () => {
    const own = Object.prototype.toString;
    const damage = () => void Reflect.set(Object.prototype, 'toString', 'mine');
    expect(foundAfter(damage)).toEqual([['Object.prototype has another toString'], []]);
    expect(Object.prototype.toString).toBe(own);
  });

  it('finds a key that a prototype has lost, and puts it back', () => {
    const own = Array.prototype.at;
    const damage = () => void Reflect.deleteProperty(Array.prototype, 'at');
    expect(foundAfter(damage)).toEqual([['Array.prototype has another at'], []]);
    expect(Array.prototype.at).toBe(own);
  });
});
