/**
 * Rows as columns of text: as wide as their widest cell, two spaces between them, the last one ragged. What could steer a
 * terminal is shown as `?`. Every row has a cell for each heading.
 */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows].map((row) => row.map(printable));
  const widths = headings.map((_, column) => Math.max(...lines.map((row) => row[column]?.length ?? 0)));
  return lines
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

/** Text of others, safe to be written to a terminal. */
export function printable(text: string): string {
  return text.replaceAll(/\p{C}/gu, '?');
}
