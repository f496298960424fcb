import { setTimeout as delay } from 'node:timers/promises';
import type { Fetch } from '../../stage/setting.ts';
import type { ReplicaSet } from '../lib/replica-set.ts';
import type { ToolRun } from '../lib/run-tool.ts';
import { startLoad } from './load.ts';
import type { CrashOutcome } from './outcome.ts';
import { playIn } from './play.ts';
import { Random } from './random.ts';
import { MANY_PAYERS } from './sale.ts';
import { showElections } from './show.ts';
import type { World } from './world.ts';

const ROLES = ['api', 'api', 'worker', 'worker'] as const;

const STORIES_PER_ELECTION = 12;
/** Between the end of an election and the next one. */
const PAUSE_MS = { least: 1_000, most: 3_000 } as const;
/** Longer than a request waits for a primary: some are answered with 503. */
const LONG_ELECTION_MS = 3_000;
/** In every other pause, some writes are not confirmed. */
const UNCONFIRMED = 3;
const ENDS_WITHIN_MS = 300_000;

/**
 * Two serving and two working processes on a replica set, under load, while its primary is killed or steps down every
 * few seconds. The usual verdict follows; and no request may be answered with another 5xx than 503.
 */
export function runElections(tool: ToolRun, count: number): Promise<CrashOutcome & Pick<ReplicaSet, 'met'>> {
  const { terminal } = tool;
  const title = `${count} elections`;
  const heading = terminal.colors.bold(`${title}, two serving and two working processes`);
  const answers = new Answers();
  const options = { ...MANY_PAYERS, database: 'replicaSet', fetch: answers.fetch } as const;
  return playIn(tool, heading, options, async (world, judge) => {
    const { replicaSet } = world;
    if (replicaSet === null) throw new Error('the world has no replica set');
    const services = await Promise.all(ROLES.map((role) => world.start({ TIDELINE_ROLE: role })));
    const refusals = await elect(tool, world, replicaSet, count);
    const verdict = await judge({ services, withinMs: ENDS_WITHIN_MS });
    const lines = services.flatMap((service) => service.log().split('\n'));
    const failed = lines.filter((line) => line.includes('"msg":"request failed"'));
    const { met } = replicaSet;
    showElections(met, answers.unavailable, terminal);
    return { title, met, verdict, others: [...answers.failures, ...refusals, ...failed] };
  });
}

/** Resolves when every request of the merchant has a 2xx answer, with the answers that no client may get. */
async function elect(
  { terminal, signal }: ToolRun,
  world: World,
  replicaSet: ReplicaSet,
  count: number,
): Promise<readonly string[]> {
  const random = new Random(count);
  const load = startLoad(world, { random, signal, most: STORIES_PER_ELECTION * count });
  let done = () => {};
  try {
    for (let held = 1; held <= count; held += 1) {
      done = terminal.busy(`election ${held} of ${count}`);
      if (held % 2 === 0) replicaSet.leaveUnconfirmed(UNCONFIRMED);
      await delay(random.integer(PAUSE_MS.least, PAUSE_MS.most), undefined, { signal });
      if (held % 3 === 0) replicaSet.stepDown();
      else await replicaSet.killPrimary(held % 4 === 0 ? LONG_ELECTION_MS : undefined);
      await replicaSet.elected();
      await replicaSet.restart();
      done();
    }
    await load.finish();
    return load.refusals;
  } finally {
    done();
  }
}

/** Counts the failures that a merchant hides, because it sends such requests again. */
class Answers {
  readonly failures: string[] = [];
  unavailable = 0;

  readonly fetch: Fetch = async (request) => {
    const answer = await fetch(request);
    const { status } = answer;
    if (status === 503) this.unavailable += 1;
    else if (status >= 500) this.failures.push(`${request.method} ${request.url} was answered with ${status}`);
    return answer;
  };
}
