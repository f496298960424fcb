/**
 * Splits items, in order, into parts of at most `most` weight; a heavier item is a part alone. No part is empty. Other
 * work of this process runs between two parts.
 */
export function byWeight<T>(items: readonly T[], weightOf: (item: T) => number, most: number): T[][] {
  const parts: T[][] = [];
  let weight = Number.POSITIVE_INFINITY;
  for (const item of items) {
    const own = weightOf(item);
    weight += own;
    const part = parts.at(-1);
    if (part !== undefined && weight <= most) {
      part.push(item);
      continue;
    }
    parts.push([item]);
    weight = own;
  }
  return parts;
}
