import type { ChargeDoc } from '../../store/collections.ts';
import { asSeen, type ChargeNotice, changeEach, decidedOf, NOT_IN_CATALOG, notifyEach, postpone } from '../charges.ts';
import { Blocked, type ChainContext, later, type Troubles } from '../context.ts';
import { IdlePause, Loop, pauseAfterFailure } from '../loop.ts';
import type { RefusalFact } from '../port.ts';
import { NodeUnreachable } from '../rpc.ts';
import { type FeeBalance, OutOfGas } from './gas.ts';
import { QueueLease, type Seal } from './queue-lease.ts';
import type { QueueWindow } from './window.ts';

/** The result of one `send`. */
export interface Sent {
  /** The charges that were not dealt with. They come first next time. */
  readonly left: readonly ChargeDoc[];
  /** The pause until the next run, in milliseconds. */
  readonly pauseMs: number;
}

/** Work beside the loop of a sender. */
interface Companion {
  /** Whether this process has the sender's lease. */
  isHeld: () => boolean;
  start(): void;
  stop(): Promise<void>;
}

/** How the charges of one sender become transactions. It depends on the chain's family. */
export interface SenderStrategy<Ready> {
  readonly feeBalance: FeeBalance;
  readonly seal: Seal;
  /** Ends before the lease is given back. */
  readonly companion?: Companion;
  /** Throws while the chain's node cannot be reached, or is the wrong one. */
  ready(): Promise<Ready>;
  /** Does the work before the charges. False: the sender can send nothing before the next block. */
  prepare(ready: Ready, isRecovering: boolean): Promise<boolean>;
  tokensOf(ready: Ready): readonly string[];
  /** The most charges for the next `send`. */
  readonly batchMax: number;
  /** Refuses, postpones or sends each of these charges, or leaves it. */
  send(ready: Ready, charges: readonly ChargeDoc[]): Promise<Sent>;
  /** True: the next `send` has a remedy for this error, and needs nobody's help. */
  hasRemedy?(error: unknown): boolean;
}

/** One sender's queue, in the process with its lease: takes charges, and signs. The strategy is the family's. */
export class SenderLoop<Ready> extends Loop {
  readonly #ctx: ChainContext;
  readonly #window: QueueWindow;
  readonly #strategy: SenderStrategy<Ready>;
  readonly #lease: QueueLease;
  readonly #idle: IdlePause;
  /** How many of the taken charges were recovered. The lease keeps those; the window keeps the others. */
  #recovered = 0;

  constructor(ctx: ChainContext, window: QueueWindow, strategy: SenderStrategy<Ready>) {
    super();
    this.#ctx = ctx;
    this.#window = window;
    this.#strategy = strategy;
    this.#lease = new QueueLease(ctx, strategy.feeBalance.address, strategy.seal);
    this.#idle = new IdlePause(ctx.timing.queueIdleMs);
  }

  get feeBalance(): FeeBalance {
    return this.#strategy.feeBalance;
  }

  override start(): void {
    super.start();
    const { companion } = this.#strategy;
    if (companion === undefined) return;
    companion.isHeld = () => this.#lease.isHeld;
    companion.start();
  }

