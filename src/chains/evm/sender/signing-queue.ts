import { doubled } from '../../../../machines/rules/backoff.ts';
import { messageOf } from '../../../errors/message-of.ts';
import type { ChargeDoc } from '../../../store/collections.ts';
import { NOT_IN_CATALOG } from '../../charges.ts';
import { IdlePause } from '../../idle-pause.ts';
import { Loop } from '../../loop.ts';
import { noteFailing, saidWhatIsMissing } from '../../sender/failing.ts';
import { FeeBalance } from '../../sender/gas.ts';
import { postpone } from '../../sender/postpone.ts';
import { QueueLease } from '../../sender/queue-lease.ts';
import { notifyDecided, refuse } from '../../sender/refuse.ts';
import type { QueueNumber } from '../../sender/take.ts';
import type { QueueWindow } from '../../sender/window.ts';
import type { EvmContext } from '../context.ts';
import type { Checked } from '../link.ts';
import { PermitQueue } from '../permits/queue.ts';
import { reconcileSeen } from '../reconcile-existing.ts';
import type { Signer } from '../signer.ts';
import { applyReserves, readAllowances } from './apply-reserves.ts';
import { GasGauge } from './gas-gauge.ts';
import { NonceKeeper } from './keeper.ts';
import { nextNonce, seal } from './ledger.ts';
import { gasSentence, readGas } from './market.ts';
import { prepare } from './prepare.ts';
import { hasRoom } from './room.ts';
import { send } from './send.ts';
import { BatchFailed, simulate } from './simulate.ts';
import { type Refusal, sortSimulated } from './sort.ts';
import { together } from './together.ts';
import { undisputed } from './undisputed.ts';

/** A single charge that makes the simulation itself fail rests so long before it is tried again. */
const POISON_REST_MS = 60_000;

/** One sender's signing queue: takes charges, and signs. It runs in the process that holds its lease. */
export class SigningQueue {
  /** What its sender has for gas. */
  readonly feeBalance: FeeBalance;
  readonly #ctx: EvmContext;
  readonly #signer: Signer;
  readonly #lease: QueueLease;
  readonly #loop: Loop;
  readonly #idle: IdlePause;
  readonly #keeper: NonceKeeper;
  readonly #permits: PermitQueue;
  readonly #gauge = new GasGauge();
  readonly #window: QueueWindow;
  #batchMax: number;
  /** The charges at hand, for the case that they cannot be simulated. */
  #batch: readonly ChargeDoc[] = [];
  #poison: ChargeDoc | null = null;

