import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Script } from '../scripts/lib/script.ts';
import { BENCHES } from './bench/benches.ts';
import { type BenchOptions, readBenchOptions } from './bench/options.ts';
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
