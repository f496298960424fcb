import type { ChargeDoc } from '../../../store/collections.ts';
import type { FeeBalance } from '../../sender/gas.ts';
import { postpone } from '../../sender/postpone.ts';
import { refuse } from '../../sender/refuse.ts';
import { SigningQueue } from '../../sender/signing-queue.ts';
import type { QueueNumber } from '../../sender/take.ts';
import type { QueueWindow } from '../../sender/window.ts';
import type { EvmContext } from '../context.ts';
import type { Checked } from '../link.ts';
import { Announcer } from '../payees/announcer.ts';
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
import { type Sound, setAsideFaulty } from './set-aside.ts';
import { BatchFailed, encodeBatch, RouterRefuses, simulate } from './simulate.ts';
import { type Refusal, sort } from './sort.ts';
import { together } from './together.ts';
import { undisputed } from './undisputed.ts';

/** The pause of a single charge that makes the simulation itself fail, in milliseconds. */
const POISON_REST_MS = 60_000;

/** The pause of charges whose router cannot charge, in milliseconds. */
const ROUTER_REST_MS = 15_000;

/** The signing queue of one sender of an EVM chain: up to `sizes.charges` charges in one transaction of one router. */
export class EvmSigningQueue {
  readonly #ctx: EvmContext;
  readonly #signer: Signer;
  readonly #queue: SigningQueue<Checked>;
  readonly #keeper: NonceKeeper;
  readonly #permits: PermitQueue;
  readonly #announcer: Announcer;
  readonly #gauge = new GasGauge();
  #batchMax: number;
  /** The charges of the current batch, for the case that they cannot be simulated. */
  #batch: readonly ChargeDoc[] = [];
  #poison: ChargeDoc | null = null;

