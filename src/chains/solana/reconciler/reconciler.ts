import { doubled } from '../../../../machines/rules/backoff.ts';
import { messageOf } from '../../../errors/message-of.ts';
import type { ChargeDoc, TransactionDoc } from '../../../store/collections.ts';
import { Loop } from '../../loop.ts';
import { takeDue } from '../../reconciler/due.ts';
import { NodeUnreachable } from '../../rpc.ts';
import { Blocked } from '../../troubles.ts';
import type { SolanaContext } from '../context.ts';
import type { CheckedTokens } from '../link.ts';
import { broadcast, mayBroadcast } from '../sender/broadcast.ts';
import type { Standing } from './agree.ts';
import { ask } from './ask.ts';
import { expire } from './expire.ts';
import { type Landing, settle } from './settle.ts';

/**
 * Follows every stored transaction of one chain until its block is finalized or it can never land any more, on a growing
 * interval and for as long as it takes. It runs in every process that works for the chain; they share the transactions.
 * Until then the same bytes are sent again at every check: nodes forget, and sending them twice pulls once.
 */
export class SolanaReconciler {
  readonly #ctx: SolanaContext;
  readonly #loop: Loop;

  constructor(ctx: SolanaContext) {
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
    const tokens = await ctx.link.ready();
    const due = await takeDue(ctx);
    if (due.length === 0) return ctx.timing.reconcileIdleMs;
    const standings = await ask(ctx, due);
    const ids = due.flatMap(({ chargeIds }) => chargeIds);
    const charges = new Map((await ctx.records.get('charges', ids)).map((charge) => [charge._id, charge]));
    await this.#follow(tokens, due, standings, charges);
    return this.#pause(due);
  }

  async #follow(
    tokens: CheckedTokens,
    due: readonly TransactionDoc[],
    standings: readonly Standing[],
    charges: ReadonlyMap<string, ChargeDoc>,
  ): Promise<void> {
    const landings: Landing[] = [];
    const absent: TransactionDoc[] = [];
    for (const [index, transaction] of due.entries()) {
      const standing = standings[index];
      const own = transaction.chargeIds.flatMap((id) => charges.get(id) ?? []);
      if (standing?.kind === 'included') landings.push({ transaction, standing, charges: own });
      if (standing?.kind === 'expired') await expire(this.#ctx, tokens, transaction, own, standing.asOf);
      if (standing?.kind === 'absent' && own.some((charge) => mayBroadcast(transaction, charge))) {
        absent.push(transaction);
      }
    }
    await broadcast(this.#ctx, absent);
    await settle(this.#ctx, tokens, landings);
    // A confirmed transaction makes room for another one of its fee payer, and lets those of its payer go on.
    if (landings.some(({ transaction }) => transaction.state === 'signed')) this.#ctx.wakeQueues();
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
