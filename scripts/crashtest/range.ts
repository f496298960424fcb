import { setTimeout as delay } from 'node:timers/promises';
import { FAULT_POINTS, type FaultPlan, faultPlanText } from '../../src/engine/faults.ts';
import { messageOf } from '../lib/script.ts';
import type { Random } from './random.ts';
import { type ServiceProcess, untilReady } from './service-process.ts';
import type { World } from './world.ts';

/** One blow against one process. `point`: it has killed itself at the fault point that it was started with. */
export interface Strike {
  readonly kind: 'kill' | 'pause' | 'point';
  /** Which of the processes, from 1. */
  readonly process: number;
  /** Since the beginning, milliseconds. */
  readonly at: number;
  /** How long a paused one stood still, milliseconds; the plan of one that was killed at a point; null for a plain kill. */
  readonly detail: number | string | null;
}

/** A process is struck so long after it was ready; some so long after their start, ready or not. */
const READY_MS = { least: 20, most: 2_500 } as const;
const STARTED_MS = { least: 50, most: 1_500 } as const;
const STRUCK_STARTING = 0.1;

/** Beyond the 3 s of a lane's lease too, so that a process wakes up in a lane that is another's by now. */
const PAUSED_MS = { least: 200, most: 6_000 } as const;
const PAUSED = 0.25;

/** How far a process's clock may be ahead: two of them can disagree by more than a lane's lease. */
const AHEAD_MAX_MS = 5_000;

/** Processes that are started with a random fault point to die, fail or wait at. */
const ARMED = 0.3;
const HITS_MOST = 8;
const ACTIONS = ['kill', 'kill', 'throw', 'delay'] as const;

export interface RangeOptions {
  readonly world: World;
  readonly signal: AbortSignal;
  /** How many strikes there are to be. */
  readonly count: number;
  readonly onStrike: (strike: Strike) => void;
}

/** Where processes are struck until as many strikes have been made as were asked for. */
export class Range {
  /** Processes that have ended although nobody struck them, or did not come up. */
  readonly problems: string[] = [];
  readonly #options: RangeOptions;
  readonly #began = performance.now();
  #left: number;

  constructor(options: RangeOptions) {
    this.#options = options;
    this.#left = options.count;
  }

  /** Keeps one process up, and struck. Resolves with one that runs without faults, once there are no strikes left. */
  async hold(number: number, random: Random): Promise<ServiceProcess> {
    const { world, signal } = this.#options;
    while (this.#left > 0) {
      signal.throwIfAborted();
      const plan = random.next() < ARMED ? planFrom(random) : null;
      const service = await world.spawn({
        LOG_LEVEL: 'warn',
        FAULTS_CLOCK_MS: String(random.integer(0, AHEAD_MAX_MS)),
        ...(plan === null ? {} : { FAULTS: faultPlanText(plan) }),
      });
      await this.#strike({ number, random, plan, service });
      if (!service.isRunning()) continue;
      if (plan === null) return service;
      await service.stop();
    }
    return world.start({ LOG_LEVEL: 'warn' });
  }

  /** Ends when the process has, or when there are no strikes left. */
  async #strike(target: Target): Promise<void> {
    const { number, random, plan, service } = target;
    const { signal } = this.#options;
    while (service.isRunning() && this.#left > 0) {
      const asleep = new AbortController();
      const moment = this.#momentOf(target, AbortSignal.any([signal, asleep.signal]));
      await Promise.race([service.exited, moment]).finally(() => asleep.abort());
      if (!service.isRunning()) break;
      if (this.#left === 0) return;
      this.#left -= 1;
      if (random.next() < PAUSED) {
        await this.#pause(target);
        continue;
      }
      this.#note({ kind: 'kill', process: number, detail: null });
      service.signal('SIGKILL');
      await service.exited;
      return;
    }
    if (service.isRunning()) return;
    const { code, signal: by } = await service.exited;
    if (plan?.action === 'kill' && by === 'SIGKILL') {
      this.#left = Math.max(0, this.#left - 1);
      this.#note({ kind: 'point', process: number, detail: faultPlanText(plan) });
      return;
    }
    const what = `process ${number} (${service.pid}) ended by itself with ${by ?? code}`;
    this.problems.push(`${what} after ${this.#sinceBeginning()} ms: ${service.log().slice(-1_000)}`);
  }

  async #momentOf({ number, random, service }: Target, signal: AbortSignal): Promise<void> {
    try {
      if (random.next() < STRUCK_STARTING) {
        await delay(random.integer(STARTED_MS.least, STARTED_MS.most), undefined, { signal });
        return;
      }
      const pauseMs = random.integer(READY_MS.least, READY_MS.most);
      await untilReady(service);
      await delay(pauseMs, undefined, { signal });
    } catch (error) {
      if (service.isRunning() && !signal.aborted) this.problems.push(`process ${number}: ${messageOf(error)}`);
    }
  }

  async #pause({ number, random, service }: Target): Promise<void> {
    const pausedMs = random.integer(PAUSED_MS.least, PAUSED_MS.most);
    this.#note({ kind: 'pause', process: number, detail: pausedMs });
    service.signal('SIGSTOP');
    await delay(pausedMs, undefined, { signal: this.#options.signal });
    service.signal('SIGCONT');
  }

  #note(strike: Omit<Strike, 'at'>): void {
    this.#options.onStrike({ ...strike, at: this.#sinceBeginning() });
  }

  #sinceBeginning(): number {
    return Math.round(performance.now() - this.#began);
  }
}

interface Target {
  readonly number: number;
  readonly random: Random;
  /** What the process does to itself, if anything. */
  readonly plan: FaultPlan | null;
  readonly service: ServiceProcess;
}

function planFrom(random: Random): FaultPlan {
  const [point, hit, action] = [random.pick(FAULT_POINTS), random.integer(1, HITS_MOST), random.pick(ACTIONS)];
  return { point, detail: null, hit, action };
}
