import type { ToolRun } from '../lib/run-tool.ts';
import { Ammunition, isKill, PROCESSES_MOST, type Strike, tally } from './ammunition.ts';
import { startLoad } from './load.ts';
import type { StrikeRun } from './options.ts';
import type { CrashOutcome } from './outcome.ts';
import { playIn } from './play.ts';
import { Random } from './random.ts';
import { Range } from './range.ts';
import { besiege } from './siege.ts';
import type { World } from './world.ts';

/**
 * Several payers, because the subscriptions of one wallet share its allowance and are checked together. Many of one
 * would be another test.
 */
const PAYERS = 11;
/** How many of them sign mandates: as many as the checkout's rate limit for one address lets sign. */
const SIGNERS = 5;

/** The limit of stories: enough for constant load, and bounded. */
const STORIES_PER_KILL = 10;
const STORIES_LEAST = 40;

/** A paused process may lose a receiver's answer, and the retry comes a minute later, on a busy machine. */
const ENDS_WITHIN_MS = 300_000;

/**
 * Strikes at service processes, their database and their chain while merchants subscribe, charge and renew. Then it
 * lets everything end, and judges. Equal seeds make equal choices; the timing of the processes varies.
 */
export function runStrikes(tool: ToolRun, options: StrikeRun): Promise<CrashOutcome> {
  const heading = `${tool.terminal.colors.bold(`${options.count} kills`)}, seed ${options.seed}`;
  return playIn(tool, heading, { payers: PAYERS, signers: SIGNERS, database: 'killable' }, async (world, judge) => {
    const { strikes, services, problems } = await strike(tool, world, options);
    const verdict = await judge({ services, withinMs: ENDS_WITHIN_MS });
    return { seed: options.seed, strikes, verdict, others: problems };
  });
}

/** The strikes, the processes that are left, and what nobody may meet, when all requests have their answers. */
async function strike({ terminal, signal }: ToolRun, world: World, { count, seed }: StrikeRun) {
  const strikes: Strike[] = [];
  const most = Math.max(STORIES_LEAST, STORIES_PER_KILL * count);
  const load = startLoad(world, { random: new Random(seed), signal, most });
  let done = () => {};
  const ammunition = new Ammunition(count, (made) => {
    strikes.push(made);
    done();
    if (strikes.length % 10 === 0) terminal.line(`   ${progressOf(strikes, world)}`);
    done = terminal.busy(`${strikes.filter(isKill).length} of ${count}; ${requestCount(world)}`);
  });
  const struck = { world, signal, ammunition };
  const siege = besiege(struck, new Random(seed));
  const range = new Range({ ...struck, siege });
  const numbers = Array.from({ length: PROCESSES_MOST }, (_, index) => index + 1);
  const held = numbers.map((number) => range.hold(number, new Random(seed + number)));
  const [left] = await Promise.all([Promise.all(held), siege.over]).finally(() => done());
  await load.finish();
  const services = left.filter((service) => service !== null);
  return { strikes, services, problems: [...range.problems, ...load.refusals] };
}

function progressOf(strikes: readonly Strike[], world: World): string {
  return `${strikes.length} strikes (${tally(strikes)}), ${requestCount(world)}`;
}

function requestCount({ stories }: World): string {
  return `${stories.all.length} subscriptions and payments asked for`;
}
