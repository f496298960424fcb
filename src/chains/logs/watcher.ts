import { type ChainContext, giveBack } from '../context.ts';
import { pauseAfterFailure } from '../failures.ts';
import { Loop } from '../loop.ts';

export interface WatcherOptions {
  /** Reads the chain once; returns the pause in milliseconds. */
  readonly read: () => Promise<number>;
  /** Forgets the position of the reading: another process reads this chain now. */
  readonly lost: () => void;
}

/**
 * Reads one chain for events that somebody waits for, again and again. Only the process that holds the lease reads. The
 * details depend on the chain's family.
 */
export class Watcher {
  readonly #ctx: ChainContext;
  readonly #options: WatcherOptions;
  readonly #lease: string;
  readonly #loop: Loop;
  #isHeld = false;

  constructor(ctx: ChainContext, options: WatcherOptions) {
    this.#ctx = ctx;
    this.#options = options;
    this.#lease = `${ctx.chainId}:logs`;
    this.#loop = new Loop({
      run: () => this.#run(),
      onError: (error, failures) => {
        return Math.max(
          ctx.timing.logsMs,
          pauseAfterFailure(ctx, error, failures, 'log watcher failed; it tries again'),
        );
      },
    });
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    if (this.#isHeld) await giveBack(this.#ctx, this.#lease);
  }

  async #run(): Promise<number> {
    const { leases, timing } = this.#ctx;
    this.#isHeld = await leases.take(this.#lease);
    if (this.#isHeld) return this.#options.read();
    this.#options.lost();
    return timing.leaseMs / 3;
  }
}
