import type { TransactionDoc } from '../../../store/collections.ts';
import { later } from '../../context.ts';
import { pauseAfterFailure } from '../../failures.ts';
import { IdlePause } from '../../idle-pause.ts';
import { Loop } from '../../loop.ts';
import { type FeeBalance, OutOfGas } from '../../sender/gas.ts';
import type { EvmContext } from '../context.ts';
import type { Signer } from '../signer.ts';
import { refusedBy } from './broadcast.ts';
import { fillGaps } from './gaps.ts';
import type { GasGauge } from './gas-gauge.ts';
import { readMarket } from './market.ts';
import { replaceStuck } from './replace.ts';

/** More transactions than one sender has in flight. */
const AT_ONCE = 64;

export interface KeeperOptions {
  readonly signer: Signer;
  readonly feeBalance: FeeBalance;
  /** The signing queue's guesses of gas. They are forgotten if a transaction had too little gas, or too much. */
  readonly gauge: Pick<GasGauge, 'forget' | 'most' | 'refused'>;
}

/**
 * Keeps one sender's nonces moving, also while its signing queue waits: it replaces transactions that take too long,
 * and fills gaps in the nonces. The reconciler broadcasts transactions again that a node has forgotten.
 */
export class NonceKeeper {
  readonly #ctx: EvmContext;
  readonly #options: KeeperOptions;
  readonly #loop: Loop;
  readonly #idle: IdlePause;
  #isHeld: () => boolean = () => false;

  constructor(ctx: EvmContext, options: KeeperOptions) {
    this.#ctx = ctx;
    this.#options = options;
    this.#idle = new IdlePause(ctx.timing.replaceMs / 4);
    this.#loop = new Loop({ run: () => this.#run(), onError: (error, failures) => this.#failed(error, failures) });
  }

  /** `isHeld`: whether this process has the sender's lease. */
  start(isHeld: () => boolean): void {
    this.#isHeld = isHeld;
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  async #run(): Promise<number> {
    const ctx = this.#ctx;
    const { signer, feeBalance, gauge } = this.#options;
    if (!this.#isHeld()) return this.#idle.next();
    await ctx.link.ready();
    const overdue = await overdueOf(ctx, signer.address);
    const last = overdue.at(-1);
    if (last === undefined) {
      ctx.troubles.set(`stuck:${signer.address}`, null);
      ctx.troubles.set(refusedBy(signer.address), null);
      return this.#idle.next();
    }
    this.#idle.reset();
    const market = await readMarket(ctx.link, signer.address);
    feeBalance.saw(market.balance);
    // Transactions with a lower nonce are in blocks, or never will be: the reconciler finds out.
    const waiting = overdue.filter(({ nonce }) => nonce >= market.minedCount);
    await fillGaps(ctx, signer, market, last.nonce);
    await replaceStuck(ctx, signer, market, waiting, gauge);
    return ctx.timing.replaceMs / 4;
  }

  #failed(error: unknown, failures: number): number {
    const { timing } = this.#ctx;
    const { signer, feeBalance } = this.#options;
    if (error instanceof OutOfGas) feeBalance.short(error);
    const message = 'could not replace overdue transactions or fill gaps in the nonces; it tries again';
    const pause = pauseAfterFailure(this.#ctx, error, failures, message, { sender: signer.address });
    return Math.max(timing.replaceMs / 4, pause);
  }
}

/** Transactions that were signed, replaced or reorged out longer than `replaceMs` ago, by nonce. */
function overdueOf(ctx: EvmContext, sender: string): Promise<TransactionDoc[]> {
  const { chainId, records, timing } = ctx;
  return records.find('transactions', {
    where: { chainId, state: 'signed', sender, updatedAt: { lte: later(ctx, -timing.replaceMs) } },
    sort: [['nonce', 1]],
    limit: AT_ONCE,
  });
}
