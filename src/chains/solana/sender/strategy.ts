import { messageOf } from '../../../errors/message-of.ts';
import type { ChargeDoc } from '../../../store/collections.ts';
import { postpone } from '../../charges.ts';
import { allowanceName } from '../../consent.ts';
import { later } from '../../context.ts';
import { releaseCharge } from '../../reconciler/outcomes.ts';
import { NodeUnreachable } from '../../rpc.ts';
import { type Allowances, applyReserves, SHORT } from '../../sender/apply-reserves.ts';
import { FeeBalance, type GasReading, OutOfGas } from '../../sender/gas.ts';
import { refuse, type SenderStrategy, type Sent } from '../../sender/sender-loop.ts';
import { noteOn, payerAllowance } from '../allowances.ts';
import { announcePayees } from '../announcements.ts';
import type { CheckedTokens, SolanaContext, SolanaLink } from '../context.ts';
import type { SolanaSigner } from '../keys.ts';
import { type Plan, planOf } from '../plan.ts';
import { TOKEN_2022_PROGRAM } from '../programs.ts';
import { reconcileExisting } from '../reconcile-existing.ts';
import type { RestoredGate } from '../restored/gate.ts';
import { balanceSchema } from '../wire.ts';
import { type ChainReading, readChain, unitPriceFor } from './read-chain.ts';
import { send } from './send.ts';
import { type Paying, sort } from './sort.ts';

/** The pause of a charge that cannot be made into a transaction. */
const POISON_REST_MS = 60_000;

/** Half of the highest allowance: wallets without a limit approve the highest, and every charge takes from it. */
const UNLIMITED = 2n ** 63n;

/** One fee payer of a Solana chain: one transaction for each charge. */
export class SolanaSender implements SenderStrategy<CheckedTokens> {
  readonly feeBalance: FeeBalance;
  readonly batchMax: number;
  readonly seal = leftOpen;
  readonly #ctx: SolanaContext;
  readonly #feePayer: SolanaSigner;
  readonly #gate: RestoredGate;

  constructor(ctx: SolanaContext, feePayer: SolanaSigner, gate: RestoredGate) {
    this.#ctx = ctx;
    this.#gate = gate;
    this.#feePayer = feePayer;
    const { address } = feePayer;
    const sentence = (balance: bigint, needed: bigint): string => feeSentence(address, balance, needed);
    this.feeBalance = new FeeBalance(ctx, { address, read: () => readFees(ctx.link, address), sentence });
    this.batchMax = ctx.sizes.charges;
  }

  ready(): Promise<CheckedTokens> {
    return this.#ctx.link.ready();
  }

  tokensOf(tokens: CheckedTokens): readonly string[] {
    return [...tokens.keys()];
  }

