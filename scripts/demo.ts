import { dirname, join } from 'node:path';
import { Stage } from '../stage/stage.ts';
import { perform, type Shown, STORIES, STORIES_BEGIN, storyNames } from '../stage/stories.ts';
import type { Story } from '../stage/story.ts';
import { type Outcome, outcomeJson, showOutcome } from './demo/outcome.ts';
import { Timeline } from './demo/timeline.ts';
import { runScript, ScriptError, scriptWith, UsageError } from './lib/script.ts';
import { Interrupted, type Interruption, listenForSignals } from './lib/signals.ts';
import { type Terminal, terminalOn } from './lib/terminal.ts';

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

/** Shows the URLs and keys of everything that `--keep` leaves running. */
function showKept(stage: Stage, terminal: Terminal): void {
  const { bold, dim } = terminal.colors;
  const merchant = stage.merchants[0];
  const client = merchant?.client;
  const rows: [string, string | undefined][] = [
    ['API', `${stage.url}/v1`],
    ['Health', `${stage.url}/health`],
    ['Test wallets', `${stage.url}/devnet.json`],
    ['Local EVM', stage.chain.facts.rpcUrl],
    ['Merchant', merchant?.id],
    ['Test key', client?.testKey],
    ['Live key', client?.liveKey],
    ['Staff token', stage.staff().token],
    ['Webhooks to', merchant?.receiver.url],
    ['Data folder', stage.dataDir],
    ['Service log', join(dirname(stage.dataDir), 'service.log')],
  ];
  terminal.line(` ${bold('Everything stays up')} until Ctrl-C, and is deleted then.`);
  terminal.line();
  for (const [name, value] of rows) {
    if (value !== undefined) terminal.line(`  ${dim(name.padEnd(12))}  ${value}`);
  }
  terminal.line();
  if (client) terminal.line(`  curl -s -H 'X-API-Key: ${client.testKey}' ${stage.url}/v1/payments\n`);
}

interface Run {
  readonly options: { readonly story: Story; readonly keep: boolean; readonly json: boolean };
  readonly terminal: Terminal;
  readonly interruption: Interruption;
}

/** The progress so far, kept even if the next step fails. */
interface Progress {
  stage: Stage | null;
  shown: Shown | null;
  startMs: number;
}

/**
 * Opens a stage and acts out the story. A failure is a part of the outcome and is not thrown. The caller must stop the
 * stage, if there is one. Without `--keep` the service has stopped already, so that no more webhooks arrive.
 */
async function runDemo(run: Run): Promise<Outcome> {
  const { options, terminal, interruption } = run;
  const began = performance.now();
  const timeline = new Timeline(terminal);
  const progress: Progress = { stage: null, shown: null, startMs: 0 };
  const failure = await act(run, progress, timeline).then(
    () => null,
    // An interrupt breaks the run. The resulting error is not the reason of the end.
    (error: unknown) => (interruption.signal.aborted ? interruption.signal.reason : error),
  );
  const durationMs = performance.now() - began;
  return { story: options.story, ...progress, durationMs, failure, timeline };
}

async function act(run: Run, progress: Progress, timeline: Timeline): Promise<void> {
  const { options, interruption } = run;
  const stage = await opened(run, progress, timeline);
  const interrupted = interruption.asked.then((error) => Promise.reject(error));
  progress.shown = await Promise.race([perform(options.story, stage), lost(stage), interrupted]);
  timeline.release();
  if (options.keep) return;
  await timeline.waitFor('ending the service', stage.stopService());
  // All pending webhooks have arrived by now, and none may have come twice or too many.
  for (const merchant of stage.merchants) merchant.expectNoOtherEvents();
}

async function lost({ service }: Stage): Promise<never> {
  const { code, signal } = await service.exited;
  throw new ScriptError(`The service ended with ${signal ?? code} during the demo.\n${service.log()}`.trimEnd());
}

async function opened(
  { options, terminal, interruption }: Run,
  progress: Progress,
  timeline: Timeline,
): Promise<Stage> {
  const began = performance.now();
  const { env = {}, hasThief = false, hasLetters = false } = options.story;
  const opening = Stage.open({
    env: { ...env, NO_COLOR: '1' },
    hasLetters,
    narrator: timeline,
    logFile: (folder) => join(folder, 'service.log'),
    signal: interruption.signal,
    ...(hasThief ? {} : { on: STORIES_BEGIN }),
  });
  const stage = await timeline.waitFor('starting the service, its database and a local chain', opening);
  progress.stage = stage;
  progress.startMs = performance.now() - began;
  const { dim, green } = terminal.colors;
  const seconds = dim(`${(progress.startMs / 1_000).toFixed(1)} s`);
  terminal.line(` ${green('✓')} service, database and local chain are up ${seconds}`);
  return stage;
}
