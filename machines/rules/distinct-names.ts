/** What may tell an item apart from others; an empty text: nothing. */
type DetailOf<Item> = (item: Item, index: number) => string;

/** A name for each item, all different: items that are named alike get the first detail in which they differ. */
export function distinctNames<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  details: readonly DetailOf<Item>[],
  withDetail: (name: string, detail: string) => string,
): string[] {
  let names = items.map(nameOf);
  for (const detailOf of details) {
    const before = names;
    names = items.map((item, index) => {
      const name = before[index] ?? '';
      const alike = items.filter((_, other) => before[other] === name).map(detailOf);
      const detail = detailOf(item, index);
      return new Set(alike).size < 2 || detail === '' ? name : withDetail(name, detail);
    });
  }
  return names;
}
