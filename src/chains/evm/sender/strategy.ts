import { messageOf } from '../../../errors/message-of.ts';
import type { ChargeDoc } from '../../../store/collections.ts';
import { postpone } from '../../charges.ts';
import { NodeUnreachable } from '../../rpc.ts';
import { type Allowances, applyReserves, SHORT, type Simulated } from '../../sender/apply-reserves.ts';
import { FeeBalance } from '../../sender/gas.ts';
import { refuse, type SenderStrategy, type Sent } from '../../sender/sender-loop.ts';
import type { QueueNumber } from '../../sender/window.ts';
import type { EvmContext } from '../context.ts';
import { gasSentence, readGas } from '../fees.ts';
import type { Checked } from '../link.ts';
import { announcePayees } from '../payees/announce.ts';
import { submitPermits } from '../permits/submit.ts';
import { reconcileSeen } from '../reconcile-existing.ts';
import { routerOf } from '../routers.ts';
import type { Signer } from '../signer.ts';
import { chargesAskingWallets, refusalsOfWasters } from './contract-wallets.ts';
import { GasGauge, type GasOf } from './gas-gauge.ts';
import { NonceKeeper } from './keeper.ts';
import { nextNonce, seal } from './ledger.ts';
import { PausedTokens } from './paused-tokens.ts';
import { mayBeInFlight, nextBatch, prepare, type Sound, setAsideFaulty } from './prepare.ts';
import { CallQueue, send } from './send.ts';
import { BatchFailed, encodeBatch, RouterRefuses, simulate } from './simulate.ts';
import { type Refusal, shortAt, sort } from './sort.ts';

/** The pause of a single charge that makes the simulation itself fail, in milliseconds. */
const POISON_REST_MS = 60_000;

/** The pause of charges whose router cannot charge, in milliseconds. */
const ROUTER_REST_MS = 15_000;

const UNSURE = 'nodes disagree whether these charges would be made, or lack the newest block; the charges wait';

/** One sender of an EVM chain: up to `sizes.charges` charges in one transaction of one router. */
export class EvmSender implements SenderStrategy<Checked> {
  readonly feeBalance: FeeBalance;
  readonly companion: NonceKeeper;
  readonly seal = seal;
  readonly #ctx: EvmContext;
  readonly #signer: Signer;
  readonly #permits: CallQueue<'permits'>;
  readonly #payees: CallQueue<'announcements'>;
  readonly #gauge = new GasGauge();
  readonly #paused: PausedTokens;
  #batchMax: number;
  /** The charges of the current batch, for the case that they cannot be simulated. */
  #batch: readonly ChargeDoc[] = [];
  #poison: ChargeDoc | null = null;

