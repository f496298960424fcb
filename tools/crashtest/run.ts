import { setTimeout as delay } from 'node:timers/promises';
import { faultPlanText } from '../../devnet/faults.ts';
import type { Exit } from '../../scripts/lib/service-process.ts';
import type { FaultPlan } from '../../src/engine/faults.ts';
import { messageOf } from '../../src/errors/message-of.ts';
import type { Environment, ServiceProcess } from '../lib/service-process.ts';
import { readFaultReport } from './fault-report.ts';
import { priceOut } from './price-out.ts';
import { ask, chargeNext, type Story } from './stories.ts';
import type { World } from './world.ts';

/** How a process with one plan has fared. */
export interface Run {
  readonly plan: FaultPlan;
  /** `carried out`: it died there, failed there and went on, or waited there. */
  readonly outcome: 'carried out' | 'not reached' | 'ended otherwise';
  /** For people, where the outcome is not `carried out`. */
  readonly why: string | null;
  /** From the start of the process until the plan was carried out, milliseconds. */
  readonly ms: number;
}

export interface RunOptions {
  readonly signal: AbortSignal;
  /** What the process is started with beside its plan. */
  readonly env?: Environment;
}

/** How long a process has to get to its point: of what its predecessor holds, jobs take longest to be free, 10 s. */
const REACHED_WITHIN_MS = 40_000;

/** How long one that lives on has to end what it was hit in. */
const SETTLED_WITHIN_MS = 20_000;

/** A point whose later hits are far apart is come to by renewals. */
const RENEWALS_MAX = 6;

const CHECK_MS = 25;

/**
 * Starts a process that is to be hit as planned, and has a merchant subscribe meanwhile; what an earlier process has left
 * behind is asked for again and goes on too. Ends when the process has died, or when one that lives on has settled the first
 * charge and stopped. What has become of it all is judged later.
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
  const priced = needsReplacement(plan) ? priceOut(world, AbortSignal.any([alive, pricing.signal])) : Promise.resolve();
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
  if (!(await isHit())) return { plan, outcome: 'not reached', why: ended ?? 'it was ended before', ms };
  return { plan, outcome: ended === null ? 'carried out' : 'ended otherwise', why: ended, ms };
}

/** The point is come to only where fees keep a transaction out of blocks. */
function needsReplacement({ point }: FaultPlan): boolean {
  return point.startsWith('keeper.');
}

interface Living {
  readonly world: World;
  readonly story: Story;
  readonly isHit: () => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** What the merchant does: what was never answered again, then its own subscription, then renewals until it is hit. */
async function live({ world, story, isHit, signal }: Living): Promise<void> {
  for (const each of world.stories.unanswered()) await ask(world, each, signal);
  await firstCharge(world, story, signal);
  for (let renewals = 0; renewals < RENEWALS_MAX && !(await isHit()); renewals += 1) {
    await chargeNext(world, story, signal);
  }
}

async function firstCharge({ merchant }: World, { id }: Story, signal: AbortSignal): Promise<void> {
  for (;;) {
    const reported = await merchant.call('GET', `/subscriptions/${id}`, undefined, signal);
    if (reported['status'] === 'active') return;
    await delay(4 * CHECK_MS, undefined, { signal });
  }
}

/** null: it was killed. */
async function deathOf(service: ServiceProcess, died: Promise<Exit>): Promise<string | null> {
  if (service.isRunning()) {
    // SIGKILL may take a moment to be seen; one that was not reached is ended here.
    const exit = await Promise.race([died, delay(1_000, null)]);
    if (exit === null) {
      service.signal('SIGKILL');
      await died;
      return 'lived on';
    }
  }
  const { code, signal } = await died;
  return signal === 'SIGKILL' ? null : `ended with ${signal ?? code}: ${service.log().slice(-500)}`;
}

/** null: what was hit went on in the same process, which then stopped as it should. */
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
