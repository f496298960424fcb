import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { integerOf, readArguments, requireNothing, type Script, UsageError } from '../scripts/lib/script.ts';
import type { Bench, Size } from './bench/bench.ts';
import { BENCHES } from './bench/benches.ts';
import { machine, originOf, pageWith, type Section } from './bench/page.ts';
import { progressOn, showRows } from './bench/print.ts';
import type { Row } from './bench/row.ts';
import { runTool, type ToolRun } from './lib/run-tool.ts';

const usage = `
npm run prove -- bench [name] [--quick | --full | --count N] [--markdown FILE]
  Compare the product with baselines: in each run both take turns for several rounds; medians and spread are shown. The
  database and the processes are its own, in a temporary folder, on loopback only. Without a name, all benchmarks run:
${BENCHES.map(({ name, about }) => `    ${name.padEnd(16)} ${about}`).join('\n')}
    --quick          a twentieth to a quarter of the documents, shorter rounds
    --full           the sizes for which the targets hold (1,000,000 documents); the default
    --count N        month: this many subscriptions (--quick 2,000, without a flag 20,000, --full 1,000,000: hours)
    --markdown FILE  replace the tables of these benchmarks in this page (docs/benchmarks.md)

Exit codes: 0 every target holds, 1 a target does not hold, 2 the arguments are wrong.
`;

function main(argv: readonly string[]): Promise<number> {
  const options = readBenchOptions(argv);
  return runTool((tool) => runBenches(tool, options));
}

async function runBenches(
  { terminal, signal }: ToolRun,
  { benches, size, asked, markdown }: BenchOptions,
): Promise<number> {
  const progress = progressOn(terminal);
  const rows: Row[] = [];
  const sections: Section[] = [];
  try {
    const where = markdown === null ? '' : await machine();
    for (const { name, about, parts, takesCount } of benches) {
      const began = performance.now();
      const found: Row[] = [];
      for (const part of parts) found.push(...(await part({ size, asked, progress, signal })));
      progress.took(name, performance.now() - began);
      rows.push(...found);
      const origin = originOf({ name, takesCount }, { size, asked }, where, new Date());
      sections.push({ name, about, origin, rows: found });
    }
    signal.throwIfAborted();
  } finally {
    progress.end();
  }
  showRows(rows, terminal);
  if (markdown !== null) putInto(markdown, sections);
  return rows.every(({ holds }) => holds) ? 0 : 1;
}

function putInto(file: string, sections: readonly Section[]): void {
  const page = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const order = BENCHES.map(({ name }) => name);
  writeFileSync(file, pageWith(page, sections, order));
}

export const bench: Script = { usage, main };

type BenchOptions = ReturnType<typeof readBenchOptions>;

/** `asked`: as in `BenchRun`. `markdown`: a page; null: none. Throws a UsageError for wrong arguments. */
export function readBenchOptions(argv: readonly string[]) {
  const { values, positionals } = readArguments(argv, {
    quick: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    count: { type: 'string' },
    markdown: { type: 'string' },
  });
  const [name, ...rest] = positionals;
  requireNothing(rest);
  if (values.quick && values.full) throw new UsageError('--quick and --full exclude each other: expected one of them');
  const { quick, full, markdown = null } = values;
  const benches = benchesNamed(name);
  const named: Size | null = quick ? 'quick' : full ? 'full' : null;
  const count = values.count === undefined ? null : countOf(values.count, benches, named);
  const size: Size = quick ? 'quick' : 'full';
  return { benches, size, asked: count ?? named, markdown };
}

const COUNT_MAX = 10_000_000;

function countOf(text: string, benches: readonly Bench[], named: Size | null): number {
  if (named !== null) throw new UsageError(`--count and --${named} exclude each other: expected one of them`);
  const other = benches.find(({ takesCount }) => !takesCount);
  if (other) throw new UsageError(`--count: ${other.name} has no such number`);
  return integerOf('--count', text, 1, COUNT_MAX);
}

function benchesNamed(name: string | undefined): readonly Bench[] {
  if (name === undefined) return BENCHES;
  const found = BENCHES.filter((bench) => bench.name === name);
  if (found.length > 0) return found;
  throw new UsageError(`unknown benchmark ${name}: expected ${BENCHES.map((bench) => bench.name).join(', ')}`);
}
