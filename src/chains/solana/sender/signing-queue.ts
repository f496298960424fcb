import { doubled } from '../../../../machines/rules/backoff.ts';
import { messageOf } from '../../../errors/message-of.ts';
import type { ChargeDoc } from '../../../store/collections.ts';
import { NOT_IN_CATALOG } from '../../charges.ts';
import { IdlePause } from '../../idle-pause.ts';
import { Loop } from '../../loop.ts';
import { NodeUnreachable } from '../../rpc.ts';
import { SHORT } from '../../sender/apply-reserves.ts';
import { noteFailing, saidWhatIsMissing } from '../../sender/failing.ts';
import { FeeBalance, OutOfGas } from '../../sender/gas.ts';
import { postpone } from '../../sender/postpone.ts';
import { QueueLease } from '../../sender/queue-lease.ts';
import { notifyDecided, refuse } from '../../sender/refuse.ts';
import type { QueueWindow } from '../../sender/window.ts';
import type { SolanaContext } from '../context.ts';
import type { SolanaSigner } from '../keys.ts';
import type { CheckedTokens } from '../link.ts';
import { noteOn, payerAllowance } from '../payer-allowance.ts';
import { type Plan, planOf } from '../plan.ts';
import { reconcileExisting } from '../reconcile-existing.ts';
import type { RestoredGate } from '../restored/gate.ts';
import { affordable, feeSentence, readFees } from './afford.ts';
import { applyReserves } from './apply-reserves.ts';
import { releaseOrphaned } from './orphaned.ts';
import { readChain } from './read-chain.ts';
import { send } from './send.ts';
import { sort } from './sort.ts';

/** A charge that cannot be made into a transaction rests so long before it is tried again. */
const POISON_REST_MS = 60_000;

/** One fee payer's signing queue: takes charges, and signs. It runs in the process that holds its lease. */
export class SigningQueue {
  /** What its fee payer has for fees. */
  readonly feeBalance: FeeBalance;
  readonly #ctx: SolanaContext;
  readonly #feePayer: SolanaSigner;
  readonly #gate: RestoredGate;
  readonly #lease: QueueLease;
  readonly #loop: Loop;
  readonly #idle: IdlePause;
  readonly #window: QueueWindow;

  constructor(ctx: SolanaContext, feePayer: SolanaSigner, window: QueueWindow, gate: RestoredGate) {
    this.#ctx = ctx;
    this.#gate = gate;
    this.#feePayer = feePayer;
    const { address } = feePayer;
    const sentence = (balance: bigint, needed: bigint): string => feeSentence(address, balance, needed);
    this.feeBalance = new FeeBalance(ctx, { address, read: () => readFees(ctx.link, address), sentence });
    this.#window = window;
    this.#lease = new QueueLease(ctx, address, leftOpen);
    this.#idle = new IdlePause(ctx.timing.queueIdleMs);
    this.#loop = new Loop({ run: () => this.#run(), onError: (error, failures) => this.#failed(error, failures) });
  }

  start(): void {
    this.#loop.start();
  }

  wake(): void {
    this.#loop.wake();
  }

