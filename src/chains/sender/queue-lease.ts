import type { ChargeDoc } from '../../store/collections.ts';
import { type ChainContext, giveBack, later } from '../context.ts';
import { postpone } from './postpone.ts';
import { recoverStarted, type Seal } from './recover.ts';

/** The lease of one sender's signing queue, and the charges that its last holder took and did not send. */
export class QueueLease {
  /** The name of the lease, and of the trouble of the signing queue. */
  readonly name: string;
  /** True if this signing queue, or one that no longer exists, may have taken charges and not sent them. */
  mustRecover = true;
  readonly #ctx: ChainContext;
  readonly #sender: string;
  readonly #seal: Seal;
  #isHeld = false;
  #recoverAt = new Date(0);

  constructor(ctx: ChainContext, sender: string, seal: Seal) {
    this.#ctx = ctx;
    this.#sender = sender;
    this.#seal = seal;
    this.name = `${ctx.chainId}:${sender}`;
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Takes or prolongs the lease. False: another process has it. */
  async hold(): Promise<boolean> {
    const { leases, log, chainId } = this.#ctx;
    const isHeld = await leases.take(this.name);
    if (isHeld && !this.#isHeld) {
      this.mustRecover = true;
      log.info({ chainId, sender: this.#sender }, 'this process has the signing queue now');
    }
    this.#isHeld = isHeld;
    return isHeld;
  }

  /** Gives the lease back, so that another process can take the signing queue. */
  async giveBack(): Promise<void> {
    if (this.#isHeld) await giveBack(this.#ctx, this.name);
    this.#isHeld = false;
  }

  /** True if `mustRecover`, and from time to time for queues that no longer exist. */
  isRecoveryDue(): boolean {
    return this.mustRecover || this.#ctx.clock() >= this.#recoverAt;
  }

  /**
   * The charges that were taken before and never sent. Those of tokens that are not enabled any more go back into the
   * queue.
   */
  async recover(isEnabled: (token: string) => boolean): Promise<ChargeDoc[]> {
    const { timing } = this.#ctx;
    this.#recoverAt = later(this.#ctx, timing.orphanMs);
    const again = await recoverStarted(this.#ctx, this.#sender, this.#seal);
    const other = again.filter(({ token }) => !isEnabled(token));
    if (other.length > 0) await postpone(this.#ctx, other, timing.postponeMs);
    return again.filter(({ token }) => isEnabled(token));
  }
}