  constructor(ctx: EvmContext, signer: Signer, queue: QueueNumber) {
    this.#ctx = ctx;
    this.#signer = signer;
    const { address } = signer;
    const sentence = (balance: bigint, needed: bigint): string => gasSentence(address, balance, needed);
    this.feeBalance = new FeeBalance(ctx, { address, read: () => readGas(ctx.link, address), sentence });
    this.companion = new NonceKeeper(ctx, { signer, feeBalance: this.feeBalance, gauge: this.#gauge });
    this.#batchMax = ctx.sizes.charges;
    this.#permits = new CallQueue(ctx, queue, submitPermits(ctx, signer));
    this.#payees = new CallQueue(ctx, queue, announcePayees(ctx, signer));
    this.#paused = new PausedTokens(ctx, address);
  }

  get batchMax(): number {
    return this.#batchMax;
  }

  ready(): Promise<Checked> {
    return this.#ctx.link.ready();
  }

  tokensOf({ tokens }: Checked): readonly string[] {
    return this.#paused.without(tokens);
  }

  async prepare({ routers }: Checked): Promise<boolean> {
    await this.#restPoison();
    await this.#permits.run(routers);
    await this.#payees.run(routers);
    return true;
  }

  async send({ routers }: Checked, charges: readonly ChargeDoc[]): Promise<Sent> {
    const { timing, sizes } = this.#ctx;
    const sound = await setAsideFaulty(this.#ctx, await this.#withoutWrongRouters(charges, routers));
    const asking = await chargesAskingWallets(this.#ctx, sound.charges, sound.mandates);
    const payable = await this.#withoutWasters(sound.charges, asking);
    const chosen = nextBatch(payable, asking);
    this.#batch = this.#gauge.fitting(chosen);
    const others = without(payable, this.#batch);
    const batch = { ...sound, charges: this.#batch, asksWallets: chosen.asksWallets };
    const next = await this.#chargeOn(routers, batch, others.length > 0);
    this.#batchMax = Math.min(sizes.charges, this.#batchMax * 2);
    if (next === 'full') return { left: [...this.#batch, ...others], pauseMs: timing.blockMs };
    return { left: others, pauseMs: next };
  }

  /** Halves the batch until the charge that cannot be simulated is alone. False: the batch is not the reason. */
  hasRemedy(error: unknown): boolean {
    if (!(error instanceof BatchFailed)) return false;
    this.#batchMax = Math.max(1, Math.floor(this.#batch.length / 2));
    if (this.#batch.length === 1) this.#poison = this.#batch[0] ?? null;
    return true;
  }

  /** Contract wallets that have wasted gas lately fail without a transaction. */
  async #withoutWasters(charges: readonly ChargeDoc[], asking: ReadonlySet<string>): Promise<readonly ChargeDoc[]> {
    if (asking.size === 0) return charges;
    const askers = charges.filter(({ _id }) => asking.has(_id));
    const refusals = await refusalsOfWasters(this.#ctx, askers);
    await refuse(this.#ctx, refusals);
    const refused = refusals.map(({ charge }) => charge);
    return without(charges, refused);
  }

  /** Charges of a router that cannot charge wait, and delay no other. */
  async #withoutWrongRouters(taken: readonly ChargeDoc[], right: readonly string[]): Promise<readonly ChargeDoc[]> {
    const { routers } = this.#ctx;
    const isRight = (charge: ChargeDoc) => right.includes(routerOf(charge));
    for (const charge of taken) if (!routers.all.includes(routerOf(charge))) this.#reportUnknown(charge);
    const wrong = taken.filter((charge) => !isRight(charge));
    await postpone(this.#ctx, wrong, ROUTER_REST_MS);
    return taken.filter(isRight);
  }

  /** Another process has a newer list of routers. This trouble ends with a restart. */
  #reportUnknown(charge: ChargeDoc): void {
    const { chainId, troubles, log } = this.#ctx;
    const router = routerOf(charge);
    const sentence = `ROUTER_${chainId} does not have the router ${router}, which charges name; they wait for a process that has it`;
    if (troubles.set(`router:${router}`, sentence)) log.error({ chainId, chargeId: charge._id }, sentence);
  }

  /** As `#charge`. If one of several routers makes nothing for this sender, only its charges wait. */
  async #chargeOn(routers: readonly string[], sound: Sound & GasOf, isMore: boolean): Promise<number | 'full'> {
    const [first] = sound.charges;
    if (first === undefined) return 0;
    const ctx = this.#ctx;
    const router = routerOf(first);
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
   * Takes one batch from simulation to broadcast. `isMore`: more charges wait that did not fit into it. Returns the
   * pause after it in milliseconds, or `full` if the sender may have no other transaction in flight yet.
   */
  async #charge(router: string, sound: Sound & GasOf, isMore: boolean): Promise<number | 'full'> {
    const ctx = this.#ctx;
    const { address } = this.#signer;
    const { charges } = sound;
    const batch = encodeBatch(sound);
    const [reading, allowances] = await Promise.all([
      simulate(ctx, router, address, batch, this.#gauge),
      readAllowances(ctx, charges),
    ]);
    this.feeBalance.saw(reading.balance);
    this.#gauge.saw(reading.block.gasLimit);
    const block = ctx.link.head ?? reading.block.number;
    const sorted = await sort(ctx, reading, block);
    const known = new Map(charges.map(({ _id }, index) => [_id, allowances[index] ?? 0n]));
    const candidates = sorted.paying.map((charge) => ({ charge }));
    const divided = await applyReserves(ctx, candidates, allowancesOf(ctx, known));
    const paying = divided.paying.map(({ charge }) => charge);
    const short = await shortAt(ctx, divided.short, block);
    const disputed = divided.short.filter((each) => !short.includes(each));
    const unsure = [...sorted.waiting, ...disputed.map(({ charge }) => charge)];
    const waiting = [...divided.waiting.map(({ charge }) => charge), ...unsure];
    if (unsure.length > 0) ctx.log.warn({ chainId: ctx.chainId, charges: unsure.map(({ _id }) => _id) }, UNSURE);
    await refuse(ctx, [
      ...sorted.refusals.filter(({ after }) => after.length === 0),
      ...short.map(({ charge }) => ({ charge, why: SHORT, block })),
    ]);
    if (waiting.length > 0) await postpone(ctx, waiting, ctx.timing.queueIdleMs);
    await this.#paused.saw(sorted);
    await reconcileSeen(ctx, sorted.seen);
    if (paying.length > 0) {
      const [nonce, prepared] = await Promise.all([
        nextNonce(ctx, address, reading.minedCount),
        prepare(ctx, router, address, paying, reading, this.#gauge),
      ]);
      if (!mayBeInFlight(ctx, nonce - reading.minedCount, prepared, reading.balance)) return 'full';
      const sent = await send(ctx, this.#signer, router, { ...prepared, nonce, minedCount: reading.minedCount });
      const decided = sorted.refusals.filter((refusal) => isDecided(refusal, sent));
      await refuse(ctx, decided);
    }
    // Simulation may make a charge that it refused, if the charges before it are left out.
    const leftOut = divided.short.length + waiting.length > 0;
    return leftOut || isMore || charges.length === this.#batchMax ? 0 : ctx.timing.queueIdleMs;
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

/** An allowance this large needs no reserve: amounts have at most 30 digits before and 18 after the point. */
const UNLIMITED = 2n ** 255n;

/**
 * The current allowances that these charges take from; one answer per charge, in their order. A charge from a deposit
 * address needs no allowance and gets `UNLIMITED`.
 * @throws NodeUnreachable; BatchFailed when a token gives no number
 */
async function readAllowances(ctx: EvmContext, charges: readonly ChargeDoc[]): Promise<bigint[]> {
  try {
    const pulled = charges.filter(({ deposit }) => deposit === undefined);
    const states = await ctx.allowances.read(pulled.map((charge) => ctx.routers.allowanceOf(charge)));
    const allowances = new Map(pulled.map(({ _id }, index) => [_id, states[index]?.allowance ?? 0n]));
    return charges.map(({ _id }) => allowances.get(_id) ?? UNLIMITED);
  } catch (error) {
    if (error instanceof NodeUnreachable) throw error;
    throw new BatchFailed(`allowances cannot be read: ${messageOf(error)}`);
  }
}

/** The allowances for the check of the reserves. `known`: those read beside the simulation, by id of the charge. */
function allowancesOf(ctx: EvmContext, known: ReadonlyMap<string, bigint>): Allowances<Simulated> {
  return {
    known,
    unlimited: UNLIMITED,
    nameOf: (charge) => ctx.routers.allowanceName(charge),
    read: (simulated) =>
      readAllowances(
        ctx,
        simulated.map(({ charge }) => charge),
      ),
  };
}