  /** Ends after the current transaction, and gives the lease back. */
  override async stop(): Promise<void> {
    await Promise.all([super.stop(), this.#strategy.companion?.stop()]);
    await this.#lease.giveBack();
  }

  protected override async run(): Promise<number> {
    if (!(await this.#lease.hold())) return this.#ctx.timing.leaseMs / 3;
    const ready = await this.#strategy.ready();
    await this.feeBalance.ensure();
    const pause = await this.#sendNext(ready);
    this.#ctx.troubles.set(this.#lease.name, null);
    return pause;
  }

  async #sendNext(ready: Ready): Promise<number> {
    const strategy = this.#strategy;
    if (!(await strategy.prepare(ready, this.#lease.isRecoveryDue()))) return this.#ctx.timing.blockMs;
    const charges = await this.#take(strategy.tokensOf(ready), strategy.batchMax);
    if (charges.length === 0) {
      this.#lease.mustRecover = false;
      return this.#idle.next();
    }
    this.#idle.reset();
    const { left, pauseMs } = await strategy.send(ready, charges);
    if (this.#recovered === 0) this.#window.putBack(left);
    this.#lease.mustRecover = this.#recovered > charges.length - left.length;
    return pauseMs;
  }

  /** Those taken before and not sent, or else up to `limit` waiting ones. A failure's are found by the recovery. */
  async #take(enabled: readonly string[], limit: number): Promise<readonly ChargeDoc[]> {
    const tokens = [...enabled, NOT_IN_CATALOG];
    const lease = this.#lease;
    const found = lease.isRecoveryDue() ? await lease.recover((token) => tokens.includes(token)) : [];
    this.#recovered = found.length;
    const charges =
      found.length > 0 ? found.slice(0, limit) : await notifyDecided(this.#ctx, await this.#window.take(tokens, limit));
    lease.mustRecover = true;
    return charges;
  }

  protected override failed(error: unknown, failures: number): number {
    this.#window.failed();
    const sender = this.feeBalance.address;
    const pause = pauseAfterFailure(this.#ctx, error, failures, 'signing queue failed; it tries again', { sender });
    const queue = { lease: this.#lease.name, feeBalance: this.feeBalance };
    if (logKnownReason(this.#ctx, queue, error) || this.#strategy.hasRemedy?.(error) === true) return pause;
    noteFailing(this.#ctx.troubles, this.#lease.name, sender, failures);
    return pause;
  }
}

/** One or two failures in a row are usually a database that was away for a moment. */
const REPORTED_FROM = 3;

/** A queue that fails for an unknown reason is a trouble of its chain from the third failure to a success. */
function noteFailing(troubles: Troubles, lease: string, sender: string, failures: number): void {
  if (failures >= REPORTED_FROM) troubles.set(lease, `sender ${sender} fails again and again; the log says why`);
}

interface FailingQueue {
  readonly lease: string;
  readonly feeBalance: FeeBalance;
}

/**
 * Logs why a signing queue waits, if the reason is known: a node that does not answer, missing fees, or something else
 * that has to change first. False: the reason is unknown, and nothing was logged.
 */
function logKnownReason(ctx: ChainContext, { lease, feeBalance }: FailingQueue, error: unknown): boolean {
  if (error instanceof NodeUnreachable) return true;
  if (error instanceof OutOfGas) {
    feeBalance.short(error);
    return true;
  }
  if (!(error instanceof Blocked)) return false;
  const { troubles, log, chainId } = ctx;
  if (troubles.set(lease, error.message))
    log.warn({ chainId, sender: feeBalance.address, error: error.message }, 'signing queue waits until this changes');
  return true;
}

interface Refused {
  readonly charge: ChargeDoc;
  readonly why: RefusalFact;
  /** The chain refuses it by the state of this block (Solana: slot), the newest seen. Null: no later one changes it. */
  readonly block: number | null;
  /** Stored in the charge, beside the reason. */
  readonly note?: Pick<ChargeDoc, 'note' | 'refusal'>;
}

/** The time, in milliseconds, in which only the process that decided a refusal notifies the payment. */
const NOTIFYING_MS = 5_000;

/** The pause of a refusal that its payment does not take is this many times longer if other payments take theirs. */
const UNNOTIFIED_RESTS = 12;

/**
 * Ends charges that simulation refuses, in three steps. First, the refusal is stored in the charge; the write fails if
 * a signing queue took the charge meanwhile, and after it nobody signs the charge. Second, the payment is notified.
 * Third, the charge is marked as refused. If the process dies or hangs between two steps, the next signing queue
 * notifies the payment (`notifyDecided`). So no payment learns of a refusal while its charge is signed. A charge whose
 * payment cannot be notified waits, and delays no other.
 */
export async function refuse(ctx: ChainContext, refusals: readonly Refused[]): Promise<void> {
  await notifyAndMark(ctx, await decide(ctx, refusals));
}

/** Ends the charges whose refusal is decided already, and returns the others. */
async function notifyDecided(ctx: ChainContext, charges: readonly ChargeDoc[]): Promise<ChargeDoc[]> {
  const decided = charges.filter((charge) => decidedOf(charge) !== null);
  await notifyAndMark(ctx, decided);
  return charges.filter((charge) => decidedOf(charge) === null);
}

async function decide(ctx: ChainContext, refusals: readonly Refused[]): Promise<ChargeDoc[]> {
  const nowhere = { state: 'waiting', lane: null, transactionId: null, notBefore: later(ctx, NOTIFYING_MS) } as const;
  const decided = refusals.map(({ charge, why, block, note }) => ({
    charge,
    block,
    set: { ...nowhere, reason: why.reason, ...note, updatedAt: ctx.clock() },
  }));
  const won = await ctx.records.changeMany(
    'charges',
    decided.map(({ charge, set }) => ({ id: charge._id, where: asSeen(charge), change: { set } })),
  );
  const ours = decided.filter((_, index) => won[index] === true);
  const stored = ours.map(({ charge, set }): ChargeDoc => ({ ...charge, ...set }));
  for (const { charge, block, set } of ours) {
    const { reason, refusal } = set;
    const about = { chainId: ctx.chainId, chargeId: charge._id, reason, refusal, block };
    ctx.log.info(about, 'the chain would refuse the charge; this attempt ends without a transaction');
  }
  await noteEnded(ctx, stored);
  return stored;
}

/** Notes on mandates that nothing can be charged under them any more. The chain's logs say of a revocation too. */
async function noteEnded({ records, clock }: ChainContext, refused: readonly ChargeDoc[]): Promise<void> {
  const set = (kind: string | undefined) => {
    if (kind === 'revoked') return { revokedAt: clock() };
    return kind === 'used_up' ? { usedUpAt: clock() } : null;
  };
  const changes = refused.flatMap(({ mandate, refusal }) => {
    const ended = set(refusal?.kind);
    if (mandate === undefined || ended === null) return [];
    const where = Object.fromEntries(Object.keys(ended).map((field) => [field, null]));
    return [{ id: mandate.id, where, change: { set: ended } }];
  });
  if (changes.length > 0) await records.changeMany('mandates', changes);
}

async function notifyAndMark(ctx: ChainContext, decided: readonly ChargeDoc[]): Promise<void> {
  if (decided.length === 0) return;
  const notices = decided.map(
    (charge): ChargeNotice => ({ charge, facts: [decidedOf(charge)].filter((fact) => fact !== null) }),
  );
  const reported = new Set((await notifyEach(ctx, notices)).map(({ charge }) => charge));
  await changeEach(ctx, [...reported], { state: 'refused' });
  const unnotified = decided.filter((charge) => !reported.has(charge));
  if (unnotified.length > 0)
    await postpone(ctx, unnotified, ctx.timing.postponeMs * (reported.size > 0 ? UNNOTIFIED_RESTS : 1));
}
