import { FAULT_POINTS, type FaultPlan } from '../../src/engine/faults.ts';
import type { ToolRun } from '../lib/run-tool.ts';
import type { CrashOutcome } from './outcome.ts';
import { playIn } from './play.ts';
import { carryOut, type Run, readFaultReport } from './run.ts';
import { headOfRuns, rowOfRun } from './show.ts';

/** A world per chain: a process per plan, each continuing the last one's work; then a verdict. */
export async function runRounds(tool: ToolRun, chains: readonly (readonly FaultPlan[])[]): Promise<CrashOutcome> {
  const rounds: CrashOutcome[] = [];
  for (const [index, plans] of chains.entries()) {
    const heading = headOfRuns(`${index + 1} of ${chains.length}`, tool.terminal.colors);
    rounds.push(await playRound(tool, heading, plans));
  }
  const runs = rounds.flatMap((round) => round.runs);
  return {
    title: `${runs.length} processes hit`,
    runs,
    unreached: FAULT_POINTS.filter((point) => rounds.every(({ unreached }) => unreached.includes(point))),
    verdicts: rounds.flatMap(({ verdicts }) => verdicts),
    ms: rounds.reduce((sum, { ms }) => sum + ms, 0),
  };
}

function playRound(tool: ToolRun, heading: string, plans: readonly FaultPlan[]): Promise<CrashOutcome> {
  const { terminal, signal } = tool;
  return playIn(tool, heading, { payers: 2, signers: 1 }, async (world, judge) => {
    const runs: Run[] = [];
    for (const plan of plans) {
      const done = terminal.busy(`${plan.point} (${runs.length + 1} of ${plans.length})`);
      const run = await carryOut(world, plan, { signal }).finally(done);
      terminal.line(rowOfRun(run, terminal.colors));
      runs.push(run);
    }
    const verdict = await judge();
    const { reached } = await readFaultReport(world.reportFile);
    const unreached = FAULT_POINTS.filter((point) => !reached.has(point));
    return { title: heading, runs, unreached, verdict, others: [] };
  });
}