  /** Ends after the charges at hand, and leaves the signing queue to others. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.#lease.giveBack();
  }

  async #run(): Promise<number> {
    const { timing, troubles, link, sizes } = this.#ctx;
    if (!(await this.#lease.hold())) return timing.leaseMs / 3;
    const tokens = await link.ready();
    await this.feeBalance.ensure();
    await this.#gate.pass(tokens);
    if (await this.#isFull()) return timing.blockMs;
    const found = await this.#recover(tokens);
    const batch =
      found.length > 0
        ? found.slice(0, sizes.charges)
        : await notifyDecided(this.#ctx, await this.#window.take([...tokens.keys(), NOT_IN_CATALOG], sizes.charges));
    this.#lease.mustRecover = true;
    if (batch.length > 0) await this.#charge(tokens, batch);
    this.#lease.mustRecover = found.length > batch.length;
    troubles.set(this.#lease.name, null);
    if (batch.length === 0) return this.#idle.next();
    this.#idle.reset();
    return batch.length < sizes.charges ? timing.queueIdleMs : 0;
  }

  async #isFull(): Promise<boolean> {
    const { records, chainId, sizes } = this.#ctx;
    const where = { chainId, state: 'signed', sender: this.#feePayer.address };
    return (await records.count('transactions', where)) >= sizes.inFlight;
  }

  async #recover(tokens: CheckedTokens): Promise<ChargeDoc[]> {
    if (!this.#lease.isRecoveryDue()) return [];
    await releaseOrphaned(this.#ctx);
    return this.#lease.recover((token) => token === NOT_IN_CATALOG || tokens.has(token));
  }

  /** From the check of the chain to the broadcast. */
  async #charge(tokens: CheckedTokens, batch: readonly ChargeDoc[]): Promise<void> {
    const ctx = this.#ctx;
    const planned = await this.#plan(tokens, batch);
    if (planned.length === 0) return;
    const reading = await readChain(ctx, this.#feePayer.address, planned);
    this.feeBalance.saw(reading.balance);
    const plans: Plan[] = [];
    for (const plan of planned) {
      const fence = reading.fences.get(plan.charge._id);
      if (fence && (await reconcileExisting(ctx, { plan, ...fence })) === 'others') plans.push(plan);
    }
    const { paying, refused, waiting, unpaid } = await sort(ctx, this.#feePayer.address, reading, plans);
    const divided = await applyReserves(ctx, reading, paying);
    await refuse(ctx, [
      ...refused.map(({ plan, why }) => ({
        charge: plan.charge,
        why,
        note: noteOn(why.reason, payerAllowance(plan, reading.accounts)),
      })),
      ...divided.short.map(({ charge }) => ({ charge, why: SHORT })),
    ]);
    await postponeAll(ctx, [...waiting, ...divided.waiting]);
    const { paid, short } = affordable(this.#feePayer.address, reading, divided.paying);
    await send(ctx, this.#feePayer, reading, paid);
    if (short !== null) throw short;
    // The chain refuses charges for which the fee payer has too little, although the own count had enough.
    if (unpaid.length > 0) {
      const needed = reading.balance + 1n;
      throw new OutOfGas(feeSentence(this.#feePayer.address, reading.balance, needed), needed);
    }
  }

  /** One that cannot be planned rests, and stops no other. */
  async #plan(tokens: CheckedTokens, batch: readonly ChargeDoc[]): Promise<Plan[]> {
    const plans: Plan[] = [];
    for (const charge of batch) {
      try {
        plans.push(await planOf(this.#ctx, tokens, charge));
      } catch (error) {
        if (error instanceof NodeUnreachable) throw error;
        const { log, chainId } = this.#ctx;
        log.error({ chainId, chargeId: charge._id, error: messageOf(error) }, 'charge cannot be made; it rests');
        await postpone(this.#ctx, [charge], POISON_REST_MS);
      }
    }
    return plans;
  }

  #failed(error: unknown, failures: number): number {
    this.#window.failed();
    const { timing, troubles, log, chainId } = this.#ctx;
    const pause = doubled(timing.retryFirstMs, failures - 1, timing.retryMaxMs);
    if (saidWhatIsMissing(this.#ctx, { lease: this.#lease.name, feeBalance: this.feeBalance }, error)) return pause;
    log.error({ chainId, sender: this.#feePayer.address, error: messageOf(error) }, 'signing queue failed; it goes on');
    noteFailing(troubles, this.#lease.name, this.#feePayer.address, failures);
    return pause;
  }
}

/** What is stored late is never broadcast: its charge says by then that it is in none, or in another (`mayBroadcast`). */
async function leftOpen(): Promise<void> {}

/** Checked again when the next block may have brought something. */
async function postponeAll(ctx: SolanaContext, plans: readonly Plan[]): Promise<void> {
  if (plans.length === 0) return;
  await postpone(
    ctx,
    plans.map(({ charge }) => charge),
    ctx.timing.blockMs,
  );
}
