import type { Environment } from '../lib/running-service.ts';
import type { Interruption } from '../lib/signals.ts';
import type { Terminal } from '../lib/terminal.ts';
import { Expectations } from './expectations.ts';
import type { DemoOptions } from './options.ts';
import type { Outcome } from './outcome.ts';
import { type Performance, perform } from './perform.ts';
import { Timeline } from './timeline.ts';
import { checkWebhooks } from './webhooks.ts';
import { startWorld, type World } from './world.ts';

export interface Run {
  readonly options: DemoOptions;
  readonly environment: Environment;
  readonly terminal: Terminal;
  readonly interruption: Interruption;
}

/** The progress so far, kept even if the next step fails. */
interface Progress {
  world: World | null;
  performance: Performance | null;
  startMs: number;
}

/**
 * Starts the world and acts out the story. A failure is a part of the outcome and is not thrown. The caller must stop the
 * world, if there is one. Without `--keep` the service has stopped already, so that no more webhooks arrive.
 */
export async function runDemo(run: Run): Promise<Outcome> {
  const { options, terminal, interruption } = run;
  const began = performance.now();
  const timeline = new Timeline(terminal);
  const expect = new Expectations();
  const progress: Progress = { world: null, performance: null, startMs: 0 };
  const failure = await act(run, progress, { timeline, expect }).then(
    () => null,
    // An interrupt breaks the run. The resulting error is not the reason of the end.
    (error: unknown) => (interruption.signal.aborted ? interruption.signal.reason : error),
  );
  const durationMs = performance.now() - began;
  return { story: options.story, ...progress, durationMs, failure, timeline, expect };
}

type Notes = Pick<Outcome, 'timeline' | 'expect'>;

async function act(run: Run, progress: Progress, { timeline, expect }: Notes): Promise<void> {
  const { options, environment, terminal, interruption } = run;
  const world = await up(run, progress, environment);
  const ended = Promise.race([world.lost, interruption.asked.then((interrupted) => Promise.reject(interrupted))]);
  progress.performance = await Promise.race([perform(options.story, { world, timeline, terminal, expect }), ended]);
  if (options.keep) return;
  const done = terminal.busy('ending the service');
  await world.stopService();
  done();
  // Checks again, because all pending webhooks have arrived by now, and none may have come twice.
  checkWebhooks(world.receiver, progress.performance.events, expect);
}

async function up(
  { options, terminal, interruption }: Run,
  progress: Progress,
  environment: Environment,
): Promise<World> {
  const began = performance.now();
  const done = terminal.busy('starting the service, its database and a local chain');
  try {
    progress.world = await startWorld({
      environment,
      payeeDelay: options.story.payeeDelay ?? 0,
      signal: interruption.signal,
    });
  } finally {
    done();
  }
  progress.startMs = performance.now() - began;
  const { dim, green } = terminal.colors;
  terminal.line(
    ` ${green('✓')} service, database and local chain are up ${dim(`${(progress.startMs / 1_000).toFixed(1)} s`)}`,
  );
  return progress.world;
}
