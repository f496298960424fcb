import { messageOf } from '../../../errors/message-of.ts';
import type { ChargeDoc } from '../../../store/collections.ts';
import { NodeUnreachable } from '../../rpc.ts';
import { SHORT } from '../../sender/apply-reserves.ts';
import { type FeeBalance, OutOfGas } from '../../sender/gas.ts';
import { postpone } from '../../sender/postpone.ts';
import { refuse } from '../../sender/refuse.ts';
import { SigningQueue } from '../../sender/signing-queue.ts';
import type { QueueWindow } from '../../sender/window.ts';
import { announcePayees } from '../announcements.ts';
import type { SolanaContext } from '../context.ts';
import type { SolanaSigner } from '../keys.ts';
import type { CheckedTokens } from '../link.ts';
import { noteOn } from '../payer-allowance.ts';
import { type Plan, planOf } from '../plan.ts';
import { reconcileExisting } from '../reconcile-existing.ts';
import type { RestoredGate } from '../restored/gate.ts';
import { affordable, feeSentence, readFees } from './afford.ts';
import { applyReserves } from './apply-reserves.ts';
import { releaseOrphaned } from './orphaned.ts';
import { readChain } from './read-chain.ts';
import { send } from './send.ts';
import { sort } from './sort.ts';

/** The pause of a charge that cannot be made into a transaction. */
const POISON_REST_MS = 60_000;

/** The signing queue of one fee payer of a Solana chain: one transaction for each charge. */
export class SolanaSigningQueue {
  readonly #ctx: SolanaContext;
  readonly #feePayer: SolanaSigner;
  readonly #gate: RestoredGate;
  readonly #queue: SigningQueue<CheckedTokens>;

  constructor(ctx: SolanaContext, feePayer: SolanaSigner, window: QueueWindow, gate: RestoredGate) {
    this.#ctx = ctx;
    this.#gate = gate;
    this.#feePayer = feePayer;
    const { address } = feePayer;
    const sentence = (balance: bigint, needed: bigint): string => feeSentence(address, balance, needed);
    this.#queue = new SigningQueue(ctx, {
      fees: { address, read: () => readFees(ctx.link, address), sentence },
      window,
      seal: leftOpen,
      ready: () => ctx.link.ready(),
      run: (tokens) => this.#run(tokens),
    });
  }

  /** The fee payer's balance for fees. */
  get feeBalance(): FeeBalance {
    return this.#queue.feeBalance;
  }

  start(): void {
    this.#queue.start();
  }

  wake(): void {
    this.#queue.wake();
  }

  stop(): Promise<void> {
    return this.#queue.stop();
  }

  async #run(tokens: CheckedTokens): Promise<number> {
    const { timing, sizes } = this.#ctx;
    const queue = this.#queue;
    await this.#gate.pass(tokens);
    if (await this.#isFull()) return timing.blockMs;
    await announcePayees(this.#ctx);
    if (queue.isRecoveryDue) await releaseOrphaned(this.#ctx);
    const batch = await queue.take([...tokens.keys()], sizes.charges);
    if (batch.length > 0) await this.#charge(tokens, batch);
    queue.done(batch.length);
    if (batch.length === 0) return queue.idle.next();
    queue.idle.reset();
    return batch.length < sizes.charges ? timing.queueIdleMs : 0;
  }

  async #isFull(): Promise<boolean> {
    const { records, chainId, sizes } = this.#ctx;
    const where = { chainId, state: 'signed', sender: this.#feePayer.address };
    return (await records.count('transactions', where)) >= sizes.inFlight;
  }

  /** From the check of the chain to the broadcast. */
  async #charge(tokens: CheckedTokens, batch: readonly ChargeDoc[]): Promise<void> {
    const ctx = this.#ctx;
    const planned = await this.#plan(tokens, batch);
    if (planned.length === 0) return;
    const reading = await readChain(ctx, this.#feePayer.address, planned);
    this.#queue.feeBalance.saw(reading.balance);
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
        note: noteOn(why, plan, reading.accounts),
      })),
      ...divided.short.map(({ charge }) => ({ charge, why: SHORT })),
    ]);
    await postponeAll(ctx, [...waiting, ...divided.waiting]);
    const { paid, short } = affordable(this.#feePayer.address, reading, divided.paying);
    await send(ctx, this.#feePayer, reading, paid);
    if (short !== null) throw short;
    // The chain refused charges because the fee payer has too little, although the own calculation had enough.
    if (unpaid.length > 0) {
      const needed = reading.balance + 1n;
      throw new OutOfGas(feeSentence(this.#feePayer.address, reading.balance, needed), needed);
    }
  }

  /** A charge that cannot be planned waits, and delays no other. */
  async #plan(tokens: CheckedTokens, batch: readonly ChargeDoc[]): Promise<Plan[]> {
    const plans: Plan[] = [];
    for (const charge of batch) {
      try {
        plans.push(await planOf(this.#ctx, tokens, charge));
      } catch (error) {
        if (error instanceof NodeUnreachable) throw error;
        const { log, chainId } = this.#ctx;
        log.error(
          { chainId, chargeId: charge._id, error: messageOf(error) },
          'charge cannot be made; it is tried again in a minute',
        );
        await postpone(this.#ctx, [charge], POISON_REST_MS);
      }
    }
    return plans;
  }
}

/**
 * Nothing to seal: a transaction that is stored late is never broadcast, because its charge then names none, or another
 * one (`mayBroadcast`).
 */
async function leftOpen(): Promise<void> {}

/** These charges are checked again after the next block, which may change the answer. */
async function postponeAll(ctx: SolanaContext, plans: readonly Plan[]): Promise<void> {
  if (plans.length === 0) return;
  await postpone(
    ctx,
    plans.map(({ charge }) => charge),
    ctx.timing.blockMs,
  );
}
