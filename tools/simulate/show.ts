import { markOf, type Terminal, table } from '../../scripts/lib/terminal.ts';
import type { Breakage } from './breakages.ts';
import { COUNTED, type Outcome } from './outcome.ts';
import type { Tally } from './tally.ts';

/** How many failed seeds are shown with their trace, and how many lines of each. */
const SHOWN = 5;
const LINES = 20;
/** How many failed seeds are named. */
const NAMED = 50;

/** The command that shows a seed again, line by line. */
export function againCommand(seed: number, breakage: Breakage | null): string {
  return `npm run prove -- simulate --seed ${seed}${breakage === null ? '' : ` --broken ${breakage}`} --trace`;
}

/** Shows a failed seed: its violations, the end of its trace, and the command that repeats it. */
function showFailure({ seed, violations, lines }: Outcome, breakage: Breakage | null, terminal: Terminal): void {
  const { red, dim, bold } = terminal.colors;
  terminal.line();
  terminal.line(` ${red('✗')} ${bold(`seed ${seed}`)}`);
  for (const violation of violations) terminal.line(`   ${violation}`);
  for (const line of lines.slice(-LINES)) terminal.line(dim(`     ${line}`));
  terminal.line(`   ${againCommand(seed, breakage)}`);
}

/** Shows one more failed seed, the `failed`-th: the first ones with their trace, the next ones by their command. */
export function showFailed(outcome: Outcome, failed: number, breakage: Breakage | null, terminal: Terminal): void {
  if (failed <= SHOWN) showFailure(outcome, breakage, terminal);
  else if (failed <= NAMED) terminal.line(`   ${againCommand(outcome.seed, breakage)}`);
}

export function showTally(tally: Tally, terminal: Terminal): void {
  const { failures } = tally;
  const rows = [
    ['seeds', String(tally.seeds)],
    ['seeds per second', tally.perSecond.toFixed(1)],
    ['simulated years', tally.simulatedYears.toFixed(1)],
    ...COUNTED.map(([name, title]) => [title, String(tally.counts[name])]),
    ...tally.mishaps.map(([name, count]) => [`  ${name}`, String(count)]),
    ['honest charges beside hostile actors', String(tally.beside.charges)],
    ['greatest delay of one by them', `${(tally.beside.delayMs / 1_000).toFixed(1)} s`],
    ...tally.acts.map(([name, count]) => [`  ${name}`, String(count)]),
    ['violations', String(failures.length)],
  ];
  terminal.line();
  for (const line of table(['what', 'count'], rows).trimEnd().split('\n')) terminal.line(`   ${line}`);
  const { colors } = terminal;
  const isSound = failures.length === 0;
  const verdict = isSound ? 'everything held' : `${failures.length} seeds failed`;
  terminal.line();
  terminal.line(` ${markOf(isSound, colors)} ${colors.bold(verdict)}`);
}
