import type { ChargeDoc } from '../../store/collections.ts';
import { type ChainContext, giveBack, later } from '../context.ts';
import { postpone } from './postpone.ts';
import { recoverStarted, type Seal } from './recover.ts';

/** The lease of one sender's signing queue, and the charges that its last holder took and did not send. */
export class QueueLease {
  /** Of the lease, and of what troubles the signing queue. */
  readonly name: string;
  /** There may be charges that this signing queue, or one that is gone, has taken and not sent. */
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

  /** Takes or prolongs it; false: another process has it. */
  async hold(): Promise<boolean> {
    const { leases, log, chainId } = this.#ctx;
    const isHeld = await leases.take(this.name);
    if (isHeld && !this.#isHeld) {
      this.mustRecover = true;
      log.info({ chainId, sender: this.#sender }, 'signing queue taken');
    }
    this.#isHeld = isHeld;
    return isHeld;
  }

  /** Leaves the signing queue to others. */
  async giveBack(): Promise<void> {
    if (this.#isHeld) await giveBack(this.#ctx, this.name);
    this.#isHeld = false;
  }

  /** Where it must, and every now and then for queues that are gone. */
  isRecoveryDue(): boolean {
    return this.mustRecover || this.#ctx.clock() >= this.#recoverAt;
  }

  /** What was taken before and never sent; of tokens that are not enabled any more it goes back into the queue. */
  async recover(isEnabled: (token: string) => boolean): Promise<ChargeDoc[]> {
    const { timing } = this.#ctx;
    this.#recoverAt = later(this.#ctx, timing.orphanMs);
    const again = await recoverStarted(this.#ctx, this.#sender, this.#seal);
    const other = again.filter(({ token }) => !isEnabled(token));
    if (other.length > 0) await postpone(this.#ctx, other, timing.postponeMs);
    return again.filter(({ token }) => isEnabled(token));
  }
}
