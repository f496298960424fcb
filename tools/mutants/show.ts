import type { Colors, Terminal } from '../../scripts/lib/terminal.ts';
import type { Fate, Judged } from './run.ts';

const WIDTHS = { name: 34, seconds: 6 } as const;

export function showHead(count: number, { colors, line }: Terminal): void {
  line();
  line(` ${colors.bold(`${count} deliberate bugs`)}`);
  line();
}

/** Shows one row; if the mutant is not caught, the reason is below. */
export function showJudged({ mutant, fate, seconds }: Judged, { colors, line }: Terminal): void {
  const { green, red, dim } = colors;
  const mark = fate.kind === 'caught' ? green('✓') : red('✗');
  const took = `${seconds.toFixed(1)} s`.padStart(WIDTHS.seconds);
  line(` ${mark} ${mutant.name.padEnd(WIDTHS.name)} ${took}  ${wordsFor(fate, colors)}`);
  if (fate.kind === 'caught') return;
  line(dim(`     ${mutant.bug}`));
  for (const { file, test } of mutant.catchers) line(dim(`     expected to catch it: ${file} › ${test}`));
}

function wordsFor(fate: Fate, { red, dim }: Colors): string {
  switch (fate.kind) {
    case 'caught': {
      const [first, ...others] = fate.by;
      const more = others.length === 0 ? '' : `, and ${others.length} more`;
      return first === undefined ? '' : `${first.fullName} ${dim(`(${first.file}${more})`)}`;
    }
    case 'survived':
      return red('SURVIVED');
    case 'undecided':
      return red(`undecided: ${fate.why}`);
    default: {
      const never: never = fate;
      return never;
    }
  }
}

export function showSum(judged: readonly Judged[], { colors, line }: Terminal): void {
  const caught = judged.filter(({ fate }) => fate.kind === 'caught').length;
  const seconds = judged.reduce((sum, each) => sum + each.seconds, 0);
  const isAll = caught === judged.length;
  line();
  line(
    ` ${isAll ? colors.green('✓') : colors.red('✗')} ${colors.bold(`${caught} of ${judged.length} caught`)}, ${seconds.toFixed(0)} s`,
  );
  line();
}

/** The JSON of `--json`. */
export function judgedJson(judged: readonly Judged[]): string {
  const rows = judged.map(({ mutant, fate, seconds }) => ({
    name: mutant.name,
    bug: mutant.bug,
    standsFor: mutant.standsFor,
    changes: mutant.changes,
    fate: fate.kind,
    by: fate.kind === 'caught' ? fate.by.map(({ file, fullName }) => ({ file, test: fullName })) : [],
    why: fate.kind === 'undecided' ? fate.why : null,
    seconds: Number(seconds.toFixed(1)),
  }));
  return `${JSON.stringify({ ok: rows.every(({ fate }) => fate === 'caught'), mutants: rows }, null, 2)}\n`;
}
