import { cellsOf } from './cells.ts';
import { chartOf } from './chart.ts';
import type { Row } from './row.ts';

/** The results of one benchmark, for the page. */
export interface Section {
  readonly name: string;
  readonly about: string;
  /** Command, day and machine. */
  readonly origin: string;
  readonly rows: readonly Row[];
}

const TITLE = '# Benchmarks';

const ABOUT = `A bar that crosses the line reaches its goal: a ratio of the product to its baseline, measured in turns on one machine.
\`--markdown docs/benchmarks.md\` writes this chart and the tables anew.

**How to read the tables.** Product and baseline take turns on the same machine, with the same database engine, documents of the same bytes and
the same write concern: one round that is thrown away, then at least five. _Value_ and _baseline_ are medians over the rounds. _Ratio_ is the median
of value ÷ baseline of the same round, with the lowest and the highest beside it. A _target_ is for the ratio, or without a baseline for the value.
Targets are for \`--full\`; \`--quick\` uses fewer documents. Ratios travel between machines; absolute figures do not. The docstring of each file
beneath \`tools/bench/\` describes its baseline.
`;

const TABLE_HEAD = ['what', 'unit', 'value', 'baseline', 'ratio', 'lowest–highest', 'target', 'holds'];
/** The columns of numbers, aligned to the right. */
const NUMBERS: ReadonlySet<number> = new Set([2, 3, 4, 5, 6]);

const HEADING = /^## /m;

/**
 * The page with these sections replaced and all others unchanged. Notes of people below a table stay, for example why a
 * target is missed.
 */
export function pageWith(page: string, found: readonly Section[], order: readonly string[]): string {
  const sections = new Map(
    page
      .split(HEADING)
      .slice(1)
      .map((text) => [text.split('\n', 1)[0] ?? '', text] as const),
  );
  for (const section of found) sections.set(section.name, sectionText(section, notesOf(sections.get(section.name))));
  const placed = [...sections].toSorted(([one], [other]) => order.indexOf(one) - order.indexOf(other));
  const head = [TITLE, chartOf(new Map(placed)), ABOUT].filter((part) => part !== '');
  return `${[...head, ...placed.map(([, text]) => `## ${text}`)].map((part) => part.trimEnd()).join('\n\n')}\n`;
}

/** Round trips without a target are left out: a test asserts those of each endpoint. */
function sectionText({ name, about, origin, rows }: Section, notes: string): string {
  const shown = rows.filter((row) => row.unit !== 'round trips' || row.target !== null);
  const text = [`${name}\n`, `${sentence(about)}\n`, `${origin}\n`, ...tableOf(shown)].join('\n');
  return notes === '' ? text : `${text}\n\n${notes}`;
}

/** The text after the first table, which has the results. Notes may have tables too. */
function notesOf(section: string | undefined): string {
  const lines = section?.split('\n') ?? [];
  const table = lines.findIndex((line) => line.startsWith('|'));
  const end = lines.findIndex((line, at) => at > table && !line.startsWith('|'));
  return table < 0 || end < 0 ? '' : lines.slice(end).join('\n').trim();
}

/** The table with aligned columns, in the style of the repository's formatter. */
function tableOf(rows: readonly Row[]): string[] {
  const lines = [TABLE_HEAD, ...rows.map(markedCells)];
  const widths = TABLE_HEAD.map((_, at) => Math.max(...lines.map((cells) => (cells[at] ?? '').length)));
  const placed = lines.map((cells) =>
    widths.map((width, at) => (NUMBERS.has(at) ? (cells[at] ?? '').padStart(width) : (cells[at] ?? '').padEnd(width))),
  );
  const rule = widths.map((width, at) => (NUMBERS.has(at) ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width)));
  const [head = [], ...body] = placed;
  return [head, rule, ...body].map((cells) => `| ${cells.join(' | ')} |`);
}

function markedCells(row: Row): string[] {
  const cells = cellsOf(row).map((cell) => cell.replace('>=', '≥').replace('<=', '≤'));
  return [...cells, row.target === null ? '' : row.holds ? 'yes' : '**no**'];
}

function sentence(about: string): string {
  return `${about.charAt(0).toUpperCase()}${about.slice(1)}.`;
}
