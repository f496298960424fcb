import type { ComponentChildren } from 'preact';
import { LoadFailed } from '../../ui/load-failed.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { ShowMore } from './show-more.tsx';
import type { Paged } from './use-pages.ts';

export interface PagedTableProps<Row extends { readonly id: string }> {
  readonly caption: string;
  readonly paged: Paged<Row>;
  readonly columns: readonly Column<Row>[];
  readonly empty: ComponentChildren;
}

/** A list of the staff API as a table; further pages come on demand. */
export function PagedTable<Row extends { readonly id: string }>(props: PagedTableProps<Row>) {
  const { caption, paged, columns, empty } = props;
  if (paged.error !== null) return <LoadFailed loaded={paged}>Nothing has this id.</LoadFailed>;
  if (paged.items === null) return <p class="soft">Loading…</p>;
  return (
    <div class="stack">
      <Table caption={caption} rows={paged.items} keyOf={({ id }) => id} columns={columns} empty={empty} />
      <ShowMore paged={paged} />
    </div>
  );
}
