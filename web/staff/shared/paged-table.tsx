import type { ComponentChildren } from 'preact';
import { Button } from '../../ui/button.tsx';
import { LoadFailed } from '../../ui/load-failed.tsx';
import { messageOf } from '../../ui/message-of.ts';
import { toast } from '../../ui/notice.tsx';
import { type Columns, Table } from '../../ui/table.tsx';
import { type Paged, usePages as usePagesOf } from '../../ui/use-pages.ts';
import { get } from '../api.ts';

export interface PagedTableProps<Row extends { readonly id: string }> {
  readonly caption: string;
  readonly paged: Paged<Row>;
  readonly columns: Columns<Row>;
  readonly empty: ComponentChildren;
}

/** A list of the staff API as a table; further pages come on demand. */
export function PagedTable<Row extends { readonly id: string }>(props: PagedTableProps<Row>) {
  const { caption, paged, columns, empty } = props;
  if (paged.error !== null) return <LoadFailed loaded={paged}>Nothing has this id.</LoadFailed>;
  if (paged.items === null) return <p class="soft">Loading…</p>;
  return (
    <div class="stack">
      <Table caption={caption} rows={paged.items} columns={columns} empty={empty} />
      <ShowMore paged={paged} />
    </div>
  );
}

/** The button for the next page, if there is one. */
export function ShowMore({ paged: { isLoading, more } }: { readonly paged: Omit<Paged<unknown>, 'items'> }) {
  if (more === null) return null;
  return (
    <p>
      <Button busy={isLoading} onClick={more}>
        Show more
      </Button>
    </p>
  );
}

export const PAGE = 25;

/** An answer with a page of a list. */
export type PageOf<Name extends string, Row> = { readonly hasMore: boolean } & { readonly [N in Name]: readonly Row[] };

/** `startingAfter`, for the lists that take it. */
function afterLast(items: readonly { readonly id: string }[]): string {
  return `startingAfter=${encodeURIComponent(items.at(-1)?.id ?? '')}`;
}

/** A list of the staff API, page by page. `nextOf`: the parameter of the page after these items and pages. */
export function usePages<Answer extends { readonly hasMore: boolean }, Item extends { readonly id: string }>(
  path: `/${string}`,
  itemsOf: (answer: Answer) => readonly Item[],
  nextOf: (items: readonly Item[], pages: number) => string = afterLast,
): Paged<Item> {
  const limited: `/${string}` = `${path}${path.includes('?') ? '&' : '?'}limit=${PAGE}`;
  const next = (answers: readonly Answer[]) =>
    answers.at(-1)?.hasMore ? nextOf(answers.flatMap(itemsOf), answers.length) : null;
  return usePagesOf<Answer, Item>(get, limited, itemsOf, next, (problem) => toast(messageOf(problem), 'bad'));
}
