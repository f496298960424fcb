import type { TransactionDoc } from '../../store/collections.ts';
import type { ChainContext } from '../context.ts';
import { pauseAfterFailure } from '../failures.ts';
import { Loop } from '../loop.ts';
import { takeDue } from './due.ts';

export interface ReconcilerOptions<Checked> {
  /** Throws while the chain's node cannot be reached, or is the wrong one. */
  readonly ready: () => Promise<Checked>;
  /** Asks the chain about these transactions, and updates them and their charges. */
  readonly follow: (checked: Checked, due: readonly TransactionDoc[]) => Promise<void>;
}

/**
 * Follows every stored transaction of one chain until its block is finalized or it can never land any more, on a growing
 * interval and for as long as it takes. It runs in every process that works for the chain; the processes share the
 * transactions. How a transaction is followed depends on the chain's family.
 */
export class Reconciler<Checked> {
  readonly #ctx: ChainContext;
  readonly #options: ReconcilerOptions<Checked>;
  readonly #loop: Loop;

  constructor(ctx: ChainContext, options: ReconcilerOptions<Checked>) {
    this.#ctx = ctx;
    this.#options = options;
    this.#loop = new Loop({
      run: () => this.#run(),
      onError: (error, failures) => pauseAfterFailure(ctx, error, failures, 'reconciler failed; it tries again'),
    });
  }

  start(): void {
    this.#loop.start();
  }

  wake(inMs: number): void {
    this.#loop.wake(inMs);
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  async #run(): Promise<number> {
    const checked = await this.#options.ready();
    const due = await takeDue(this.#ctx);
    if (due.length === 0) return this.#ctx.timing.reconcileIdleMs;
    await this.#options.follow(checked, due);
    return this.#pause(due);
  }

  /** Milliseconds until the next check of these transactions. The idle check finds transactions that others store meanwhile. */
  #pause(due: readonly TransactionDoc[]): number {
    const now = this.#ctx.clock().getTime();
    const next = Math.min(...due.map(({ askAt }) => askAt.getTime() - now));
    return Math.min(this.#ctx.timing.reconcileIdleMs, Math.max(0, next));
  }
}