  constructor(ctx: EvmContext, signer: Signer, place: QueueNumber, window: QueueWindow) {
    this.#ctx = ctx;
    this.#signer = signer;
    const { address } = signer;
    const sentence = (balance: bigint, needed: bigint): string => gasSentence(address, balance, needed);
    this.feeBalance = new FeeBalance(ctx, { address, read: () => readGas(ctx.link, address), sentence });
    this.#lease = new QueueLease(ctx, address, seal);
    this.#idle = new IdlePause(ctx.timing.queueIdleMs);
    this.#batchMax = ctx.sizes.charges;
    this.#permits = new PermitQueue(ctx, signer, place);
    this.#window = window;
    this.#loop = new Loop({ run: () => this.#run(), onError: (error, failures) => this.#failed(error, failures) });
    const [feeBalance, gauge] = [this.feeBalance, this.#gauge];
    this.#keeper = new NonceKeeper(ctx, { signer, feeBalance, gauge, isHeld: () => this.#lease.isHeld });
  }

  start(): void {
    this.#loop.start();
    this.#keeper.start();
  }

  wake(): void {
    this.#loop.wake();
  }

  /** Ends after the transaction at hand, and leaves the signing queue to others. */
  async stop(): Promise<void> {
    await Promise.all([this.#loop.stop(), this.#keeper.stop()]);
    await this.#lease.giveBack();
  }

  async #run(): Promise<number> {
    const { timing, troubles, link } = this.#ctx;
    if (!(await this.#lease.hold())) return timing.leaseMs / 3;
    const checked = await link.ready();
    await this.feeBalance.ensure();
    await this.#restPoison();
    await this.#permits.run(checked.router);
    const tokens = [...checked.tokens, NOT_IN_CATALOG];
    const found = this.#lease.isRecoveryDue() ? await this.#lease.recover((token) => tokens.includes(token)) : [];
    let queue = found.slice(0, this.#batchMax);
    if (found.length === 0) {
      queue = await notifyDecided(this.#ctx, await this.#window.take(tokens, this.#batchMax));
    }
    this.#batch = this.#gauge.fitting(together(queue));
    if (found.length === 0) this.#window.putBack(without(queue, this.#batch));
    this.#lease.mustRecover = true;
    const isMore = queue.length > this.#batch.length;
    if (this.#batch.length > 0) this.#idle.reset();
    const next = this.#batch.length === 0 ? this.#idle.next() : await this.#charge(checked, this.#batch, isMore);
    // Their turn comes first when there is room again; what was taken before nobody else gives back.
    if (next === 'full' && found.length === 0) this.#window.putBack(this.#batch);
    this.#lease.mustRecover = found.length > (next === 'full' ? 0 : this.#batch.length);
    troubles.set(this.#lease.name, null);
    this.#batchMax = Math.min(this.#ctx.sizes.charges, this.#batchMax * 2);
    return next === 'full' ? timing.blockMs : next;
  }

  /**
   * One batch from simulation to broadcast; `isMore`: others wait that did not fit into it. Returns the pause after it, or that
   * the sender has no room for another transaction yet.
   */
  async #charge({ router }: Checked, batch: readonly ChargeDoc[], isMore: boolean): Promise<number | 'full'> {
    const ctx = this.#ctx;
    const { address } = this.#signer;
    const [reading, allowances] = await Promise.all([
      simulate(ctx, router, address, batch, this.#gauge),
      readAllowances(ctx, router, batch),
    ]);
    this.feeBalance.saw(reading.balance);
    this.#gauge.saw(reading.block.gasLimit);
    const sorted = await sortSimulated(ctx, router, reading.simulated);
    const known = new Map(batch.map(({ _id }, index) => [_id, allowances[index] ?? 0n]));
    const { paying, ...others } = await applyReserves(ctx, router, sorted.paying, known);
    const doubtful = { simulated: sorted.refusals, divided: others.refusals, allowances: known };
    const sure = await undisputed(ctx, { router, sender: address, batch: reading.batch, ...doubtful });
    await refuse(ctx, [...sure.simulated.filter(({ after }) => after.length === 0), ...sure.divided]);
    if (others.waiting.length > 0) await postpone(ctx, others.waiting, ctx.timing.queueIdleMs);
    await reconcileSeen(ctx, router, sorted.seen);
    if (paying.length > 0) {
      const [nonce, prepared] = await Promise.all([
        nextNonce(ctx, address, reading.minedCount),
        prepare(ctx, router, address, paying, reading, this.#gauge),
      ]);
      if (!hasRoom(ctx, nonce - reading.minedCount, prepared, reading.balance)) return 'full';
      const sent = await send(ctx, this.#signer, router, { ...prepared, nonce, minedCount: reading.minedCount });
      await refuse(
        ctx,
        sure.simulated.filter((refusal) => isDecided(refusal, sent)),
      );
    }
    // Without those that have been left out, what simulation refused behind them may be made.
    const leftOut = others.refusals.length + others.waiting.length > 0;
    return leftOut || isMore || batch.length === this.#batchMax ? 0 : ctx.timing.queueIdleMs;
  }

  #failed(error: unknown, failures: number): number {
    this.#window.failed();
    const { timing, troubles, log, chainId } = this.#ctx;
    const pause = doubled(timing.retryFirstMs, failures - 1, timing.retryMaxMs);
    if (saidWhatIsMissing(this.#ctx, { lease: this.#lease.name, feeBalance: this.feeBalance }, error)) return pause;
    const about = { chainId, sender: this.#signer.address, charges: this.#batch.length, error: messageOf(error) };
    log.error(about, 'signing queue failed; it goes on');
    // What it halves again and again comes to an end by itself.
    if (error instanceof BatchFailed) this.#isolate(this.#batch);
    else noteFailing(troubles, this.#lease.name, this.#signer.address, failures);
    return pause;
  }

  /** Halves the batch until the charge that nothing can be done with stands alone. */
  #isolate(batch: readonly ChargeDoc[]): void {
    this.#batchMax = Math.max(1, Math.floor(batch.length / 2));
    if (batch.length === 1) this.#poison = batch[0] ?? null;
  }

  async #restPoison(): Promise<void> {
    if (this.#poison === null) return;
    const { log, chainId } = this.#ctx;
    log.error({ chainId, chargeId: this.#poison._id }, 'charge cannot be simulated; it rests');
    await postpone(this.#ctx, [this.#poison], POISON_REST_MS);
    this.#poison = null;
  }
}

function without(all: readonly ChargeDoc[], some: readonly ChargeDoc[]): ChargeDoc[] {
  const gone = new Set(some);
  return all.filter((charge) => !gone.has(charge));
}

/** Everything before it in the batch was really sent, so its own refusal holds. */
function isDecided({ after }: Refusal, sent: readonly ChargeDoc[]): boolean {
  const ids = new Set(sent.map((charge) => charge._id));
  return after.length > 0 && after.every((charge) => ids.has(charge._id));
}
