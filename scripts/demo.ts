import { STORIES, storyNames } from '../stage/stories.ts';
import { showKept } from './demo/kept.ts';
import { type Outcome, outcomeJson, showOutcome } from './demo/outcome.ts';
import { type Run, runDemo } from './demo/run.ts';
import { scriptWith } from './lib/arguments.ts';
import { runScript, UsageError } from './lib/script.ts';
import { Interrupted, listenForSignals } from './lib/signals.ts';
import { terminalOn } from './lib/terminal.ts';

const usage = `
npm run demo [-- [--keep] [--json] [--story NAME]]
  Start the service with its own database and chain in a temporary folder, act out a story as a merchant and a payer, and
  compare the service's answers with the chain.
    --keep           leave everything running at the end, with URLs and keys on screen, until Ctrl-C
    --json           print the outcome as JSON on stdout; text for people goes to stderr
    --story          which story: ${storyNames()}

Exit codes: 0 every expectation held, 1 one did not, 2 the arguments are wrong.
`;

const demo = scriptWith({
  usage,
  options: {
    story: { type: 'string', default: 'subscription' },
    keep: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
  run: async ({ story: name, keep, json }) => {
    const story = STORIES.find((each) => each.name === name);
    if (!story) throw new UsageError(`There is no story ${name}: expected ${storyNames()}`);
    const terminal = terminalOn(json ? process.stderr : process.stdout, process.env['NO_COLOR']);
    const run: Run = { options: { story, keep, json }, terminal, interruption: listenForSignals() };
    const outcome = await runDemo(run);
    try {
      await conclude(run, outcome);
    } finally {
      const done = terminal.busy('stopping everything');
      await outcome.stage?.stop();
      done();
    }
    if (outcome.failure instanceof Interrupted) return outcome.failure.exitCode;
    return outcome.failure === null ? 0 : 1;
  },
});

/** Shows the result, and with `--keep` waits for Ctrl-C. */
async function conclude({ options, terminal, interruption }: Run, outcome: Outcome): Promise<void> {
  const { failure, stage } = outcome;
  if (failure instanceof Interrupted) return;
  showOutcome(outcome, terminal);
  if (options.json) process.stdout.write(outcomeJson(outcome));
  if (!options.keep || stage === null) return;
  showKept(stage, terminal);
  await Promise.race([interruption.asked, stage.service.exited]);
}

await runScript(demo, process.argv.slice(2));
