import { useCallback, useEffect, useState } from 'preact/hooks';

interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

export interface Pages<Item> {
  /** null: the first page has not arrived. */
  readonly items: readonly Item[] | null;
  /** Reads the next page; null: there is none. */
  readonly more: (() => void) | null;
}

/** A list, page by page. `read` is stable as long as the list is the same; an error goes to `onError`. */
export function usePages<Item>(
  read: (startingAfter: string | null) => Promise<Page<Item>>,
  onError: (error: unknown) => void,
): Pages<Item> {
  const [page, setPage] = useState<Page<Item> | null>(null);
  const load = useCallback(
    (startingAfter: string | null) => {
      read(startingAfter).then(
        ({ items, next }) =>
          setPage((before) => ({ items: startingAfter === null ? items : [...(before?.items ?? []), ...items], next })),
        onError,
      );
    },
    [read, onError],
  );
  useEffect(() => load(null), [load]);
  const next = page?.next ?? null;
  return { items: page?.items ?? null, more: next === null ? null : () => load(next) };
}
