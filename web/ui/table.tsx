import type { ComponentChildren } from 'preact';
import { classNames } from './class-names.ts';

type Content<Row> = (row: Row) => ComponentChildren;

/** What the cells show, by the titles of the columns. Numbers are aligned right, digit below digit. */
export interface Columns<Row> {
  readonly [title: string]: Content<Row> | { readonly number: Content<Row> };
}

/** Rows that the reader picks, to act on them together. */
interface Selection<Row> {
  readonly picked: ReadonlySet<string>;
  readonly onPick: (picked: ReadonlySet<string>) => void;
  /** The name of a row, for screen readers. */
  readonly nameOf: (row: Row) => string;
}

export interface TableProps<Row> {
  /** The subject of the table, for screen readers. */
  readonly caption: string;
  readonly columns: Columns<Row>;
  readonly rows: readonly Row[];
  readonly empty?: ComponentChildren;
  readonly selection?: Selection<Row> | null;
  /** On a phone each row is a card, with its titles beside the values. */
  readonly isFolding?: boolean;
}

/** Lists objects that have an id. */
export function Table<Row extends { readonly id: string }>(props: TableProps<Row>) {
  return <KeyedTable {...props} keyOf={({ id }) => id} />;
}

/** A table that is too wide scrolls by itself, also by keyboard; the page does not. */
export function KeyedTable<Row>(props: TableProps<Row> & { readonly keyOf: (row: Row) => string }) {
  const { caption, rows, keyOf, empty = 'Nothing here.', selection = null, isFolding = false } = props;
  if (rows.length === 0) return <p class="soft">{empty}</p>;
  const columns = [...(selection === null ? [] : [picking(selection, rows, keyOf)]), ...shownOf(props.columns)];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
    <section class={classNames('table-frame', isFolding && 'table-folding')} tabIndex={0} aria-label={caption}>
      <table class="table">
        <thead>
          <tr>
            {columns.map(({ title, isNumber, head }) => (
              <th key={title} scope="col" class={isNumber ? 'number' : undefined}>
                {head ?? title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, cell, isNumber }) => (
                <td key={title} class={isNumber ? 'number' : undefined} data-title={title}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface Shown<Row> {
  readonly title: string;
  readonly cell: Content<Row>;
  readonly isNumber?: boolean;
  /** Instead of the title. */
  readonly head?: ComponentChildren;
}

function shownOf<Row>(columns: Columns<Row>): Shown<Row>[] {
  return Object.entries(columns).map(([title, cell]) =>
    typeof cell === 'function' ? { title, cell } : { title, cell: cell.number, isNumber: true },
  );
}

function picking<Row>(
  { picked, onPick, nameOf }: Selection<Row>,
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): Shown<Row> {
  const keys = rows.map(keyOf);
  const pick = (some: readonly string[], isPicked: boolean) => {
    const others = [...picked].filter((key) => !some.includes(key));
    onPick(new Set(isPicked ? [...others, ...some] : others));
  };
  const box = (name: string, some: readonly string[]) => (
    <label class="pick">
      <input
        type="checkbox"
        aria-label={name}
        checked={some.every((key) => picked.has(key))}
        onChange={(event) => pick(some, event.currentTarget.checked)}
      />
    </label>
  );
  return {
    title: 'Pick',
    head: box('Pick all on this page', keys),
    cell: (row) => box(`Pick ${nameOf(row)}`, [keyOf(row)]),
  };
}
