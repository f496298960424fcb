import { setTimeout as delay } from 'node:timers/promises';
import { faultPlanText } from '../../devnet/faults.ts';
import { FAULT_POINTS, type FaultPlan } from '../../src/engine/faults.ts';
import { messageOf } from '../../src/errors/message-of.ts';
import { type ServiceProcess, untilReady } from '../../stage/processes.ts';
import type { Random } from './random.ts';
import type { Siege, Struck } from './siege.ts';

/** The delay of a strike, counted from readiness or, for some, from the start of the process. */
const READY_MS = { least: 20, most: 2_500 } as const;
const STARTED_MS = { least: 50, most: 1_500 } as const;
const STRUCK_STARTING = 0.1;

/** Some pauses exceed the 3 s of a signing queue's lease, so that a process wakes up when another one has its queue. */
const PAUSED_MS = { least: 200, most: 6_000 } as const;
const PAUSED = 0.25;

/** Some pauses exceed the 10 s of a job's lock, and the 30 s after which another process takes a delivery. */
const LONG_PAUSED_MS = { least: 11_000, most: 33_000 } as const;
const LONG_PAUSED = 0.12;

/** The largest clock error of a process: two of them can disagree by more than a signing queue's lease. */
const AHEAD_MAX_MS = 5_000;

/** The share of processes with a random fault point, where they die, fail or wait. */
const ARMED = 0.3;
const HITS_MOST = 8;
const ACTIONS = ['kill', 'kill', 'throw', 'delay'] as const;

/** The settings of a deployment, with a tick that leaves several processes time for other work. */
const WORKING = { LOG_LEVEL: 'warn', TICK_MS: '500' } as const;

export interface RangeOptions extends Struck {
  readonly siege: Pick<Siege, 'mayHaveBeenAway'>;
}

/** Starts and strikes processes of the service while kills are left. */
export class Range {
  /** Processes that ended or did not come up although nobody struck them. */
  readonly problems: string[] = [];
  readonly #options: RangeOptions;

  constructor(options: RangeOptions) {
    this.#options = options;
  }

  /** Keeps one process running and struck. After the last kill it resolves with a process without faults. */
  async hold(number: number, random: Random): Promise<ServiceProcess> {
    const { world, signal, ammunition } = this.#options;
    while (!ammunition.isSpent) {
      signal.throwIfAborted();
      const plan = random.next() < ARMED ? planFrom(random) : null;
      const service = await world.spawn({
        ...WORKING,
        FAULTS_CLOCK_MS: String(random.integer(0, AHEAD_MAX_MS)),
        ...(plan === null ? {} : { FAULTS: faultPlanText(plan) }),
      });
      await this.#strike({ number, random, plan, service, ...comingUp(service) });
      if (!service.isRunning()) continue;
      if (plan === null) return service;
      await service.stop();
    }
    return world.start(WORKING);
  }

  /** Ends when the process has ended, or when no kills are left. */
  async #strike(target: Target): Promise<void> {
    const { random, service } = target;
    const { signal, ammunition } = this.#options;
    while (service.isRunning() && !ammunition.isSpent) {
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
      ammunition.note('kill');
      return;
    }
    if (!service.isRunning()) await this.#ended(target);
  }

  /** It ended by its plan, because its database or chain was away, or for no reason, which is a problem. */
  async #ended({ number, plan, service, isUp }: Target): Promise<void> {
    const { ammunition, siege } = this.#options;
    const { code, signal: by } = await service.exited;
    if (plan?.action === 'kill' && by === 'SIGKILL') {
      ammunition.note('point', false);
      return;
    }
    if (!isUp() && siege.mayHaveBeenAway()) return;
    const what = `process ${number} (${service.pid}) ended by itself with ${by ?? code}`;
    this.problems.push(`${what}: ${service.log().slice(-1_000)}`);
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

  async #pause({ random, service }: Target): Promise<void> {
    const { signal, ammunition } = this.#options;
    const { least, most } = random.next() < LONG_PAUSED ? LONG_PAUSED_MS : PAUSED_MS;
    service.signal('SIGSTOP');
    // The process must continue even if the run ends here.
    await delay(random.integer(least, most), undefined, { signal }).finally(() => service.signal('SIGCONT'));
    ammunition.note('pause');
  }
}

interface Target {
  readonly number: number;
  readonly random: Random;
  /** The process's own fault plan; null: none. */
  readonly plan: FaultPlan | null;
  readonly service: ServiceProcess;
  /** Resolves when the process is ready; rejects if it does not come up. */
  readonly ready: Promise<void>;
  /** True if the process was ever ready. */
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
