import { join } from 'node:path';
import { Stage } from '../../stage/stage.ts';
import { perform, type Shown, STORIES_BEGIN } from '../../stage/stories.ts';
import type { Story } from '../../stage/story.ts';
import { ScriptError } from '../lib/script.ts';
import type { Interruption } from '../lib/signals.ts';
import type { Terminal } from '../lib/terminal.ts';
import type { Outcome } from './outcome.ts';
import { Timeline } from './timeline.ts';

/** The arguments of `npm run demo`. */
interface DemoOptions {
  readonly story: Story;
  /** Leave everything running at the end, until Ctrl-C. */
  readonly keep: boolean;
  /** Print the outcome as JSON on stdout; text for people goes to stderr. */
  readonly json: boolean;
}

export interface Run {
  readonly options: DemoOptions;
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
export async function runDemo(run: Run): Promise<Outcome> {
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

async function act({ options, terminal, interruption }: Run, progress: Progress, timeline: Timeline): Promise<void> {
  const stage = await opened({ options, terminal, interruption }, progress, timeline);
  const interrupted = interruption.asked.then((error) => Promise.reject(error));
  progress.shown = await Promise.race([perform(options.story, stage), lost(stage), interrupted]);
  timeline.release();
  if (options.keep) return;
  await timeline.waitFor('ending the service', stage.stopService());
  // All pending webhooks have arrived by now, and none may have come twice or too many.
  for (const merchant of stage.merchants) merchant.expectNoOtherEvents();
}

/** Rejects if the service ends during the story. */
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
  const { env = {}, hasThief = false } = options.story;
  const opening = Stage.open({
    env: { ...env, NO_COLOR: '1' },
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
