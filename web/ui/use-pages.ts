import { useState } from 'preact/hooks';
import { useAction } from './use-action.ts';
import { type Loaded, useLoad } from './use-load.ts';

export interface Paged<Item> extends Omit<Loaded<unknown>, 'value'> {
  /** All items that have been read; null: none yet. */
  readonly items: readonly Item[] | null;
  /** Reads the next page; null: there is none. */
  readonly more: (() => void) | null;
}

/**
 * A list of an API, page by page. `nextOf`: the parameter of the page after these; null: there is none. `report`: takes
 * the failure of a further page; absent: it is the failure of the list.
 */
export function usePages<Answer, Item>(
  call: <A>(path: `/${string}`) => Promise<A>,
  path: `/${string}`,
  itemsOf: (answer: Answer) => readonly Item[],
  nextOf: (answers: readonly Answer[]) => string | null,
  report?: (error: unknown) => void,
): Paged<Item> {
  const { value, ...first } = useLoad<Answer>(call, path);
  const [further, setFurther] = useState<{ readonly after: Answer; readonly answers: readonly Answer[] } | null>(null);
  const { isBusy, failure, act } = useAction();
  // Further pages belong to the first one that they followed.
  const answers = value === null ? [] : [value, ...(further?.after === value ? further.answers : [])];
  const next = nextOf(answers);
  const read = async () => {
    if (value === null) return;
    const page = await call<Answer>(`${path}${path.includes('?') ? '&' : '?'}${next}`);
    setFurther({ after: value, answers: [...answers.slice(1), page] });
  };
  return {
    ...first,
    failure: first.failure ?? (failure instanceof Error ? failure : null),
    items: value === null ? null : answers.flatMap(itemsOf),
    isLoading: first.isLoading || isBusy,
    more: next === null ? null : () => void act(() => (report ? read().catch(report) : read())),
  };
}
