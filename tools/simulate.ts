import { Interrupted, listenForSignals } from '../scripts/demo/signals.ts';
import { runScript } from '../scripts/lib/script.ts';
import { terminalOn } from '../scripts/lib/terminal.ts';
import { runCrew } from './simulate/crew.ts';
import { readSimulateArguments } from './simulate/options.ts';
import type { Outcome } from './simulate/outcome.ts';
import { showFailed, showTally, tallyJson } from './simulate/show.ts';
import { Tally } from './simulate/tally.ts';

const usage = `
npm run simulate [-- [--seeds N] [--seed S] [--workers W] [--trace] [--json] [--broken WHAT]]
  Let 2 to 20 days go by for small merchants in a fraction of a second: the real engine, machines, billing, webhooks, sender
  and reconciler in several workers, on a clock, a store, receivers and chains (EVM, Solana or both) that a seed decides. Workers
  die before and after every call of a port; the database, nodes, receivers and blocks fail by chance. Then nothing fails
  any more, and everything has to end and to add up. One seed is one run, the same to the last byte whenever it is run.
    --seeds      how many, one after the other (default 100; 1 where --seed is given)
    --seed       the first one; else it is chosen
    --workers    how many processes (default: one for each core)
    --trace      print all that happens in the one seed
    --json       print the outcome as JSON on stdout; what people read goes to stderr
    --broken     break the world on purpose, to see that it is found: lost-write, no-fence, lost-events, lost-changes

Exit codes: 0 everything held, 1 otherwise, 2 not understood.
`;

/** How often something is said of what has been done, milliseconds. */
const SAY_MS = 10_000;

async function main(argv: readonly string[]): Promise<number> {
  const { seeds, workers, trace, json, breakage } = readSimulateArguments(argv);
  const terminal = terminalOn(json ? process.stderr : process.stdout, process.env['NO_COLOR']);
  const { signal } = listenForSignals();
  const tally = new Tally();
  const take = (outcome: Outcome): void => {
    tally.add(outcome);
    const { failures } = tally;
    if (failures.at(-1) === outcome) showFailed(outcome, failures.length, breakage, terminal);
  };
  if (trace) {
    const { simulate } = await import('./simulate/run.ts');
    for (const seed of seeds) take(await simulate(seed, { breakage, show: (line) => terminal.line(line) }));
  } else {
    const hide = terminal.busy(`${seeds.length} seeds from ${seeds[0] ?? ''}`);
    let saidAt = performance.now();
    await runCrew({
      seeds,
      workers,
      breakage,
      signal,
      onOutcome: (outcome) => {
        take(outcome);
        if (performance.now() - saidAt < SAY_MS) return;
        saidAt = performance.now();
        const { seeds: done, perSecond, failures } = tally;
        terminal.line(
          terminal.colors.dim(
            `   ${done} of ${seeds.length}, ${perSecond.toFixed(1)} a second, ${failures.length} failed`,
          ),
        );
      },
    });
    hide();
  }
  showTally(tally, terminal);
  if (json) process.stdout.write(tallyJson(tally));
  if (signal.reason instanceof Interrupted && tally.failures.length === 0) return signal.reason.exitCode;
  return tally.failures.length === 0 ? 0 : 1;
}

await runScript({ usage, main }, process.argv.slice(2));
