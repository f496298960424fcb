import { setTimeout as delay } from 'node:timers/promises';
import { faultPlanText } from '../../devnet/faults.ts';
import { FAULT_POINTS, type FaultPlan } from '../../src/engine/faults.ts';
import { messageOf } from '../../src/errors/message-of.ts';
import { type ServiceProcess, untilReady } from '../lib/service-process.ts';
import type { Ammunition } from './ammunition.ts';
import type { Random } from './random.ts';
import type { Siege } from './siege.ts';
import type { World } from './world.ts';

/** A process is struck so long after it was ready; some so long after their start, ready or not. */
const READY_MS = { least: 20, most: 2_500 } as const;
const STARTED_MS = { least: 50, most: 1_500 } as const;
const STRUCK_STARTING = 0.1;

/** Beyond the 3 s of a signing queue's lease too, so that a process wakes up in a signing queue that is another's by now. */
const PAUSED_MS = { least: 200, most: 6_000 } as const;
const PAUSED = 0.25;

/** Some beyond the 10 s of a job's lock, and beyond the 30 s after which a delivery is another's. */
const LONG_PAUSED_MS = { least: 11_000, most: 33_000 } as const;
const LONG_PAUSED = 0.12;

/** How far a process's clock may be ahead: two of them can disagree by more than a signing queue's lease. */
const AHEAD_MAX_MS = 5_000;

/** Processes that are started with a random fault point to die, fail or wait at. */
const ARMED = 0.3;
const HITS_MOST = 8;
const ACTIONS = ['kill', 'kill', 'throw', 'delay'] as const;

/** As a deployment's: not so often that four of them have nothing else to do. */
const WORKING = { LOG_LEVEL: 'warn', TICK_MS: '500' } as const;

const CHECK_MS = 50;

export interface RangeOptions {
  readonly world: World;
  readonly signal: AbortSignal;
  readonly ammunition: Ammunition;
  readonly siege: Pick<Siege, 'mayHaveBeenAway'>;
}

/** Where processes of the service are struck for as long as there is something to strike them with. */
export class Range {
  /** Processes that have ended although nobody struck them, or did not come up. */
  readonly problems: string[] = [];
  readonly #options: RangeOptions;

  constructor(options: RangeOptions) {
    this.#options = options;
  }

  /**
   * Keeps one process up while it is wanted, and struck. Resolves, once there is nothing to strike with any more, with one
   * that runs without faults; null: it is not wanted then.
   */
  async hold(number: number, random: Random): Promise<ServiceProcess | null> {
    const { world, signal, ammunition } = this.#options;
    while (!ammunition.isSpent) {
      signal.throwIfAborted();
      if (!ammunition.isWanted(number)) {
        await delay(CHECK_MS, undefined, { signal });
        continue;
      }
      const plan = random.next() < ARMED ? planFrom(random) : null;
      const service = await world.spawn({
        ...WORKING,
        FAULTS_CLOCK_MS: String(random.integer(0, AHEAD_MAX_MS)),
        ...(plan === null ? {} : { FAULTS: faultPlanText(plan) }),
      });
      await this.#strike({ number, random, plan, service, ...comingUp(service) });
      if (!service.isRunning()) continue;
      if (plan === null && ammunition.isWanted(number)) return service;
      await service.stop();
    }
    return ammunition.isWanted(number) ? world.start(WORKING) : null;
  }

  /** Ends when the process has, when there is nothing left to strike with, or when it is not wanted any more. */
  async #strike(target: Target): Promise<void> {
    const { number, random, service } = target;
    const { signal, ammunition } = this.#options;
    while (service.isRunning() && ammunition.isWanted(number) && !ammunition.isSpent) {
      const asleep = new AbortController();
      const moment = this.#momentOf(target, AbortSignal.any([signal, asleep.signal]));
      await Promise.race([service.exited, moment]).finally(() => asleep.abort());
      if (!service.isRunning()) break;
      if (random.next() < PAUSED) {
        await this.#pause(target);
        continue;
      }
      if (!ammunition.take()) return;
      service.signal('SIGKILL');
      await service.exited;
      ammunition.note({ kind: 'kill', process: number, detail: null });
      return;
    }
    if (!service.isRunning()) await this.#ended(target);
  }

  /** It has ended by itself: as it was to, because it could not come up, or for no good reason. */
  async #ended({ number, plan, service, isUp }: Target): Promise<void> {
    const { ammunition, siege } = this.#options;
    const { code, signal: by } = await service.exited;
    if (plan?.action === 'kill' && by === 'SIGKILL') {
      ammunition.note({ kind: 'point', process: number, detail: faultPlanText(plan) }, false);
      return;
    }
    if (!isUp() && siege.mayHaveBeenAway()) return;
    const what = `process ${number} (${service.pid}) ended by itself with ${by ?? code}`;
    this.problems.push(`${what} after ${ammunition.sinceBeginning()} ms: ${service.log().slice(-1_000)}`);
  }

  async #momentOf({ number, random, service, ready }: Target, signal: AbortSignal): Promise<void> {
    try {
      if (random.next() < STRUCK_STARTING) {
        await delay(random.integer(STARTED_MS.least, STARTED_MS.most), undefined, { signal });
        return;
      }
      const pauseMs = random.integer(READY_MS.least, READY_MS.most);
      await ready;
      await delay(pauseMs, undefined, { signal });
    } catch (error) {
      if (service.isRunning() && !signal.aborted) this.problems.push(`process ${number}: ${messageOf(error)}`);
    }
  }

  async #pause({ number, random, service }: Target): Promise<void> {
    const { signal, ammunition } = this.#options;
    const { least, most } = random.next() < LONG_PAUSED ? LONG_PAUSED_MS : PAUSED_MS;
    const pausedMs = random.integer(least, most);
    service.signal('SIGSTOP');
    // It must not be left standing, whatever ends this.
    await delay(pausedMs, undefined, { signal }).finally(() => service.signal('SIGCONT'));
    ammunition.note({ kind: 'pause', process: number, detail: pausedMs });
  }
}

interface Target {
  readonly number: number;
  readonly random: Random;
  /** What the process does to itself, if anything. */
  readonly plan: FaultPlan | null;
  readonly service: ServiceProcess;
  /** Resolves when it is ready; rejects where it does not come up. */
  readonly ready: Promise<void>;
  /** Whether it has ever been ready. */
  readonly isUp: () => boolean;
}

function comingUp(service: ServiceProcess): Pick<Target, 'ready' | 'isUp'> {
  let isUp = false;
  const ready = untilReady(service).then(() => {
    isUp = true;
  });
  ready.catch(() => {});
  return { ready, isUp: () => isUp };
}

function planFrom(random: Random): FaultPlan {
  const [point, hit, action] = [random.pick(FAULT_POINTS), random.integer(1, HITS_MOST), random.pick(ACTIONS)];
  return { point, detail: null, hit, action };
}
