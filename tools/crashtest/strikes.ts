import type { ToolRun } from '../lib/run-tool.ts';
import { Ammunition } from './ammunition.ts';
import { startLoad } from './load.ts';
import type { StrikeRun } from './options.ts';
import type { CrashOutcome } from './outcome.ts';
import { playIn } from './play.ts';
import { Random } from './random.ts';
import { Range } from './range.ts';
import { MANY_PAYERS } from './sale.ts';
import { besiege } from './siege.ts';
import type { World } from './world.ts';

const PROCESSES = [1, 2, 3] as const;
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
  return playIn(tool, heading, { ...MANY_PAYERS, database: 'killable' }, async (world, judge) => {
    const { ammunition, services, problems } = await strike(tool, world, options);
    const { kills, strikes, tally } = ammunition;
    const title = `${kills} kills in ${strikes} strikes (${tally}), seed ${options.seed}`;
    return { title, verdict: await judge({ services, withinMs: ENDS_WITHIN_MS }), others: problems };
  });
}

/** The strikes, the processes that are left, and what nobody may meet, when all requests have their answers. */
async function strike({ terminal, signal }: ToolRun, world: World, { count, seed }: StrikeRun) {
  const most = Math.max(STORIES_LEAST, STORIES_PER_KILL * count);
  const load = startLoad(world, { random: new Random(seed), signal, most });
  const asked = () => `${world.stories.all.length} subscriptions and payments asked for`;
  let done = () => {};
  const ammunition = new Ammunition(count, ({ kills, strikes, tally }) => {
    done();
    if (strikes % 10 === 0) terminal.line(`   ${strikes} strikes (${tally}), ${asked()}`);
    done = terminal.busy(`${kills} of ${count}; ${asked()}`);
  });
  const struck = { world, signal, ammunition };
  const siege = besiege(struck, new Random(seed));
  const range = new Range({ ...struck, siege });
  const held = PROCESSES.map((number) => range.hold(number, new Random(seed + number)));
  const [services] = await Promise.all([Promise.all(held), siege.over]).finally(() => done());
  await load.finish();
  return { ammunition, services, problems: [...range.problems, ...load.refusals] };
}
