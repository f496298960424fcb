import { faultPlanText } from '../../devnet/faults.ts';
import { type Colors, markOf, type Terminal } from '../../scripts/lib/terminal.ts';
import type { ReplicaSet } from '../lib/replica-set.ts';
import { type CrashOutcome, holds } from './outcome.ts';
import type { Run } from './run.ts';
import type { Verdict } from './verdict.ts';

/** The columns of a row: their widths, and whether they are aligned to the right. */
const COLUMNS = [
  [46, false],
  [6, false],
  [3, true],
  [12, false],
  [6, true],
] as const;

function row(cells: readonly string[]): string {
  const parts = COLUMNS.map(([width, isRight], at) => {
    const cell = cells[at] ?? '';
    return isRight ? cell.padStart(width) : cell.padEnd(width);
  });
  return `   ${parts.join('  ')}`;
}

export function headOfRuns(which: string, { bold, dim }: Colors): string {
  return `${bold(`Chain ${which}`)}\n\n${dim(row(['fault point', 'action', 'hit', 'outcome', 'after']))}`;
}

const DONE: Readonly<Record<Run['plan']['action'], string>> = {
  kill: 'died there',
  throw: 'went on',
  delay: 'waited',
};

export function rowOfRun({ plan, outcome, why, ms }: Run, colors: Colors): string {
  const { point, detail, action, hit } = plan;
  const isGood = outcome === 'carried out';
  const where = detail === null ? point : `${point}/${detail}`;
  const text = row([where, action, String(hit), isGood ? DONE[action] : outcome, seconds(ms)]).slice(1);
  const reason = isGood || why === null ? '' : colors.dim(`  ${why}`);
  return `${markOf(isGood, colors)}${text}${reason}`;
}

export function showVerdict({ violations, figures, journals }: Verdict, terminal: Terminal): void {
  const { bold, dim } = terminal.colors;
  const { subscriptions, payments, charges, underMandates, events, deliveries, replayed, endedMs } = figures;
  const seen = [
    `${subscriptions} subscriptions, ${payments} payments, ${charges} charges on the chain, ${underMandates} under mandates`,
    `${events} events in ${deliveries} deliveries, ${replayed.actors} journals (${replayed.events} rows) replayed`,
    `everything ended ${seconds(endedMs)} after the start of the last process`,
  ];
  terminal.line();
  const sum = violations.length === 0 ? 'no violation' : `${violations.length} violations`;
  terminal.line(` ${markOf(violations.length === 0, terminal.colors)} ${bold(sum)}`);
  for (const line of seen) terminal.line(dim(`   ${line}`));
  for (const { about, what } of violations.slice(0, SHOWN_MAX))
    terminal.line(`   ${what}${about === null ? '' : dim(`  (${about})`)}`);
  for (const row of journals) terminal.line(dim(`   ${row}`));
}

/** Shows what the processes met at the database. */
export function showElections(met: ReplicaSet['met'], unavailable: number, terminal: Terminal): void {
  const { dim } = terminal.colors;
  const { refused, interrupted, lost, unconfirmed } = met;
  terminal.line();
  terminal.line(
    dim(`   operations: ${refused} refused, ${interrupted} interrupted, ${lost} lost, ${unconfirmed} not confirmed`),
  );
  terminal.line(dim(`   requests answered with 503: ${unavailable}`));
}

const SHOWN_MAX = 20;

export function showOutcome(outcome: CrashOutcome, terminal: Terminal): void {
  const { colors } = terminal;
  const { title, runs, unreached, verdicts, ms } = outcome;
  const violations = verdicts.flatMap((verdict) => verdict.violations).length;
  terminal.line();
  const sum = colors.bold(`${title}, ${violations} violations`);
  terminal.line(` ${markOf(holds(outcome), colors)} ${sum}, ${seconds(ms)}`);
  for (const point of unreached) terminal.line(`   ${point}: declared, but no process reached it`);
  for (const { plan, outcome: how, why } of runs) {
    if (how !== 'carried out') terminal.line(`   ${faultPlanText(plan)}: ${how}, ${why ?? ''}`);
  }
  terminal.line();
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
