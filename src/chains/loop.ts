import { doubled } from '../../machines/rules/backoff.ts';
import { messageOf } from '../errors/message-of.ts';
import { Blocked, type ChainContext } from './context.ts';
import { NodeUnreachable } from './rpc.ts';

/** One job that is repeated, one run at a time: when it is woken, or after the pause that the last run returned. */
export abstract class Loop {
  #running: Promise<void> | null = null;
  #started = false;
  #stopped = false;
  /** The moment of the monotonic clock at which the next run is due. */
  #dueAt = 0;
  /** Moments for which a run was requested. No run has begun at or after them yet. */
  #wakes: number[] = [];
  #timer: NodeJS.Timeout | null = null;
  #wake: (() => void) | null = null;

  /** Does the job once. Returns the pause in milliseconds; a wake ends it early. */
  protected abstract run(): Promise<number>;

  /** Handles an error of `run`, and returns the pause. `failures` counts errors in a row, from 1. */
  protected abstract failed(error: unknown, failures: number): number;

  /** Begins with an immediate run. Does nothing if the loop was started or stopped before. */
  start(): void {
    if (this.#started || this.#stopped) return;
    this.#started = true;
    this.#dueAt = performance.now();
    this.#running = this.#go();
  }

  /**
   * Makes a run begin `inMs` milliseconds from now, even if the pause is longer. A run that begins earlier does not
   * count: it may not find the work yet. A loop that was not started drops wakes: a process without queues is woken for
   * every charge too.
   */
  wake(inMs = 0): void {
    if (!this.#started || this.#stopped) return;
    const at = performance.now() + inMs;
    this.#wakes.push(at);
    if (at >= this.#dueAt) return;
    this.#dueAt = at;
    if (this.#wake) this.#arm();
  }

  /** Stops the loop. Resolves when the current run, if any, has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wake?.();
    await this.#running;
  }

  async #go(): Promise<void> {
    let failures = 0;
    while (!this.#stopped) {
      const begunAt = performance.now();
      this.#wakes = this.#wakes.filter((at) => at > begunAt);
      this.#dueAt = Number.POSITIVE_INFINITY;
      let pause: number;
      try {
        pause = await this.run();
        failures = 0;
      } catch (error) {
        failures += 1;
        pause = this.failed(error, failures);
      }
      this.#dueAt = Math.min(performance.now() + pause, ...this.#wakes);
      await this.#rest();
    }
  }

  async #rest(): Promise<void> {
    if (this.#stopped) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      this.#arm();
    });
    this.#wake = null;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #arm(): void {
    if (this.#timer) clearTimeout(this.#timer);
    // Timers cut off fractions of milliseconds. Without rounding up, a run would begin early and need another.
    const inMs = Math.min(Math.max(0, Math.ceil(this.#dueAt - performance.now())), MAX_TIMER_MS);
    this.#timer = setTimeout(() => this.#wake?.(), inMs);
  }
}

/** Node runs a longer timer after 1 ms. */
const MAX_TIMER_MS = 2_147_483_647;

/** The longest pause, in milliseconds. No work waits longer for a loop that nobody woke. */
const MOST_MS = 1_000;

/**
 * The pause of a loop that finds nothing to do: `firstMs` at first, doubled after each further check in vain, up to a
 * second. A first pause above a second stays as it is. An idle service asks its database mostly for these checks.
 */
export class IdlePause {
  readonly #firstMs: number;
  #inVain = 0;

  constructor(firstMs: number) {
    this.#firstMs = firstMs;
  }

  /** After a check in vain. */
  next(): number {
    const pause = doubled(this.#firstMs, this.#inVain, Math.max(this.#firstMs, MOST_MS));
    this.#inVain += 1;
    return pause;
  }

  /** Something was found. */
  reset(): void {
    this.#inVain = 0;
  }
}

/**
 * The pause of a loop after `failures` failures in a row, in milliseconds: doubled each time up to `retryMaxMs`. Logs
 * the error as `message`, unless health shows it already: an unreachable node, or a blocked chain.
 */
export function pauseAfterFailure(
  { chainId, log, timing }: Pick<ChainContext, 'chainId' | 'log' | 'timing'>,
  error: unknown,
  failures: number,
  message: string,
  about: { readonly sender?: string } = {},
): number {
  const isKnown = error instanceof NodeUnreachable || error instanceof Blocked;
  if (!isKnown) log.error({ chainId, ...about, error: messageOf(error) }, message);
  return doubled(timing.retryFirstMs, failures - 1, timing.retryMaxMs);
}
