import { FAULT_POINTS, type FaultPlan, type FaultPoint } from '../../src/engine/faults.ts';
import type { ToolRun } from '../lib/run-tool.ts';
import { readFaultReport } from './fault-report.ts';
import type { CrashOutcome } from './outcome.ts';
import { judgeAtEnd, NO_OUTCOME, openedWorld } from './play.ts';
import { carryOut, type Run } from './run.ts';
import { headOfRuns, rowOfRun, showVerdict } from './show.ts';
import type { Verdict } from './verdict.ts';

/** A chain of processes in its own world, with the results. */
interface Round {
  readonly runs: readonly Run[];
  readonly reached: ReadonlySet<FaultPoint>;
  readonly verdict: Verdict;
}

/**
 * Runs the chains in order: one process per plan, each continuing the work of the one before, then a verdict. The
 * outcome names declared points that no process reached.
 */
export async function runRounds(tool: ToolRun, chains: readonly (readonly FaultPlan[])[]): Promise<CrashOutcome> {
  const began = performance.now();
  const rounds: Round[] = [];
  for (const [index, plans] of chains.entries()) {
    tool.terminal.line(headOfRuns(`${index + 1} of ${chains.length}`, tool.terminal.colors));
    const round = await playRound(tool, plans);
    showVerdict(round.verdict, tool.terminal);
    rounds.push(round);
  }
  const reached = new Set(rounds.flatMap((round) => [...round.reached]));
  return {
    ...NO_OUTCOME,
    runs: rounds.flatMap(({ runs }) => runs),
    unreached: FAULT_POINTS.filter((point) => !reached.has(point)),
    verdicts: rounds.map(({ verdict }) => verdict),
    ms: Math.round(performance.now() - began),
  };
}

async function playRound({ terminal, signal }: ToolRun, plans: readonly FaultPlan[]): Promise<Round> {
  const world = await openedWorld(terminal, { payers: 2, signers: 1 });
  try {
    const runs: Run[] = [];
    for (const plan of plans) {
      const done = terminal.busy(`${plan.point} (${runs.length + 1} of ${plans.length})`);
      const run = await carryOut(world, plan, { signal }).finally(done);
      terminal.line(rowOfRun(run, terminal.colors));
      runs.push(run);
    }
    const verdict = await judgeAtEnd({ terminal, signal }, world);
    return { runs, reached: (await readFaultReport(world.reportFile)).reached, verdict };
  } finally {
    await world.stop();
  }
}
