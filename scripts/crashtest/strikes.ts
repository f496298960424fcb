import { startLoad } from './load.ts';
import type { StrikeOptions } from './options.ts';
import type { CrashOutcome } from './outcome.ts';
import { Random } from './random.ts';
import { Range, type Strike } from './range.ts';
import { showVerdict } from './show.ts';
import type { Stage } from './stage.ts';
import { reachVerdict, type Verdict } from './verdict.ts';
import { openWorld, type World } from './world.ts';

const PROCESSES = 2;

/** Subscriptions of one wallet share its allowance and are looked at together: many of one would be another test. */
const PAYERS = 11;

/** What is begun, at most: enough to be under load all the time, and bounded. */
const STORIES_PER_STRIKE = 10;
const STORIES_LEAST = 40;

/** What stood still while a receiver answered has a retry of a minute before it. */
const ENDS_WITHIN_MS = 120_000;

/**
 * Strikes at processes that share a database and a chain, while merchants subscribe, charge and renew; then lets everything
 * end and judges. The same seed makes the same choices; the processes' own timing stays theirs.
 */
export async function runStrikes(stage: Stage, options: StrikeOptions): Promise<CrashOutcome> {
  const { terminal } = stage;
  const began = performance.now();
  terminal.line();
  terminal.line(` ${terminal.colors.bold(`${options.count} strikes at ${PROCESSES} processes`)}, seed ${options.seed}`);
  const up = terminal.busy('starting database, chain and a merchant');
  const world = await openWorld({ payers: PAYERS }).finally(up);
  try {
    const strikes: Strike[] = [];
    const verdict = await strike(stage, world, options, strikes);
    showVerdict(verdict, terminal);
    const ms = Math.round(performance.now() - began);
    return { seed: options.seed, runs: [], strikes, burst: null, unreached: [], verdicts: [verdict], ms };
  } finally {
    await world.stop();
  }
}

async function strike(stage: Stage, world: World, options: StrikeOptions, strikes: Strike[]): Promise<Verdict> {
  const { terminal, signal } = stage;
  const { count, seed } = options;
  const most = Math.max(STORIES_LEAST, STORIES_PER_STRIKE * count);
  const load = startLoad(world, { random: new Random(seed), signal, most });
  let done = () => {};
  const onStrike = (made: Strike): void => {
    strikes.push(made);
    done();
    if (strikes.length % 10 === 0) terminal.line(`   ${progressOf(strikes, world)}`);
    done = terminal.busy(
      `${strikes.length} of ${count}; ${world.stories.all.length} subscriptions and payments asked for`,
    );
  };
  const range = new Range({ world, signal, count, onStrike });
  const held = Array.from({ length: PROCESSES }, (_, index) => range.hold(index + 1, new Random(seed + index + 1)));
  const services = await Promise.all(held).finally(() => done());
  done = terminal.busy('letting everything end that was begun');
  try {
    await load.finish();
    const verdict = await reachVerdict(world, { signal, services, withinMs: ENDS_WITHIN_MS });
    const others = [...range.problems, ...load.refusals].map((what) => ({ about: null, what }));
    return { ...verdict, violations: [...verdict.violations, ...others] };
  } finally {
    done();
  }
}

function progressOf(strikes: readonly Strike[], { stories }: World): string {
  const kinds = ['kill', 'pause', 'point'] as const;
  const counts = kinds.map((kind) => `${strikes.filter((each) => each.kind === kind).length} ${kind}s`);
  return `${strikes.length} strikes (${counts.join(', ')}), ${stories.all.length} subscriptions and payments asked for`;
}
