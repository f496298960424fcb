import type { Environment } from '../lib/running-service.ts';
import type { Terminal } from '../lib/terminal.ts';
import { Expectations } from './expectations.ts';
import type { DemoOptions } from './options.ts';
import type { Outcome } from './outcome.ts';
import { type Performance, perform } from './perform.ts';
import type { Interruption } from './signals.ts';
import { Timeline } from './timeline.ts';
import { checkWebhooks } from './webhooks.ts';
import { startWorld, type World } from './world.ts';

export interface Run {
  readonly options: DemoOptions;
  readonly environment: Environment;
  readonly terminal: Terminal;
  readonly interruption: Interruption;
}

/** What has been reached, also when what came next failed. */
interface Progress {
  world: World | null;
  performance: Performance | null;
  startMs: number;
}

/**
 * Starts the world and tells the story in it. What went wrong is in the outcome and not thrown; the world, where it came
 * up, is the caller's to stop. Without `--keep` its service has ended, so that nothing comes any more.
 */
export async function runDemo(run: Run): Promise<Outcome> {
  const { options, terminal, interruption } = run;
  const began = performance.now();
  const timeline = new Timeline(terminal);
  const expect = new Expectations();
  const progress: Progress = { world: null, performance: null, startMs: 0 };
  const failure = await act(run, progress, { timeline, expect }).then(
    () => null,
    // What breaks because everything is being ended is not what went wrong.
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
  // Once more: what was on its way has come by now, and nothing of it was a second time.
  checkWebhooks(world.receiver, progress.performance.events, expect);
}

async function up({ terminal, interruption }: Run, progress: Progress, environment: Environment): Promise<World> {
  const began = performance.now();
  const done = terminal.busy('starting the service, its database and a local chain');
  try {
    progress.world = await startWorld({ environment, signal: interruption.signal });
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
