import type { Colors, Terminal } from '../../scripts/lib/terminal.ts';
import type { Progress } from './bench.ts';
import { cellsOf, figure } from './cells.ts';
import type { Row } from './row.ts';

/** Shows progress on a terminal: the current step on a changing line, results on lasting lines. */
export function progressOn(terminal: Terminal): Progress & { took(name: string, ms: number): void; end(): void } {
  let hide = () => {};
  return {
    step: (text) => {
      hide = terminal.busy(text);
    },
    found: (row) => terminal.line(lineOf(row, terminal.colors)),
    took: (name, ms) => terminal.line(terminal.colors.dim(`   ${name}, all of it: ${Math.round(ms / 1000)} s`)),
    end: () => hide(),
  };
}

function lineOf(row: Row, { dim }: Colors): string {
  const ratio = row.ratio === null ? '' : `, ${row.ratio.toFixed(2)} of the baseline`;
  return dim(`   ${row.name}: ${figure(row.value)} ${row.unit}${ratio}`);
}

const HEAD = ['', 'unit', 'value', 'baseline', 'ratio', 'lowest–highest', 'target'];

/** All results as a table. */
export function showRows(rows: readonly Row[], terminal: Terminal): void {
  const { green, red, dim, bold } = terminal.colors;
  const cells = rows.map(cellsOf);
  const widths = HEAD.map((head, at) => Math.max(head.length, ...cells.map((row) => (row[at] ?? '').length)));
  const line = (row: readonly string[]): string =>
    row.map((cell, at) => (at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  ');
  terminal.line();
  terminal.line(dim(`   ${line(HEAD)}`));
  for (const [at, row] of rows.entries()) {
    const mark = row.target === null ? ' ' : row.holds ? green('✓') : red('✗');
    const text = line(cells[at] ?? []);
    terminal.line(` ${mark} ${row.holds ? text : bold(text)}`);
  }
  terminal.line();
}