  constructor(ctx: EvmContext, signer: Signer, place: QueueNumber, window: QueueWindow) {
    this.#ctx = ctx;
    this.#signer = signer;
    const { address } = signer;
    const sentence = (balance: bigint, needed: bigint): string => gasSentence(address, balance, needed);
    this.#batchMax = ctx.sizes.charges;
    this.#permits = new PermitQueue(ctx, signer, place);
    this.#announcer = new Announcer(ctx, signer, place);
    this.#queue = new SigningQueue(ctx, {
      fees: { address, read: () => readGas(ctx.link, address), sentence },
      window,
      seal,
      ready: () => ctx.link.ready(),
      run: (checked) => this.#run(checked),
      hasRemedy: (error) => this.#isolates(error),
    });
    const { feeBalance } = this.#queue;
    this.#keeper = new NonceKeeper(ctx, {
      signer,
      feeBalance,
      gauge: this.#gauge,
      isHeld: () => this.#queue.isHeld,
    });
  }

  /** The sender's balance for gas. */
  get feeBalance(): FeeBalance {
    return this.#queue.feeBalance;
  }

  start(): void {
    this.#queue.start();
    this.#keeper.start();
  }

  wake(): void {
    this.#queue.wake();
  }

  async stop(): Promise<void> {
    await this.#queue.stop(this.#keeper.stop());
  }

  async #run(checked: Checked): Promise<number> {
    const { timing, sizes } = this.#ctx;
    const queue = this.#queue;
    await this.#restPoison();
    await this.#permits.run(checked.routers);
    await this.#announcer.run(checked.routers);
    const found = await queue.take(checked.tokens, this.#batchMax);
    const taken = await setAsideFaulty(this.#ctx, await this.#withoutWrongRouters(found, checked.routers));
    this.#batch = this.#gauge.fitting(together(this.#ctx.routers, taken.charges));
    const others = without(taken.charges, this.#batch);
    queue.putBack(others);
    const sound = { ...taken, charges: this.#batch };
    if (found.length > 0) queue.idle.reset();
    const next =
      found.length === 0 ? queue.idle.next() : await this.#chargeOn(checked.routers, sound, others.length > 0);
    // They come first when the queue has capacity again; no other queue has them.
    if (next === 'full') queue.putBack(this.#batch);
    queue.done(next === 'full' ? 0 : this.#batch.length);
    this.#batchMax = Math.min(sizes.charges, this.#batchMax * 2);
    return next === 'full' ? timing.blockMs : next;
  }

  /** Charges of a router that cannot charge wait, and delay no other. */
  async #withoutWrongRouters(taken: readonly ChargeDoc[], right: readonly string[]): Promise<readonly ChargeDoc[]> {
    const { routers } = this.#ctx;
    const isRight = (charge: ChargeDoc) => right.includes(routers.of(charge));
    for (const charge of taken) if (!routers.all.includes(routers.of(charge))) this.#reportUnknown(charge);
    await postpone(
      this.#ctx,
      taken.filter((charge) => !isRight(charge)),
      ROUTER_REST_MS,
    );
    return taken.filter(isRight);
  }

  /** Another process has a newer list of routers. This trouble ends with a restart. */
  #reportUnknown(charge: ChargeDoc): void {
    const { chainId, routers, troubles, log } = this.#ctx;
    const router = routers.of(charge);
    const sentence = `ROUTER_${chainId} does not have the router ${router}, which charges name; they wait for a process that has it`;
    if (troubles.set(`router:${router}`, sentence)) log.error({ chainId, chargeId: charge._id }, sentence);
  }

  /** As `#charge`. If one router of several makes nothing for this sender, its charges wait, and those of others go on. */
  async #chargeOn(routers: readonly string[], sound: Sound, isMore: boolean): Promise<number | 'full'> {
    const [first] = sound.charges;
    if (first === undefined) return 0;
    const ctx = this.#ctx;
    const router = ctx.routers.of(first);
    const trouble = `router:${router}:${this.#signer.address}`;
    try {
      const next = await this.#charge(router, sound, isMore);
      ctx.troubles.set(trouble, null);
      return next;
    } catch (error) {
      if (routers.length === 1 || !(error instanceof RouterRefuses)) throw error;
      const sentence = `${error.message} (${router})`;
      if (ctx.troubles.set(trouble, sentence)) ctx.log.warn({ chainId: ctx.chainId, router }, sentence);
      await postpone(ctx, sound.charges, ROUTER_REST_MS);
      return 0;
    }
  }

  /**
   * Takes one batch from simulation to broadcast. `isMore`: more charges wait that did not fit into it. Returns the pause after
   * it in milliseconds, or `full` if the sender cannot take another transaction yet.
   */
  async #charge(router: string, sound: Sound, isMore: boolean): Promise<number | 'full'> {
    const ctx = this.#ctx;
    const { address } = this.#signer;
    const { charges } = sound;
    const batch = encodeBatch(charges, sound.mandates, ctx.link.hasMandates(router));
    const [reading, allowances] = await Promise.all([
      simulate(ctx, router, address, batch, this.#gauge),
      readAllowances(ctx, charges),
    ]);
    this.#queue.feeBalance.saw(reading.balance);
    this.#gauge.saw(reading.block.gasLimit);
    const sorted = await sort(ctx, reading.simulated);
    const known = new Map(charges.map(({ _id }, index) => [_id, allowances[index] ?? 0n]));
    const { paying, ...others } = await applyReserves(ctx, sorted.paying, known);
    const doubtful = { simulated: sorted.refusals, divided: others.refusals, allowances: known };
    const sure = await undisputed(ctx, { router, sender: address, batch, ...doubtful });
    await refuse(ctx, [...sure.simulated.filter(({ after }) => after.length === 0), ...sure.divided]);
    if (others.waiting.length > 0) await postpone(ctx, others.waiting, ctx.timing.queueIdleMs);
    await reconcileSeen(ctx, sorted.seen);
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
    // Simulation may make a charge that it refused, if the charges before it are left out.
    const leftOut = others.refusals.length + others.waiting.length > 0;
    return leftOut || isMore || charges.length === this.#batchMax ? 0 : ctx.timing.queueIdleMs;
  }

  /** Halves the batch until the charge that cannot be simulated is alone. False: the batch is not the reason for the error. */
  #isolates(error: unknown): boolean {
    if (!(error instanceof BatchFailed)) return false;
    this.#batchMax = Math.max(1, Math.floor(this.#batch.length / 2));
    if (this.#batch.length === 1) this.#poison = this.#batch[0] ?? null;
    return true;
  }

  async #restPoison(): Promise<void> {
    if (this.#poison === null) return;
    const { log, chainId } = this.#ctx;
    log.error({ chainId, chargeId: this.#poison._id }, 'charge cannot be simulated; it is tried again in a minute');
    await postpone(this.#ctx, [this.#poison], POISON_REST_MS);
    this.#poison = null;
  }
}

function without(all: readonly ChargeDoc[], some: readonly ChargeDoc[]): ChargeDoc[] {
  const gone = new Set(some);
  return all.filter((charge) => !gone.has(charge));
}

/** True if all charges before it in the batch were really sent: then its own refusal holds. */
function isDecided({ after }: Refusal, sent: readonly ChargeDoc[]): boolean {
  const ids = new Set(sent.map((charge) => charge._id));
  return after.length > 0 && after.every((charge) => ids.has(charge._id));
}