  async prepare(tokens: CheckedTokens, isRecovering: boolean): Promise<boolean> {
    await this.#gate.pass(tokens);
    if (await this.#isFull()) return false;
    await announcePayees(this.#ctx, this.#feePayer);
    if (isRecovering) await releaseOrphaned(this.#ctx);
    return true;
  }

  async send(tokens: CheckedTokens, charges: readonly ChargeDoc[]): Promise<Sent> {
    await this.#charge(tokens, charges);
    return { left: [], pauseMs: charges.length < this.batchMax ? this.#ctx.timing.queueIdleMs : 0 };
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
    this.feeBalance.saw(reading.balance);
    const plans: Plan[] = [];
    for (const plan of planned) {
      const fence = reading.fences.get(plan.charge._id);
      if (fence && (await reconcileExisting(ctx, { plan, ...fence })) === 'others') plans.push(plan);
    }
    const { paying, refused, waiting, unpaid } = await sort(ctx, this.#feePayer.address, reading, plans);
    const divided = await applyReserves(
      ctx,
      paying.map((each) => ({ ...each, charge: each.plan.charge })),
      allowancesOf(ctx, reading, paying),
    );
    await refuse(ctx, [
      ...refused.map(({ plan, why }) => ({
        charge: plan.charge,
        why,
        block: reading.accounts.slot,
        note: noteOn(why, plan, reading.accounts),
      })),
      ...divided.short.map(({ charge }) => ({ charge, why: SHORT, block: reading.since })),
    ]);
    await postponeAll(ctx, [...waiting, ...divided.waiting.map(({ plan }) => plan)]);
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

/** Nothing to seal: `mayBroadcast` lets no transaction out whose charge names none, or another one. */
async function leftOpen(): Promise<void> {}

/** These charges are checked again after the next block, which may change the answer. */
async function postponeAll(ctx: SolanaContext, plans: readonly Plan[]): Promise<void> {
  if (plans.length === 0) return;
  const charges = plans.map(({ charge }) => charge);
  await postpone(ctx, charges, ctx.timing.blockMs);
}

/** The allowances for the check of the reserves. */
function allowancesOf(
  { link }: SolanaContext,
  { accounts }: ChainReading,
  paying: readonly Paying[],
): Allowances<Paying & { readonly charge: ChargeDoc }> {
  return {
    known: new Map(paying.map(({ plan }) => [plan.charge._id, payerAllowance(plan, accounts).allowance])),
    unlimited: UNLIMITED,
    nameOf: allowanceName,
    read: async (limited) => {
      const present = await link.accounts([...new Set(limited.map(({ plan }) => plan.source))]);
      return limited.map(({ plan }) => payerAllowance(plan, present).allowance);
    },
  };
}

const AT_ONCE = 200;

/**
 * Lets charges wait again whose transaction can never land. A charge can get into a transaction just when the
 * reconciler gives the transaction up. Checks only charges that have been in flight for `orphanMs`.
 */
async function releaseOrphaned(ctx: SolanaContext): Promise<void> {
  const sent = await ctx.records.find('charges', {
    where: { chainId: ctx.chainId, state: 'sent', updatedAt: { lt: later(ctx, -ctx.timing.orphanMs) } },
    limit: AT_ONCE,
  });
  if (sent.length === 0) return;
  const ids = sent.flatMap(({ transactionId }) => transactionId ?? []);
  const expired = (await ctx.records.get('transactions', ids)).filter(({ state }) => state === 'expired');
  const lost = new Set(expired.map(({ _id }) => _id));
  for (const charge of sent.filter(({ transactionId }) => transactionId !== null && lost.has(transactionId))) {
    await releaseCharge(ctx, charge);
  }
}

const PER_SIGNATURE = 5_000n;
const SIGNATURES = 2n;
/** The lamports that keep an account; a token account without and with the extension of Token-2022. */
const EMPTY_ACCOUNT = 890_880n;
const TOKEN_ACCOUNT = 2_039_280n;
const TOKEN_2022_ACCOUNT = 2_074_080n;
const MICRO = 1_000_000n;
const LAMPORTS = 1_000_000_000n;

/** The fee payer's balance, and the need of a charge that creates no accounts. @throws NodeUnreachable */
async function readFees(link: SolanaLink, feePayer: string): Promise<GasReading> {
  const { value } = balanceSchema.parse(await link.call('getBalance', [feePayer, { commitment: 'confirmed' }]));
  return { balance: value, least: EMPTY_ACCOUNT + SIGNATURES * PER_SIGNATURE };
}

/** For people. */
function feeSentence(feePayer: string, balance: bigint, needed: bigint): string {
  return `fee payer ${feePayer} has ${inSol(balance)} SOL for fees; the next charge may need ${inSol(needed)}`;
}

/** The charges that the fee payer has lamports for, in order. `short`: the error of the others; null: none. */
function affordable(
  feePayer: string,
  reading: ChainReading,
  paying: readonly Paying[],
): { readonly paid: readonly Paying[]; readonly short: OutOfGas | null } {
  const { balance } = reading;
  let left = balance - EMPTY_ACCOUNT;
  const paid: Paying[] = [];
  for (const each of paying) {
    const cost = costOf(each, unitPriceFor(reading, each.plan.charge));
    if (cost > left) {
      const needed = cost + EMPTY_ACCOUNT;
      return { paid, short: new OutOfGas(feeSentence(feePayer, balance, needed), needed) };
    }
    left -= cost;
    paid.push(each);
  }
  return { paid, short: null };
}

/** The cost of signatures, compute units, and the lamports in the accounts that it creates. */
function costOf({ plan, missing, units }: Paying, unitPrice: bigint): bigint {
  const rent = plan.token.program === TOKEN_2022_PROGRAM ? TOKEN_2022_ACCOUNT : TOKEN_ACCOUNT;
  const compute = (unitPrice * BigInt(units)) / MICRO + 1n;
  return SIGNATURES * PER_SIGNATURE + compute + BigInt(missing.size) * rent;
}

function inSol(lamports: bigint): string {
  const digits = lamports.toString().padStart(10, '0');
  const whole = digits.slice(0, -9);
  return `${whole}.${(lamports % LAMPORTS).toString().padStart(9, '0')}`;
}
