import { fileURLToPath } from 'node:url';
import { unknownCase } from '../machines/unknown-case.ts';
import { readArguments, type Script } from '../scripts/lib/script.ts';
import { type Colors, markOf, type Terminal } from '../scripts/lib/terminal.ts';
import { runTool } from './lib/run-tool.ts';
import { chosen, readMutants } from './mutants/mutant.ts';
import { type Judged, runMutants, type Verdict } from './mutants/run.ts';

const usage = `
npm run prove -- mutants [NAME…]
  Test the tests: apply the deliberate bugs of test/mutants/ to temporary copies of the repository, one after another, and
  run the tests that must notice each. The working tree does not change.
    NAME      only these bugs, such as redirects-followed

Exit codes: 0 all caught, 1 one survived, could not be judged or does not apply, 2 the arguments are wrong.
`;

const ROOT = fileURLToPath(new URL('..', import.meta.url));

async function main(argv: readonly string[]): Promise<number> {
  const { positionals } = readArguments(argv, {});
  const mutants = chosen(await readMutants(ROOT), positionals);
  return runTool(async ({ terminal, signal }) => {
    showHead(mutants.length, terminal);
    const onJudged = (each: Parameters<typeof showJudged>[0]) => showJudged(each, terminal);
    const judged = await runMutants({ root: ROOT, mutants, terminal, signal, onJudged });
    showSum(judged, terminal);
    return judged.every(({ verdict }) => verdict.kind === 'caught') ? 0 : 1;
  });
}

export const mutants: Script = { usage, main };

const WIDTHS = { name: 34, seconds: 6 } as const;

function showHead(count: number, { colors, line }: Terminal): void {
  line();
  line(` ${colors.bold(`${count} deliberate bugs`)}`);
  line();
}

/** Shows one row; if the mutant is not caught, the reason is below. */
function showJudged({ mutant, verdict, seconds }: Judged, { colors, line }: Terminal): void {
  const { dim } = colors;
  const mark = markOf(verdict.kind === 'caught', colors);
  const took = `${seconds.toFixed(1)} s`.padStart(WIDTHS.seconds);
  line(` ${mark} ${mutant.name.padEnd(WIDTHS.name)} ${took}  ${wordsFor(verdict, colors)}`);
  if (verdict.kind === 'caught') return;
  line(dim(`     ${mutant.bug}`));
  for (const { file, test } of mutant.catchers) line(dim(`     expected to catch it: ${file} › ${test}`));
}

function wordsFor(verdict: Verdict, { red, dim }: Colors): string {
  switch (verdict.kind) {
    case 'caught': {
      const [first, ...others] = verdict.by;
      const more = others.length === 0 ? '' : `, and ${others.length} more`;
      return first === undefined ? '' : `${first.fullName} ${dim(`(${first.file}${more})`)}`;
    }
    case 'survived':
      return red('SURVIVED');
    case 'undecided':
      return red(`undecided: ${verdict.why}`);
    default:
      return unknownCase(verdict, 'verdict');
  }
}

function showSum(judged: readonly Judged[], { colors, line }: Terminal): void {
  const caught = judged.filter(({ verdict }) => verdict.kind === 'caught').length;
  const seconds = judged.reduce((sum, each) => sum + each.seconds, 0);
  const sum = colors.bold(`${caught} of ${judged.length} caught`);
  line();
  line(` ${markOf(caught === judged.length, colors)} ${sum}, ${seconds.toFixed(0)} s`);
  line();
}
