import { doubled } from '../../../../machines/rules/backoff.ts';
import { messageOf } from '../../../errors/message-of.ts';
import type { ChargeDoc, TransactionDoc } from '../../../store/collections.ts';
import { Loop } from '../../loop.ts';
import { takeDue } from '../../reconciler/due.ts';
import { NodeUnreachable } from '../../rpc.ts';
import { Blocked } from '../../troubles.ts';
import type { EvmContext } from '../context.ts';
import { settlePermits } from '../permits/settle.ts';
import { broadcast } from '../sender/broadcast.ts';
import { abandon } from './abandon.ts';
import { ask, FinalityTag } from './ask.ts';
import { turnsOf } from './facts.ts';
import type { Standing } from './judge.ts';
import { noteDisplaced, reorg } from './reorg.ts';
import { type Landing, settle } from './settle.ts';

type Absent = Extract<Standing, { kind: 'absent' }> & { readonly transaction: TransactionDoc };

/**
 * Follows every stored transaction of one chain until its block is finalized or it can never land any more, on a growing
 * interval and for as long as it takes. It runs in every process that works for the chain; they share the transactions.
 * Errors, time-outs and nodes that know nothing end no charge: only a final receipt does, or another transaction that has
 * its nonce for good.
 */
export class Reconciler {
  readonly #ctx: EvmContext;
  readonly #loop: Loop;
  readonly #tag = new FinalityTag();

  constructor(ctx: EvmContext) {
    this.#ctx = ctx;
    this.#loop = new Loop({ run: () => this.#run(), onError: (error, failures) => this.#failed(error, failures) });
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
    const ctx = this.#ctx;
    const { router } = await ctx.link.ready();
    const due = await takeDue(ctx);
    if (due.length === 0) return ctx.timing.reconcileIdleMs;
    const standings = await ask(ctx, this.#tag, due);
    const absent: Absent[] = [];
    const included: { readonly transaction: TransactionDoc; readonly standing: Landing['standing'] }[] = [];
    for (const [index, transaction] of due.entries()) {
      const standing = standings[index];
      if (standing?.kind === 'absent') absent.push({ ...standing, transaction });
      if (standing?.kind === 'included') included.push({ transaction, standing });
      if (standing?.kind === 'dead') await abandon(ctx, router, transaction, standing.isFinal);
    }
    await this.#followAbsent(absent);
    await this.#followIncluded(router, included);
    return this.#pause(due);
  }

  async #followAbsent(absent: readonly Absent[]): Promise<void> {
    if (absent.length === 0) return;
    await reorg(
      this.#ctx,
      absent.map(({ transaction }) => transaction),
    );
    await noteDisplaced(this.#ctx, absent);
    const lost = absent.filter(({ known }) => !known).map(({ transaction }) => transaction);
    if (lost.length > 0) await broadcast(this.#ctx, lost);
  }

  async #followIncluded(
    router: string,
    included: readonly { readonly transaction: TransactionDoc; readonly standing: Landing['standing'] }[],
  ): Promise<void> {
    if (included.length === 0) return;
    await settlePermits(this.#ctx, included);
    const ids = included.flatMap(({ transaction }) => transaction.chargeIds);
    const charges = new Map((await this.#ctx.records.get('charges', ids)).map((charge) => [charge._id, charge]));
    const landings = included.map(({ transaction, standing }) => {
      const own = transaction.chargeIds.flatMap((id): ChargeDoc[] => toList(charges.get(id)));
      return { transaction, standing, turns: turnsOf(transaction, own, standing, router) };
    });
    await settle(this.#ctx, router, landings);
    // A mined transaction makes room for another one of its sender.
    if (included.some(({ transaction }) => transaction.state === 'signed')) this.#ctx.wakeQueues();
  }

  /** Milliseconds until the next of the transactions just checked. The idle check finds those that others store meanwhile. */
  #pause(due: readonly TransactionDoc[]): number {
    const now = this.#ctx.clock().getTime();
    const next = Math.min(...due.map(({ askAt }) => askAt.getTime() - now));
    return Math.min(this.#ctx.timing.reconcileIdleMs, Math.max(0, next));
  }

  #failed(error: unknown, failures: number): number {
    const { timing, log, chainId } = this.#ctx;
    const known = error instanceof NodeUnreachable || error instanceof Blocked;
    if (!known) log.error({ chainId, error: messageOf(error) }, 'reconciler failed; it goes on');
    return doubled(timing.retryFirstMs, failures - 1, timing.retryMaxMs);
  }
}

function toList<T>(value: T | undefined): T[] {
  return value === undefined ? [] : [value];
}
