export const CHARACTERS_MAX = 200_000;

type Field = readonly [key: string, text: string];

/** The keys of an object in one order: the path from the root. */
class Shape extends Map<string, Shape> {
  fields: readonly Field[] | null = null;
}

/**
 * Sorts the keys of objects, and keeps the result for the next object with the same keys in the same order: to sort
 * takes longer than to write. Merchants name some keys and may send ever new ones, so above CHARACTERS_MAX all are
 * forgotten.
 */
export class KeyOrders {
  #root = new Shape();
  size = 0;

  /** The keys in the order of their UTF-16 code units, each as JSON has it before the value. */
  sorted(keys: readonly string[]): readonly Field[] {
    let shape = this.#root;
    for (const key of keys) {
      const next = shape.get(key) ?? new Shape();
      shape.set(key, next);
      shape = next;
    }
    if (shape.fields !== null) return shape.fields;
    shape.fields = [...keys].sort().map((key, index) => [key, `${index > 0 ? ',' : ''}${JSON.stringify(key)}:`]);
    this.size += shape.fields.reduce((sum, [, text]) => sum + text.length, 0);
    if (this.size > CHARACTERS_MAX) [this.#root, this.size] = [new Shape(), 0];
    return shape.fields;
  }
}
