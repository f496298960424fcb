import { unknownCase } from '../../../machines/unknown-case.ts';
import type { ChargeDoc, TransactionDoc } from '../../store/collections.ts';
import { type ChainContext, type ChainTiming, later } from '../context.ts';
import { Loop, pauseAfterFailure } from '../loop.ts';

/** It is in a block; in none and can still land; can never land; or nodes know too little, and are asked again. */
interface AnyStatus {
  readonly kind: 'included' | 'absent' | 'expired' | 'unsure';
}

/** A transaction with its status, and its charges as they are stored. */
export interface Followed<S extends AnyStatus> {
  readonly transaction: TransactionDoc;
  readonly status: S;
  readonly charges: readonly ChargeDoc[];
}

type Of<S extends AnyStatus, K extends S['kind']> = Followed<Extract<S, { kind: K }>>;

/** How the transactions of a chain are followed. It depends on the chain's family. */
export interface ReconcilerStrategy<Ready, S extends AnyStatus> {
  /** Throws while the chain's node cannot be reached, or is the wrong one. */
  ready(): Promise<Ready>;
  /** One status per transaction, in their order. */
  ask(transactions: readonly TransactionDoc[]): Promise<readonly S[]>;
  /** False: `charges` may be empty for transactions of this status. */
  needsCharges(status: S): boolean;
  /** Gives up a transaction that can never land; its charges wait again. */
  abandon(expired: Of<S, 'expired'>, ready: Ready): Promise<void>;
  /** Sends transactions again that nodes may have forgotten. */
  sendAgain(absent: readonly Of<S, 'absent'>[]): Promise<void>;
  /** Notifies the payments of transactions in blocks, and then moves charges and transactions on. */
  settle(included: readonly Of<S, 'included'>[], ready: Ready): Promise<void>;
}

/**
 * Follows every stored transaction of one chain until its block is finalized or it can never land any more, on a
 * growing interval and for as long as it takes. It runs in every process that works for the chain; the processes share
 * the transactions. An error, a time-out or a node that knows nothing ends no charge.
 */
export class Reconciler<Ready, S extends AnyStatus> extends Loop {
  readonly #ctx: ChainContext;
  readonly #strategy: ReconcilerStrategy<Ready, S>;

  constructor(ctx: ChainContext, strategy: ReconcilerStrategy<Ready, S>) {
    super();
    this.#ctx = ctx;
    this.#strategy = strategy;
  }

  protected override failed(error: unknown, failures: number): number {
    return pauseAfterFailure(this.#ctx, error, failures, 'reconciler failed; it tries again');
  }

  protected override async run(): Promise<number> {
    const ready = await this.#strategy.ready();
    const due = await takeDue(this.#ctx);
    if (due.length === 0) return this.#idleMs();
    await this.#follow(ready, due);
    return this.#pause(due);
  }

  async #follow(ready: Ready, due: readonly TransactionDoc[]): Promise<void> {
    const strategy = this.#strategy;
    const followed = await this.#withCharges(due, await strategy.ask(due));
    for (const expired of followed.filter((each) => isOf(each, 'expired'))) await strategy.abandon(expired, ready);
    const absent = followed.filter((each) => isOf(each, 'absent'));
    if (absent.length > 0) await strategy.sendAgain(absent);
    const included = followed.filter((each) => isOf(each, 'included'));
    if (included.length > 0) await strategy.settle(included, ready);
    // Its sender may have another transaction in flight, and waiting charges of its payers may be made.
    if (included.some(({ transaction }) => transaction.state === 'signed')) this.#ctx.wakeQueues();
  }

  async #withCharges(due: readonly TransactionDoc[], statuses: readonly S[]): Promise<Followed<S>[]> {
    const needed = due.filter((_, index) => {
      const status = statuses[index];
      return status !== undefined && this.#strategy.needsCharges(status);
    });
    const ids = needed.flatMap(({ chargeIds }) => chargeIds);
    const found = ids.length === 0 ? [] : await this.#ctx.records.get('charges', ids);
    const charges = new Map(found.map((charge) => [charge._id, charge]));
    return due.flatMap((transaction, index) => {
      const status = statuses[index];
      const own = transaction.chargeIds.flatMap((id) => charges.get(id) ?? []);
      return status === undefined ? [] : [{ transaction, status, charges: own }];
    });
  }

  /** Milliseconds until the next check of these. The idle check finds what others store meanwhile. */
  #pause(due: readonly TransactionDoc[]): number {
    const now = this.#ctx.clock().getTime();
    const next = Math.min(...due.map(({ askAt }) => askAt.getTime() - now));
    return Math.min(this.#idleMs(), Math.max(0, next));
  }

  /** The more workers there are, the longer: each finds the transactions of those that have died. */
  #idleMs(): number {
    return this.#ctx.timing.reconcileIdleMs * this.#ctx.leases.workers;
  }
}

function isOf<S extends AnyStatus, K extends S['kind']>(followed: Followed<S>, kind: K): followed is Of<S, K> {
  return followed.status.kind === kind;
}

/** How many transactions are checked at once. */
const AT_ONCE = 100;

/** A timer may fire early: a transaction due within this time counts as due, and waits for no idle check. */
const EARLY_MS = 5;

/**
 * The transactions that are due for a check. A process takes one by setting its next time, which only one process can
 * do. So the processes share them, and a transaction that one of them drops comes up again.
 */
export async function takeDue(ctx: ChainContext): Promise<TransactionDoc[]> {
  const due = await ctx.records.find('transactions', {
    where: {
      chainId: ctx.chainId,
      state: { in: ['signed', 'mined', 'final'] },
      askAt: { lte: later(ctx, EARLY_MS) },
    },
    sort: [['askAt', 1]],
    limit: AT_ONCE,
  });
  if (due.length === 0) return [];
  const moves = due.map((transaction) => ({
    askAt: later(ctx, nextAskMs(ctx.timing, transaction.state, transaction.asked + 1)),
    asked: transaction.asked + 1,
  }));
  const won = await ctx.records.changeMany(
    'transactions',
    due.map((transaction, index) => ({
      id: transaction._id,
      where: { state: transaction.state, asked: transaction.asked },
      change: { set: { ...moves[index] } },
    })),
  );
  return due.flatMap((transaction, index) => (won[index] === true ? [{ ...transaction, ...moves[index] }] : []));
}

/** The time until the next check, in milliseconds, after `asked` checks in this state. */
export function nextAskMs(timing: ChainTiming, state: TransactionDoc['state'], asked: number): number {
  const growth = 1.5 ** Math.min(asked, 40);
  switch (state) {
    case 'signed':
      return Math.min(timing.askMaxMs, timing.askFirstMs * growth);
    case 'mined':
      return Math.min(timing.askMaxMs, Math.max(timing.askFirstMs, timing.blockMs));
    case 'final':
    case 'finalized':
    case 'expired':
      return Math.min(timing.finalizedMaxMs, timing.finalizedFirstMs * growth);
    default:
      return unknownCase(state, 'state of a transaction');
  }
}
