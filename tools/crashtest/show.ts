import { faultPlanText } from '../../devnet/faults.ts';
import { table } from '../../scripts/lib/table.ts';
import type { Colors, Terminal } from '../../scripts/lib/terminal.ts';
import type { BurstFigures, Spread } from './burst/figures.ts';
import type { ElectionFigures } from './election-figures.ts';
import type { Run } from './run.ts';
import type { SoakFigures } from './soak/flat.ts';
import type { Quantity } from './soak/samples.ts';
import type { Verdict } from './verdict.ts';

const WIDTHS = { point: 46, action: 6, hit: 3, outcome: 12 } as const;

/** The heading of a chain's rows. */
export function headOfRuns(which: string, { bold, dim }: Colors): string {
  const head = row({ point: 'fault point', action: 'action', hit: 'hit', outcome: 'outcome', seconds: 'after' });
  return `\n ${bold(`Chain ${which}`)}\n\n${dim(head)}`;
}

export function rowOfRun({ plan, outcome, why, ms }: Run, { green, red, dim }: Colors): string {
  const { point, detail, action, hit } = plan;
  const isGood = outcome === 'carried out';
  const text = row({
    point: detail === null ? point : `${point}/${detail}`,
    action,
    hit: String(hit),
    outcome: isGood ? done(action) : outcome,
    seconds: seconds(ms),
  });
  return isGood ? `${green('✓')}${text.slice(1)}` : `${red('✗')}${text.slice(1)}${dim(why === null ? '' : `  ${why}`)}`;
}

function done(action: Run['plan']['action']): string {
  switch (action) {
    case 'kill':
      return 'died there';
    case 'throw':
      return 'went on';
    case 'delay':
      return 'waited';
    default: {
      const never: never = action;
      return never;
    }
  }
}

/** Shows a verdict. */
export function showVerdict({ violations, figures }: Verdict, terminal: Terminal): void {
  const { green, red, bold, dim } = terminal.colors;
  const { subscriptions, payments, charges, underMandates, events, deliveries, replayed, endedMs } = figures;
  const seen = [
    `${subscriptions} subscriptions, ${payments} payments, ${charges} charges on the chain, ${underMandates} under mandates`,
    `${events} events in ${deliveries} deliveries, ${replayed.actors} journals (${replayed.events} rows) replayed`,
    `everything ended ${seconds(endedMs)} after the start of the last process`,
  ];
  terminal.line();
  terminal.line(
    violations.length === 0
      ? ` ${green('✓')} ${bold('no violation')}`
      : ` ${red('✗')} ${bold(`${violations.length} violations`)}`,
  );
  for (const line of seen) terminal.line(dim(`   ${line}`));
  for (const { about, what } of violations.slice(0, SHOWN_MAX))
    terminal.line(`   ${what}${about === null ? '' : dim(`  (${about})`)}`);
}

/** Shows the delays of a burst, and the share of each process. */
export function showBurst(figures: BurstFigures, terminal: Terminal): void {
  const { dim } = terminal.colors;
  const { subscriptions, dueWithinMs, opened, settled, chargesPerSecond, eachSecond, shares } = figures;
  const spread = ({ p50, p99, max }: Spread) => `p50 ${seconds(p50)}, p99 ${seconds(p99)}, max ${seconds(max)}`;
  const lines = [
    `${subscriptions} due within ${dueWithinMs} ms`,
    `from due to attempt  ${spread(opened)}`,
    `from due to settled  ${spread(settled)}`,
    `${Math.round(chargesPerSecond)} charges per second; in each second ${eachSecond.join(' ')}`,
    ...shares.map(({ pid, woken, sent }) => `process ${pid}: ${woken} woken, ${sent} transactions sent`),
  ];
  terminal.line();
  for (const line of lines) terminal.line(dim(`   ${line}`));
}

/** Shows what the processes met at the database. */
export function showElections({ met, unavailable }: ElectionFigures, terminal: Terminal): void {
  const { dim } = terminal.colors;
  const { refused, interrupted, lost, unconfirmed } = met;
  terminal.line();
  terminal.line(
    dim(`   operations: ${refused} refused, ${interrupted} interrupted, ${lost} lost, ${unconfirmed} not confirmed`),
  );
  terminal.line(dim(`   requests answered with 503: ${unavailable}`));
}

/** Shows memory, handles and lag in the first and last third after the warm-up. */
export function showSoak({ samples, courses }: SoakFigures, terminal: Terminal): void {
  const { green, red, dim } = terminal.colors;
  const rows = courses.map(({ quantity, first, last, most, holds }) => [
    holds ? 'ok' : 'grows',
    NAMES[quantity],
    ...[first, last, most].map((value) => value.toFixed(value < 10 ? 1 : 0)),
  ]);
  const [head = '', ...lines] = table(['', 'what', 'first third', 'last third', 'at most'], rows).split('\n');
  terminal.line();
  terminal.line(dim(`   ${head}`));
  for (const [index, line] of lines.filter((each) => each !== '').entries()) {
    const colour = courses[index]?.holds ? green : red;
    terminal.line(`   ${colour(line.slice(0, 5))}${line.slice(5)}`);
  }
  terminal.line(dim(`   ${samples} samples, without the first fifth of the time`));
}

const NAMES: Readonly<Record<Quantity, string>> = {
  residentMb: 'resident memory, MB',
  heapMb: 'heap after a collection, MB',
  openFiles: 'open files',
  handles: 'active handles',
  dueLagMs: 'longest due, ms',
  loopLagMs: 'event loop p99, ms',
  paymentMs: 'POST /payments p50, ms',
};

/** `--json` prints all of them. */
const SHOWN_MAX = 20;

/** Shows the runs whose plan was not carried out. */
export function showMissed(runs: readonly Run[], terminal: Terminal): void {
  for (const { plan, outcome, why } of runs) {
    if (outcome !== 'carried out') terminal.line(`   ${faultPlanText(plan)}: ${outcome}, ${why ?? ''}`);
  }
}

export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

interface Cells {
  readonly point: string;
  readonly action: string;
  readonly hit: string;
  readonly outcome: string;
  readonly seconds: string;
}

function row(cells: Cells): string {
  const parts = [
    cells.point.padEnd(WIDTHS.point),
    cells.action.padEnd(WIDTHS.action),
    cells.hit.padStart(WIDTHS.hit),
    cells.outcome.padEnd(WIDTHS.outcome),
    cells.seconds.padStart(WIDTHS.action),
  ];
  return `   ${parts.join('  ')}`;
}
