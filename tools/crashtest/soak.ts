import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceProcess } from '../../stage/processes.ts';
import { until } from '../../stage/until.ts';
import type { ToolRun } from '../lib/run-tool.ts';
import { startSteadyLoad } from './load.ts';
import type { CrashOutcome } from './outcome.ts';
import { playIn } from './play.ts';
import { MANY_PAYERS } from './sale.ts';
import { showSoak } from './show.ts';
import { coursesOf } from './soak/flat.ts';
import { type Sample, sampleOf } from './soak/samples.ts';
import { ask } from './story-requests.ts';
import type { World } from './world.ts';

const PROCESSES = 2;
const SUBSCRIPTIONS = 33;
const SAMPLE_MS = 5_000;
/**
 * V8 may enlarge its space for young objects at any time, which would count as growth. So it has all of it from the
 * start.
 */
const NODE_FLAGS = ['--min-semi-space-size=16', '--max-semi-space-size=16'];

const MINUTE_MS = 60_000;
const FIRST_PAID = { everyMs: 250, withinMs: 120_000 } as const;
/** Thousands of payments must be read and replayed. */
const ENDS_WITHIN_MS = 300_000;

/**
 * Uses two processes at a steady pace and samples memory, handles and lag: none may grow. The usual verdict by chain,
 * receiver and journals follows.
 */
export function runSoak(tool: ToolRun, minutes: number): Promise<CrashOutcome> {
  const { terminal } = tool;
  const title = `${minutes} minutes at a steady load`;
  const heading = terminal.colors.bold(`${title}, ${PROCESSES} processes`);
  return playIn(tool, heading, { ...MANY_PAYERS, nodeFlags: NODE_FLAGS }, async (world, judge) => {
    const services = await Promise.all(Array.from({ length: PROCESSES }, () => world.start({ TICK_MS: '1000' })));
    const { samples, refusals } = await soak(tool, world, services, minutes * MINUTE_MS);
    const courses = coursesOf(samples);
    showSoak(samples.length, courses, terminal);
    const verdict = await judge({ services, withinMs: ENDS_WITHIN_MS });
    const grown = courses.filter(({ holds }) => !holds).map(({ quantity }) => `${quantity} has grown`);
    return { title, verdict, others: [...refusals, ...grown] };
  });
}

async function soak(
  { terminal, signal }: ToolRun,
  world: World,
  services: readonly ServiceProcess[],
  forMs: number,
): Promise<{ readonly samples: readonly Sample[]; readonly refusals: readonly string[] }> {
  let done = terminal.busy(`${SUBSCRIPTIONS} subscriptions and their first charges`);
  try {
    const subscriptions = Array.from({ length: SUBSCRIPTIONS }, () => world.stories.begin('subscription', 'soak'));
    for (const story of subscriptions) await ask(world, story, signal);
    const paid = () => world.store.actors.count('subscription', { status: 'active', 'context.cyclesCompleted': 1 });
    const how = { ...FIRST_PAID, signal };
    await until('every subscription has been charged', paid, (count) => count >= SUBSCRIPTIONS, how);
    const samples: Sample[] = [];
    const began = performance.now();
    const load = startSteadyLoad(world, {
      signal,
      subscriptions,
      onPaid: (atMs, paymentMs) => void samples.push({ atMs, values: { paymentMs } }),
    });
    for (let atMs = 0; atMs < forMs; atMs = performance.now() - began) {
      done();
      done = terminal.busy(`minute ${Math.floor(atMs / MINUTE_MS) + 1} of ${forMs / MINUTE_MS}`);
      samples.push(...(await Promise.all(services.map((service) => sampleOf(service, world.dataDir, atMs)))));
      await delay(Math.min(SAMPLE_MS, Math.max(0, forMs - (performance.now() - began))), undefined, { signal });
    }
    await load.finish();
    return { samples, refusals: load.refusals };
  } finally {
    done();
  }
}
