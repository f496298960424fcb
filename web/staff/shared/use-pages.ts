import { useState } from 'preact/hooks';
import { messageOf } from '../../ui/message-of.ts';
import { toast } from '../../ui/toast.tsx';
import type { Loaded } from '../../ui/use-load.ts';
import { staffApi } from '../api.ts';
import { useLoad } from './use-load.ts';

export const PAGE = 25;

export interface PagedAnswer {
  readonly hasMore: boolean;
}

export interface Paged<Item> extends Omit<Loaded<unknown>, 'value'> {
  /** All items that have been read; null: none yet. */
  readonly items: readonly Item[] | null;
  readonly hasMore: boolean;
  /** Reads the next page. */
  readonly more: () => void;
}

/** `startingAfter`, for the lists that take it. */
function afterLast(items: readonly { readonly id: string }[]): string {
  return `startingAfter=${encodeURIComponent(items.at(-1)?.id ?? '')}`;
}

/** A list of the staff API, page by page. `nextOf`: the parameter of the page after these items and pages. */
export function usePages<Answer extends PagedAnswer, Item extends { readonly id: string }>(
  path: `/${string}`,
  itemsOf: (answer: Answer) => readonly Item[],
  nextOf: (items: readonly Item[], pages: number) => string = afterLast,
): Paged<Item> {
  const limited: `/${string}` = `${path}${path.includes('?') ? '&' : '?'}limit=${PAGE}`;
  const { value, ...first } = useLoad<Answer>(limited);
  const [further, setFurther] = useState<{ readonly after: Answer; readonly answers: readonly Answer[] } | null>(null);
  const [isMore, setMore] = useState(false);
  // Further pages belong to the first one that they followed.
  const answers = value === null ? [] : [value, ...(further?.after === value ? further.answers : [])];
  const items = answers.flatMap(itemsOf);
  const more = async () => {
    if (value === null) return;
    setMore(true);
    try {
      const next = await staffApi<Answer>(`${limited}&${nextOf(items, answers.length)}`);
      setFurther({ after: value, answers: [...answers.slice(1), next] });
    } catch (problem) {
      toast(messageOf(problem), 'bad');
    } finally {
      setMore(false);
    }
  };
  return {
    ...first,
    items: value === null ? null : items,
    isLoading: first.isLoading || isMore,
    hasMore: answers.at(-1)?.hasMore ?? false,
    more: () => void more(),
  };
}
