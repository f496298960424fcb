import { useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { go, hrefOf, type Route } from '../route.ts';

export const PAGE_SIZE = 50;

/** What a list says about all of its pages. */
export interface Totals {
  readonly count: number;
  readonly hasMore: boolean;
}

/** The offset of the page in the address. */
export function startOf(query: URLSearchParams): number {
  const start = query.get('start') ?? '';
  return /^\d{1,9}$/.test(start) ? Number(start) : 0;
}

export interface PagingProps {
  readonly route: Route;
  readonly hasMore: boolean;
  /** null: the list counts nothing. */
  readonly totals: Totals | null;
  readonly size?: number;
}

/** The ways to the other pages; with a count, any of them is one step away. */
export function Paging({ route: { mode, page, id, query }, hasMore, totals, size = PAGE_SIZE }: PagingProps) {
  const start = startOf(query);
  const [typed, setTyped] = useState(String(Math.floor(start / size) + 1));
  if (start === 0 && !hasMore) return null;
  const at = (offset: number) =>
    hrefOf(mode, page, id, { ...Object.fromEntries(query), start: offset <= 0 ? '' : String(offset) });
  const pages = totals === null || totals.hasMore ? null : Math.ceil(totals.count / size);
  const turn = (event: Event) => {
    event.preventDefault();
    const wanted = Number.parseInt(typed, 10) || 1;
    go(at((Math.min(Math.max(wanted, 1), pages ?? wanted) - 1) * size));
  };
  return (
    <nav class="row" aria-label="Pages of the list">
      {start > 0 && <a href={at(0)}>Newest</a>}
      {start > 0 && <a href={at(start - size)}>Newer</a>}
      <form class="row paging" onSubmit={turn}>
        <Field label="Page" inputMode="numeric" value={typed} onInput={setTyped} />
        {pages !== null && <span>of {pages}</span>}
        <Button size="small" type="submit">
          Go
        </Button>
      </form>
      {hasMore && <a href={at(start + size)}>Older</a>}
      {hasMore && pages !== null && <a href={at((pages - 1) * size)}>Oldest</a>}
    </nav>
  );
}
