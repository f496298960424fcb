import type { ChargeDoc } from '../../store/collections.ts';
import { NOT_IN_CATALOG } from '../charges.ts';
import type { ChainContext } from '../context.ts';
import { pauseAfterFailure } from '../failures.ts';
import { IdlePause } from '../idle-pause.ts';
import { Loop } from '../loop.ts';
import { logKnownReason, noteFailing } from './failing.ts';
import { FeeBalance, type FeeBalanceOptions } from './gas.ts';
import { QueueLease } from './queue-lease.ts';
import type { Seal } from './recover.ts';
import { notifyDecided } from './refuse.ts';
import type { QueueWindow } from './window.ts';

export interface SigningQueueOptions<Checked> {
  /** The sender, and how its balance for fees is read. */
  readonly fees: FeeBalanceOptions;
  readonly window: QueueWindow;
  readonly seal: Seal;
  /** Throws while the chain's node cannot be reached, or is the wrong one. */
  readonly ready: () => Promise<Checked>;
  /** Takes charges and sends them, once. Returns the pause in milliseconds. */
  readonly run: (checked: Checked) => Promise<number>;
  /** True: the queue has a remedy for this error, and needs nobody's help. */
  readonly hasRemedy?: (error: unknown) => boolean;
}

/**
 * One sender's signing queue: takes charges, and signs. It runs in the process that holds its lease. How charges become
 * transactions depends on the chain's family.
 */
export class SigningQueue<Checked> {
  readonly feeBalance: FeeBalance;
  readonly idle: IdlePause;
  readonly #ctx: ChainContext;
  readonly #options: SigningQueueOptions<Checked>;
  readonly #lease: QueueLease;
  readonly #loop: Loop;
  /** How many of the taken charges were recovered. The lease keeps those; the window keeps the others. */
  #recovered = 0;

  constructor(ctx: ChainContext, options: SigningQueueOptions<Checked>) {
    this.#ctx = ctx;
    this.#options = options;
    this.feeBalance = new FeeBalance(ctx, options.fees);
    this.#lease = new QueueLease(ctx, options.fees.address, options.seal);
    this.idle = new IdlePause(ctx.timing.queueIdleMs);
    this.#loop = new Loop({ run: () => this.#run(), onError: (error, failures) => this.#failed(error, failures) });
  }

  /** True if this process has the signing queue. */
  get isHeld(): boolean {
    return this.#lease.isHeld;
  }

  get isRecoveryDue(): boolean {
    return this.#lease.isRecoveryDue();
  }

  start(): void {
    this.#loop.start();
  }

  wake(): void {
    this.#loop.wake();
  }

  /** Ends after the current transaction. Gives the lease back when `beside`, which needs the lease, has ended too. */
  async stop(beside: Promise<void> = Promise.resolve()): Promise<void> {
    await Promise.all([this.#loop.stop(), beside]);
    await this.#lease.giveBack();
  }

  /**
   * Takes the charges to send next: those that were taken before and not sent, or else up to `limit` waiting ones of these
   * tokens. After a failure before `done`, the next recovery finds them.
   */
  async take(enabled: readonly string[], limit: number): Promise<readonly ChargeDoc[]> {
    const tokens = [...enabled, NOT_IN_CATALOG];
    const found = this.isRecoveryDue ? await this.#lease.recover((token) => tokens.includes(token)) : [];
    this.#recovered = found.length;
    const charges =
      found.length > 0
        ? found.slice(0, limit)
        : await notifyDecided(this.#ctx, await this.#options.window.take(tokens, limit));
    this.#lease.mustRecover = true;
    return charges;
  }

  /** Returns charges that were taken and do not fit yet. They come first next time. */
  putBack(charges: readonly ChargeDoc[]): void {
    if (this.#recovered === 0) this.#options.window.putBack(charges);
  }

  /** Notes that `count` of the taken charges have been dealt with. */
  done(count: number): void {
    this.#lease.mustRecover = this.#recovered > count;
  }

  async #run(): Promise<number> {
    if (!(await this.#lease.hold())) return this.#ctx.timing.leaseMs / 3;
    const checked = await this.#options.ready();
    await this.feeBalance.ensure();
    const pause = await this.#options.run(checked);
    this.#ctx.troubles.set(this.#lease.name, null);
    return pause;
  }

  #failed(error: unknown, failures: number): number {
    const { window, hasRemedy, fees } = this.#options;
    window.failed();
    const sender = fees.address;
    const pause = pauseAfterFailure(this.#ctx, error, failures, 'signing queue failed; it tries again', { sender });
    const queue = { lease: this.#lease.name, feeBalance: this.feeBalance };
    if (logKnownReason(this.#ctx, queue, error) || hasRemedy?.(error) === true) return pause;
    noteFailing(this.#ctx.troubles, this.#lease.name, sender, failures);
    return pause;
  }
}
