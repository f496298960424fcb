/**
 * Rows as columns of text, as wide as their widest cells and two spaces apart; the last one is not padded. Control
 * characters appear as `?`. Every row needs a cell for each heading.
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

/** Foreign text without characters that could control a terminal. */
export function printable(text: string): string {
  return text.replaceAll(/\p{C}/gu, '?');
}
