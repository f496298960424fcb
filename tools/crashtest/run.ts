import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { faultPlanText } from '../../devnet/faults.ts';
import { FAULT_POINTS, type FaultPlan } from '../../src/engine/faults.ts';
import { messageOf } from '../../src/errors/message-of.ts';
import type { Environment, ServiceProcess } from '../../stage/processes.ts';
import type { Exit } from '../../stage/service-process.ts';
import { until } from '../../stage/until.ts';
import { priceOut } from './price-out.ts';
import type { Story } from './stories.ts';
import { ask, chargeNext } from './story-requests.ts';
import type { World } from './world.ts';

/** The result of a process with one plan. */
export interface Run {
  readonly plan: FaultPlan;
  /** `carried out`: it died there, failed there and continued, or waited there. */
  readonly outcome: 'carried out' | 'not reached' | 'ended otherwise';
  /** The reason, as text for people, if the outcome is not `carried out`. */
  readonly why: string | null;
  /** From the start of the process to the hit, milliseconds. */
  readonly ms: number;
}

export interface RunOptions {
  readonly signal: AbortSignal;
  /** The environment of the process beside its plan. */
  readonly env?: Environment;
}

/** The time limit to reach the point. Jobs of the process before it stay locked longest, 10 s. */
const REACHED_WITHIN_MS = 40_000;

/** The time limit for a surviving process to finish the interrupted work. */
const SETTLED_WITHIN_MS = 20_000;

/** Renewals reach later hits of a rare point. */
const RENEWALS_MAX = 6;

const CHECK_MS = 25;

/**
 * Starts a process with this plan while a merchant subscribes. The merchant repeats requests that an earlier process
 * did not answer. Ends when the process has died, or has settled the first charge and stopped. A later verdict judges.
 */
export async function carryOut(world: World, plan: FaultPlan, { signal, env }: RunOptions): Promise<Run> {
  const began = performance.now();
  const already = await timesCarriedOut(world, plan);
  const service = await world.spawn({ ...env, FAULTS: faultPlanText(plan), FAULTS_REPORT: world.reportFile });
  const living = new AbortController();
  const alive = AbortSignal.any([signal, living.signal]);
  const story = world.stories.begin('subscription', faultPlanText(plan));
  const isHit = async () => (await timesCarriedOut(world, plan)) > already;
  const lived = live({ world, story, isHit, signal: alive });
  lived.catch(() => {});
  const pricing = new AbortController();
  // These points are reached only if fees keep a transaction out of blocks.
  const isKeeper = plan.point.startsWith('keeper.');
  const priced = isKeeper ? priceOut(world, AbortSignal.any([alive, pricing.signal])) : Promise.resolve();
  priced.catch(() => {});
  const died = service.exited.then((exit) => {
    living.abort(new Error('the process has ended'));
    return exit;
  });
  const deadline = began + REACHED_WITHIN_MS;
  while (!(await isHit()) && performance.now() < deadline && service.isRunning()) {
    signal.throwIfAborted();
    await delay(CHECK_MS);
  }
  const ms = Math.round(performance.now() - began);
  pricing.abort();
  await priced;
  const ended = plan.action === 'kill' ? await deathOf(service, died) : await settled(service, lived);
  living.abort(new Error('the run is over'));
  await lived.catch(() => {});
  if (!(await isHit()))
    return { plan, outcome: 'not reached', why: ended ?? 'the process ended before it reached the point', ms };
  return { plan, outcome: ended === null ? 'carried out' : 'ended otherwise', why: ended, ms };
}

interface Living {
  readonly world: World;
  readonly story: Story;
  readonly isHit: () => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** The merchant repeats its unanswered requests, subscribes, and renews until the hit. */
async function live({ world, story, isHit, signal }: Living): Promise<void> {
  for (const each of world.stories.unanswered()) await ask(world, each, signal);
  await firstCharge(world, story, signal);
  for (let renewals = 0; renewals < RENEWALS_MAX && !(await isHit()); renewals += 1) {
    await chargeNext(world, story, signal);
  }
}

async function firstCharge({ merchant }: World, { id }: Story, signal: AbortSignal): Promise<void> {
  await until(
    `${id} is active`,
    async () => merchant.api.subscriptions.get(id ?? '', { signal }),
    ({ status }) => status === 'active',
    { everyMs: 4 * CHECK_MS, signal },
  );
}

/** null: it was killed as planned. */
async function deathOf(service: ServiceProcess, died: Promise<Exit>): Promise<string | null> {
  if (service.isRunning()) {
    // SIGKILL may take a moment. A process that did not reach its point is killed here.
    const exit = await Promise.race([died, delay(1_000, null)]);
    if (exit === null) {
      service.signal('SIGKILL');
      await died;
      return 'the process did not die';
    }
  }
  const { code, signal } = await died;
  return signal === 'SIGKILL' ? null : `ended with ${signal ?? code}: ${service.log().slice(-500)}`;
}

/** null: the interrupted work went on in the same process, which then stopped cleanly. */
async function settled(service: ServiceProcess, lived: Promise<void>): Promise<string | null> {
  const late = `nothing was settled within ${SETTLED_WITHIN_MS / 1_000} s`;
  const outcome = await Promise.race([
    lived.then(() => null, messageOf),
    delay(SETTLED_WITHIN_MS, late, { ref: false }),
  ]);
  const { code, signal } = await service.stop();
  if (outcome !== null) return outcome;
  return code === 0 ? null : `ended with ${signal ?? code}: ${service.log().slice(-500)}`;
}

async function timesCarriedOut({ reportFile }: World, plan: FaultPlan): Promise<number> {
  const text = faultPlanText(plan);
  return (await readFaultReport(reportFile)).carriedOut.filter((each) => each === text).length;
}

/** Reads the report file of processes with `FAULTS_REPORT`. A missing file counts as empty. */
export async function readFaultReport(file: string) {
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  const after = (words: string) =>
    lines.filter((line) => line.startsWith(words)).map((line) => line.slice(words.length));
  const reached = after('reached ');
  return {
    reached: new Set(FAULT_POINTS.filter((point) => reached.includes(point))),
    /** Plans in the format of `faultPlanText`, one entry for each process that carried one out. */
    carriedOut: after('carried out '),
  };
}
