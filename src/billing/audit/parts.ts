/**
 * Parts in the order of the items, none empty, each with as many as together weigh at most `most`; one that weighs more is a
 * part alone. Whoever else waits for this process has their turn between two parts.
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
