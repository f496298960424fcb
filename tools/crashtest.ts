import { setMaxListeners } from 'node:events';
import { Interrupted, listenForSignals } from '../scripts/demo/signals.ts';
import { runScript } from '../scripts/lib/script.ts';
import { terminalOn } from '../scripts/lib/terminal.ts';
import { runBurst } from './crashtest/burst.ts';
import { readCrashOptions } from './crashtest/options.ts';
import { type CrashOutcome, holds, outcomeJson, showOutcome } from './crashtest/outcome.ts';
import { everyPlan, KILL_CHAINS, killsAt } from './crashtest/plans.ts';
import { runRounds } from './crashtest/rounds.ts';
import { runSoak } from './crashtest/soak.ts';
import type { Stage } from './crashtest/stage.ts';
import { runStrikes } from './crashtest/strikes.ts';

const usage = `
npm run crashtest [-- [burst [--subscriptions N] [--over S] | soak [--minutes N] | --full | --kills N [--seed S]] [--json]]
  Kill real processes of the service while a merchant uses it, start them again, and let the chain's logs, a webhook
  receiver and the journals judge: every charge once, every event reported, nothing lost. Loopback only, on a temporary folder.
    (nothing)        one process after another dies at a fault point, until every declared point has had its turn
    --full           beside that, every point at its first three hits: killed, failing, waiting
    --kills N        two and four processes in turn, under load: N times one of them is killed, at a random moment or a random
                     point, or the database's process; beside that they are paused, and the chain's node stands still
    burst            nothing is killed: 1,000 subscriptions fall due in one second on two worker processes, and each is
                     charged once; says how late they were and who did what
    soak             nothing is killed: 20 minutes at a steady load, in which memory, handles and lag may not grow
    --minutes        another number of them, up to 720
    --subscriptions  another number of them, up to 5,000
    --over           spread evenly over so many seconds, up to 60
    --seed           what the random choices of --kills start from: an integer; else it is chosen and shown
    --json           print the outcome as JSON on stdout; what people read goes to stderr

Exit codes: 0 nothing was violated and every declared point reached, 1 otherwise, 2 not understood.
`;

async function main(argv: readonly string[]): Promise<number> {
  const options = readCrashOptions(argv);
  const terminal = terminalOn(options.json ? process.stderr : process.stdout, process.env['NO_COLOR']);
  const { signal } = listenForSignals();
  // Everything that waits, and every request under way, listens to this one.
  setMaxListeners(0, signal);
  const stage: Stage = { terminal, signal };
  let outcome: CrashOutcome;
  try {
    if (options.burst !== null) outcome = await runBurst(stage, options.burst);
    else if (options.soak !== null) outcome = await runSoak(stage, options.soak);
    else if (options.strikes === null) outcome = await runRounds(stage, roundsOf(options.full));
    else outcome = await runStrikes(stage, options.strikes);
  } catch (error) {
    // What breaks because everything is being ended is not what went wrong.
    if (signal.reason instanceof Interrupted) return signal.reason.exitCode;
    throw error;
  }
  showOutcome(outcome, terminal);
  if (options.json) process.stdout.write(outcomeJson(outcome));
  return holds(outcome) ? 0 : 1;
}

function roundsOf(full: boolean) {
  const chains = KILL_CHAINS.map(killsAt);
  return full ? [...chains, ...everyPlan()] : chains;
}

await runScript({ usage, main }, process.argv.slice(2));
