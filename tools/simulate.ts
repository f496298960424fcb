import type { Script } from '../scripts/lib/script.ts';
import { runTool, type ToolRun } from './lib/run-tool.ts';
import { BREAKAGES } from './simulate/breakages.ts';
import { runCrew } from './simulate/crew.ts';
import { readSimulateArguments, type SimulateArguments } from './simulate/options.ts';
import type { Outcome } from './simulate/outcome.ts';
import { showFailed, showTally } from './simulate/show.ts';
import { Tally } from './simulate/tally.ts';

const usage = `
npm run prove -- simulate [--seeds N] [--seed S] [--step D] [--workers W] [--trace] [--no-siege] [--broken WHAT]
  Simulate 2 to 20 days of small merchants in a fraction of a second: the real engine, machines, billing, webhooks, senders
  and reconcilers run in several workers. A seed decides the clock, the store, the receivers and the chains (EVM, Solana or both).
  Workers die before or after any call of a port; the database, nodes, receivers and blocks fail at random. Then the faults
  stop, and everything must end and add up. One seed is one run: each repetition is the same to the last byte.
  Every third seed also has a siege: honest payers live once alone and once beside hostile wallets, tokens, payers and
  merchants, which may delay no honest charge by more than 10 blocks or 120 s, whichever is longer.
    --seeds      how many consecutive seeds (default 100; 1 with --seed)
    --step       the distance of two seeds (default 1): from 5, every 15th seed has prices by use; from 23, every 30th changes of the plan
    --seed       the first seed (default: random)
    --workers    how many processes (default: one per core)
    --trace      print every step of one seed
    --no-siege   leave out the sieges, which take two thirds of the time
    --broken     break the store on purpose; the run must detect it: ${BREAKAGES.join(', ')}

Exit codes: 0 no violation, 1 violations, 2 the arguments are wrong.
`;

/** How often progress is printed, milliseconds. */
const SAY_MS = 10_000;

function main(argv: readonly string[]): Promise<number> {
  const options = readSimulateArguments(argv);
  return runTool(async (tool) => {
    const tally = await tallyOf(tool, options);
    showTally(tally, tool.terminal);
    return tally.failures.length === 0 ? 0 : 1;
  });
}

async function tallyOf({ terminal, signal }: ToolRun, options: SimulateArguments): Promise<Tally> {
  const { seeds, workers, trace, breakage, hasSieges } = options;
  const tally = new Tally();
  const take = (outcome: Outcome): void => {
    tally.add(outcome);
    const { failures } = tally;
    if (failures.at(-1) === outcome) showFailed(outcome, failures.length, breakage, terminal);
  };
  if (trace) {
    const { simulate } = await import('./simulate/run.ts');
    for (const seed of seeds) take(await simulate(seed, { breakage, hasSieges, show: (line) => terminal.line(line) }));
    return tally;
  }
  const hide = terminal.busy(`${seeds.length} seeds from ${seeds[0] ?? ''}`);
  let shownAt = performance.now();
  const onOutcome = (outcome: Outcome): void => {
    take(outcome);
    if (performance.now() - shownAt < SAY_MS) return;
    shownAt = performance.now();
    const { seeds: done, perSecond, failures } = tally;
    const progress = `${done} of ${seeds.length}, ${perSecond.toFixed(1)} a second, ${failures.length} failed`;
    terminal.line(terminal.colors.dim(`   ${progress}`));
  };
  await runCrew({ seeds, workers, breakage, hasSieges, signal, onOutcome });
  hide();
  return tally;
}

export const simulate: Script = { usage, main };
