import { setMaxListeners } from 'node:events';
import type { Script } from '../scripts/lib/script.ts';
import { runElections } from './crashtest/elections.ts';
import { type CrashRun, readCrashOptions } from './crashtest/options.ts';
import { type CrashOutcome, holds } from './crashtest/outcome.ts';
import { everyPlan, KILL_CHAINS, killsAt } from './crashtest/plans.ts';
import { runRounds } from './crashtest/rounds.ts';
import { showOutcome } from './crashtest/show.ts';
import { runStrikes } from './crashtest/strikes.ts';
import { runTool, type ToolRun } from './lib/run-tool.ts';

const usage = `
npm run prove -- crash [--full | --kills N [--seed S]]
npm run prove -- elections [--count N]
  Kill real processes of the service while a merchant uses it, and start them again. The chain's logs, a webhook receiver
  and the journals judge: every charge once, every event reported, nothing lost. Loopback only, in a temporary folder.
    (no option)      one process after another dies at a fault point, until every declared point was hit
    --full           also every point at its first three hits: killed, failing, waiting
    --kills N        three processes under load; N kills: of a service process at a random moment or a random
                     fault point, or of the database; in addition, processes and the chain's node are paused
    elections        no kills of processes: the primary of a replica set dies or steps down every few seconds under load, 30
                     times; no merchant may get another 5xx than 503
    --count          elections, up to 1,000
    --seed           seed of the random choices of --kills, an integer; by default random and shown

Exit codes: 0 no violation and every declared point reached, 1 otherwise, 2 the arguments are wrong.
`;

function main(argv: readonly string[]): Promise<number> {
  const run = readCrashOptions(argv);
  return runTool(async (tool) => {
    // Every pause and every open request listens to this signal.
    setMaxListeners(0, tool.signal);
    const outcome = await outcomeOf(tool, run);
    showOutcome(outcome, tool.terminal);
    return holds(outcome) ? 0 : 1;
  });
}

function outcomeOf(tool: ToolRun, run: CrashRun): Promise<CrashOutcome> {
  switch (run.kind) {
    case 'points': {
      const chains = KILL_CHAINS.map(killsAt);
      return runRounds(tool, run.full ? [...chains, ...everyPlan()] : chains);
    }
    case 'strikes':
      return runStrikes(tool, run);
    case 'elections':
      return runElections(tool, run.count);
    default: {
      const never: never = run;
      return never;
    }
  }
}

export const crashtest: Script = { usage, main };

/** The elections of {@link crashtest}. */
export const elections: Script = { usage, main: (argv) => main(['elections', ...argv]) };
