import { useCallback, useEffect, useState } from 'preact/hooks';
import { get } from './portal-api.ts';

export interface Pages<Item> {
  /** null: the first page has not arrived. */
  readonly items: readonly Item[] | null;
  /** Reads the next page; null: there is none. */
  readonly more: (() => void) | null;
}

/** A list at a path of the portal's API, page by page; an error goes to `onError`. */
export function usePages<Answer extends { readonly next: string | null }, Item>(
  path: `/${string}`,
  itemsOf: (answer: Answer) => readonly Item[],
  onError: (error: unknown) => void,
): Pages<Item> {
  const [answers, setAnswers] = useState<readonly Answer[]>([]);
  const load = useCallback(
    (query: string, before: readonly Answer[]) => {
      get<Answer>(`${path}${query}`).then((answer) => setAnswers([...before, answer]), onError);
    },
    [path, onError],
  );
  useEffect(() => load('', []), [load]);
  const next = answers.at(-1)?.next ?? null;
  const mark = path.includes('?') ? '&' : '?';
  return {
    items: answers.length === 0 ? null : answers.flatMap(itemsOf),
    more: next === null ? null : () => load(`${mark}startingAfter=${encodeURIComponent(next)}`, answers),
  };
}
