const REMEMBERED_MAX = 10_000;

/** The value of a name, made once. `known` is cleared when it is full. */
export function remembered(known: Map<string, string>, name: string, make: (name: string) => string): string {
  const found = known.get(name);
  if (found !== undefined) return found;
  const made = make(name);
  if (known.size >= REMEMBERED_MAX) known.clear();
  known.set(name, made);
  return made;
}
