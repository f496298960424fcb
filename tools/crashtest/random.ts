/** Repeatable random choices from a seed. Not for secrets. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to below 1: a step of a Weyl sequence, mixed so that its bits are unrelated. */
  next(): number {
    this.#state = (this.#state + 0x9e37_79b9) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0_aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a_2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  }

  /** An integer from `least` to `most`, both included. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** A random item. Throws if there is none. */
  pick<T>(items: readonly T[]): T {
    const found = items[this.integer(0, items.length - 1)];
    if (found === undefined) throw new RangeError('pick needs at least one item');
    return found;
  }
}
