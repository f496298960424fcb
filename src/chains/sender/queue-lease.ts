import type { ChargeDoc, TransactionDoc } from '../../store/collections.ts';
import { isDue } from '../../store/is-due.ts';
import { postpone } from '../charges.ts';
import { type ChainContext, giveBack, later } from '../context.ts';

/** The lease of one sender's signing queue, and the charges that its last holder took and did not send. */
export class QueueLease {
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

  async giveBack(): Promise<void> {
    if (this.#isHeld) await giveBack(this.#ctx, this.name);
    this.#isHeld = false;
  }

  /** True if `mustRecover`, and from time to time for queues that no longer exist. */
  isRecoveryDue(): boolean {
    return this.mustRecover || isDue(this.#recoverAt, this.#ctx.clock(), this.#ctx.timing.orphanMs);
  }

  /** The charges that were taken before and never sent. Those of disabled tokens go back into the queue. */
  async recover(isEnabled: (token: string) => boolean): Promise<ChargeDoc[]> {
    const { timing } = this.#ctx;
    this.#recoverAt = later(this.#ctx, timing.orphanMs);
    const again = await recoverStarted(this.#ctx, this.#sender, this.#seal);
    const other = again.filter(({ token }) => !isEnabled(token));
    if (other.length > 0) await postpone(this.#ctx, other, timing.postponeMs);
    return again.filter(({ token }) => isEnabled(token));
  }
}

/** How many charges are checked at once. */
const AT_ONCE = 200;

/** After it, a transaction of these charges that is not stored yet cannot be stored, or is never broadcast. */
export type Seal = (ctx: ChainContext, started: readonly ChargeDoc[]) => Promise<void>;

/**
 * Finds charges that a signing queue took and did not broadcast. A signing queue calls it at its start and after each
 * failure. With a stored transaction they become `sent`, and the reconciler broadcasts it. The others are returned.
 */
export async function recoverStarted(ctx: ChainContext, sender: string, seal: Seal): Promise<ChargeDoc[]> {
  const started = await findStarted(ctx, sender);
  if (started.length === 0) return [];
  await seal(ctx, started);
  const stored = await findStored(ctx, started);
  await ctx.records.changeMany(
    'charges',
    [...stored].map(([charge, transaction]) => ({
      id: charge._id,
      where: { state: 'started', transactionId: charge.transactionId },
      change: { set: { state: 'sent', transactionId: transaction._id, updatedAt: ctx.clock() } },
    })),
  );
  const left = started.filter((charge) => !stored.has(charge));
  ctx.log.info(
    { chainId: ctx.chainId, sender, sent: stored.size, again: left.length },
    'found charges that were taken and not sent; they go on',
  );
  return left;
}

async function findStarted(ctx: ChainContext, sender: string): Promise<ChargeDoc[]> {
  const { chainId } = ctx;
  const orphaned = new Date(ctx.clock().getTime() - ctx.timing.orphanMs);
  const [own, orphans] = await Promise.all([
    ctx.records.find('charges', { where: { chainId, state: 'started', lane: sender }, limit: AT_ONCE }),
    ctx.records.find('charges', {
      where: { chainId, state: 'started', lane: { not: sender }, updatedAt: { lt: orphaned } },
      limit: AT_ONCE,
    }),
  ]);
  return [...own, ...orphans];
}

/** By charge, the stored transaction that carries it: the one it was taken for, or another one that is still open. */
async function findStored(ctx: ChainContext, charges: readonly ChargeDoc[]): Promise<Map<ChargeDoc, TransactionDoc>> {
  const transactions = await ctx.records.find('transactions', {
    where: { chargeIds: { in: charges.map((charge) => charge._id) } },
    sort: [['createdAt', -1]],
    limit: AT_ONCE * 4,
  });
  const found = new Map<ChargeDoc, TransactionDoc>();
  for (const charge of charges) {
    const carrying = transactions.filter((transaction) => transaction.chargeIds.includes(charge._id));
    const transaction =
      carrying.find(({ _id }) => _id === charge.transactionId) ??
      carrying.find(({ state }) => state === 'signed' || state === 'mined');
    if (transaction) found.set(charge, transaction);
  }
  return found;
}
