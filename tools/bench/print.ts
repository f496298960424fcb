import { type Colors, markOf, type Terminal } from '../../scripts/lib/terminal.ts';
import type { Progress } from './bench.ts';
import { type Row, targetText } from './row.ts';

/** The texts of a row: name, unit, value, baseline, ratio, spread, target. Missing values are empty. */
export function cellsOf({ name, unit, value, baseline, ratio, spread, target }: Row): string[] {
  return [
    name,
    unit,
    figure(value),
    baseline === null ? '' : figure(baseline),
    ratio === null ? '' : ratio.toFixed(2),
    spread === null ? '' : `${spread.low.toFixed(2)}–${spread.high.toFixed(2)}`,
    target === null ? '' : targetText(target),
  ];
}

/** At three significant digits, because timings are not more precise. */
function figure(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 100) return String(Math.round(value));
  return value.toPrecision(3);
}

/** Lines of cells as wide as the widest of their column; the columns from `numbersFrom` on are aligned to the right. */
export function columns(lines: readonly (readonly string[])[], numbersFrom: number, numbersTo = Infinity): string[][] {
  const widths = (lines[0] ?? []).map((_, at) => Math.max(...lines.map((cells) => (cells[at] ?? '').length)));
  return lines.map((cells) =>
    widths.map((width, at) => {
      const cell = cells[at] ?? '';
      return at >= numbersFrom && at <= numbersTo ? cell.padStart(width) : cell.padEnd(width);
    }),
  );
}

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

export function showRows(rows: readonly Row[], terminal: Terminal): void {
  const { dim, bold } = terminal.colors;
  const [head = '', ...lines] = columns([HEAD, ...rows.map(cellsOf)], 2).map((cells) => cells.join('  '));
  terminal.line();
  terminal.line(dim(`   ${head}`));
  for (const [at, { target, holds }] of rows.entries()) {
    const mark = target === null ? ' ' : markOf(holds, terminal.colors);
    const text = lines[at] ?? '';
    terminal.line(` ${mark} ${holds ? text : bold(text)}`);
  }
  terminal.line();
}
