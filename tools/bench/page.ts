import { cpus, totalmem } from 'node:os';
import { openTemporaryDevnet, stopAfter } from '../../stage/temporary-devnet.ts';
import type { BenchRun } from './bench.ts';
import { cellsOf, columns } from './print.ts';
import type { Row } from './row.ts';

/** The results of one benchmark, for the page. */
export interface Section {
  readonly name: string;
  readonly about: string;
  /** Command, day and machine. */
  readonly origin: string;
  readonly rows: readonly Row[];
}

const TABLE_HEAD = ['what', 'unit', 'value', 'baseline', 'ratio', 'lowest–highest', 'target', 'holds'];
/** The first and the last column of numbers. */
const NUMBERS = [2, 6] as const;

const HEADING = /^## /m;

/** Replaces these sections. Others stay, and what people wrote: the beginning, and notes below a table. */
export function pageWith(page: string, found: readonly Section[], order: readonly string[]): string {
  const [before = '', ...written] = page.split(HEADING);
  const sections = new Map(written.map((text) => [text.split('\n', 1)[0] ?? '', text]));
  for (const section of found) sections.set(section.name, sectionText(section, notesOf(sections.get(section.name))));
  const placed = [...sections].toSorted(([one], [other]) => order.indexOf(one) - order.indexOf(other));
  return `${[before, ...placed.map(([, text]) => `## ${text}`)].map((part) => part.trimEnd()).join('\n\n')}\n`;
}

function sectionText({ name, about, origin, rows }: Section, notes: string): string {
  const sentence = `${about.charAt(0).toUpperCase()}${about.slice(1)}.`;
  const text = [`${name}\n`, `${sentence}\n`, `${origin}\n`, ...tableOf(rows)].join('\n');
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
  const [first, last] = NUMBERS;
  const [head = [], ...body] = columns([TABLE_HEAD, ...rows.map(markedCells)], first, last);
  const rule = head.map(({ length }, at) =>
    at >= first && at <= last ? `${'-'.repeat(length - 1)}:` : '-'.repeat(length),
  );
  return [head, rule, ...body].map((cells) => `| ${cells.join(' | ')} |`);
}

function markedCells(row: Row): string[] {
  const cells = cellsOf(row).map((cell) => cell.replace('>=', '≥').replace('<=', '≤'));
  return [...cells, row.target === null ? '' : row.holds ? 'yes' : '**no**'];
}

const GIB = 2 ** 30;

/** The machine: cores, memory, Node, database engine. */
export async function machine(): Promise<string> {
  const [first] = cpus();
  const engine = await stopAfter(await openTemporaryDevnet(), async ({ openClient, devnet }) => {
    const { version } = await (await openClient()).db('admin').command({ buildInfo: 1 });
    return `MongoDB ${version} (${devnet.mongo?.kind})`;
  });
  const cores = `${cpus().length} × ${first?.model.trim()}`;
  return `${cores}, ${Math.round(totalmem() / GIB)} GiB, Node ${process.version}, ${engine}`;
}

/** One line of the page: the command, the day and the machine. */
export function originOf(
  { name, takesCount }: { readonly name: string; readonly takesCount?: boolean | undefined },
  { size, asked }: Pick<BenchRun, 'size' | 'asked'>,
  machineText: string,
  at: Date,
): string {
  const named = takesCount ? asked : size;
  const flag = named === null ? '' : typeof named === 'number' ? ` --count ${named}` : ` --${named}`;
  return `\`npm run prove -- bench ${name}${flag}\`, ${at.toISOString().slice(0, 10)}, ${machineText}`;
}
