/** The value of a name, made once. `known` is cleared when it has `max` values. */
export function remembered<T>(
  known: Map<string, T>,
  name: string,
  make: (name: string) => T,
  max: number = REMEMBERED_MAX,
): T {
  const found = known.get(name);
  if (found !== undefined) return found;
  const made = make(name);
  if (known.size >= max) known.clear();
  known.set(name, made);
  return made;
}

const REMEMBERED_MAX = 10_000;
