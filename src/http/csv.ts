import { stringify } from 'csv-stringify/sync';
import type { Request } from 'express';
import type { CsvList } from './endpoint.ts';

/**
 * A list of a body as CSV (RFC 4180), with a line of names. A field is as in JSON, without quotes; null is empty;
 * objects and lists are JSON. A text that a spreadsheet would take for a formula gets an apostrophe in front.
 */
export function csvOf(body: unknown, { list, columns }: CsvList): string {
  return csvLines(columns) + csvRows(itemsIn(body, list), columns);
}

/** The rows of a CSV, as `csvOf` has them, without the line of names. */
export function csvRows(items: readonly object[], columns: readonly string[]): string {
  return csvLines(...items.map((item) => columns.map((name) => cellOf(Reflect.get(item, name)))));
}

/** True if a caller wants CSV rather than JSON. */
export function prefersCsv(request: Pick<Request, 'accepts'>): boolean {
  return request.accepts(['application/json', 'text/csv']) === 'text/csv';
}

/** The id of the last item of a list; null: the list is empty. */
export function lastIdIn(body: unknown, { list }: CsvList): string | null {
  const last = itemsIn(body, list).at(-1);
  const id: unknown = last === undefined ? null : Reflect.get(last, 'id');
  return typeof id === 'string' ? id : null;
}

function itemsIn(body: unknown, list: string): readonly object[] {
  const items: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, list) : null;
  if (!Array.isArray(items)) throw new TypeError(`the answer has no list ${list}`);
  return items;
}

/** Lines of CSV: a name and its formula are disarmed alike. */
function csvLines(...rows: readonly (readonly string[])[]): string {
  return stringify([...rows], { record_delimiter: 'windows', escape_formulas: true });
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
