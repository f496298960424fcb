import { unknownCase } from '../../machines/unknown-case.ts';
import type { Colors, Terminal } from '../../scripts/lib/terminal.ts';
import type { Judged, Verdict } from './run.ts';

const WIDTHS = { name: 34, seconds: 6 } as const;

export function showHead(count: number, { colors, line }: Terminal): void {
  line();
  line(` ${colors.bold(`${count} deliberate bugs`)}`);
  line();
}

/** Shows one row; if the mutant is not caught, the reason is below. */
export function showJudged({ mutant, verdict, seconds }: Judged, { colors, line }: Terminal): void {
  const { green, red, dim } = colors;
  const mark = verdict.kind === 'caught' ? green('✓') : red('✗');
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

export function showSum(judged: readonly Judged[], { colors, line }: Terminal): void {
  const caught = judged.filter(({ verdict }) => verdict.kind === 'caught').length;
  const seconds = judged.reduce((sum, each) => sum + each.seconds, 0);
  const isAll = caught === judged.length;
  line();
  line(
    ` ${isAll ? colors.green('✓') : colors.red('✗')} ${colors.bold(`${caught} of ${judged.length} caught`)}, ${seconds.toFixed(0)} s`,
  );
  line();
}
