import { Transaction, toQuantity } from 'ethers';
import type { SignedVersion, TransactionDoc } from '../../../store/collections.ts';
import { later } from '../../context.ts';
import { IdlePause, Loop, pauseAfterFailure } from '../../loop.ts';
import { isRefusal, type RpcAnswer } from '../../rpc.ts';
import { type FeeBalance, OutOfGas } from '../../sender/gas.ts';
import type { EvmContext } from '../context.ts';
import { FEE_CAP, type Fees, type Market, mustAfford, readMarket, replacementFees } from '../fees.ts';
import type { Signer } from '../signer.ts';
import { gasEstimate, quantity } from '../wire.ts';
import { broadcast, refusedBy } from './broadcast.ts';
import { type GasGauge, limitFor } from './gas-gauge.ts';
import { storeTransaction } from './ledger.ts';
import { sign, signVersion } from './sign.ts';

/** More transactions than one sender has in flight. */
const AT_ONCE = 64;

interface KeeperOptions {
  readonly signer: Signer;
  readonly feeBalance: FeeBalance;
  /** The signing queue's guesses of gas. They are forgotten if a transaction had too little gas, or too much. */
  readonly gauge: Pick<GasGauge, 'forget' | 'most' | 'refused'>;
}

/**
 * Keeps one sender's nonces moving, also while its signing queue waits: it replaces transactions that take too long,
 * and fills gaps in the nonces. The reconciler broadcasts transactions again that a node has forgotten.
 */
export class NonceKeeper extends Loop {
  readonly #ctx: EvmContext;
  readonly #options: KeeperOptions;
  readonly #idle: IdlePause;
  isHeld: () => boolean = () => false;

  constructor(ctx: EvmContext, options: KeeperOptions) {
    super();
    this.#ctx = ctx;
    this.#options = options;
    this.#idle = new IdlePause(ctx.timing.replaceMs / 4);
  }

  protected override async run(): Promise<number> {
    const ctx = this.#ctx;
    const { signer, feeBalance, gauge } = this.#options;
    if (!this.isHeld()) return this.#idle.next();
    await ctx.link.ready();
    const overdue = await overdueOf(ctx, signer.address);
    const last = overdue.at(-1);
    if (last === undefined) {
      ctx.troubles.set(`stuck:${signer.address}`, null);
      ctx.troubles.set(refusedBy(signer.address), null);
      return this.#idle.next();
    }
    this.#idle.reset();
    const market = await readMarket(ctx.link, signer.address);
    feeBalance.saw(market.balance);
    // Transactions with a lower nonce are in blocks, or never will be: the reconciler finds out.
    const waiting = overdue.filter(({ nonce }) => nonce >= market.minedCount);
    await fillGaps(ctx, signer, market, last.nonce);
    await replaceStuck(ctx, signer, market, waiting, gauge);
    return ctx.timing.replaceMs / 4;
  }

  protected override failed(error: unknown, failures: number): number {
    const { timing } = this.#ctx;
    const { signer, feeBalance } = this.#options;
    if (error instanceof OutOfGas) feeBalance.short(error);
    const message = 'could not replace overdue transactions or fill gaps in the nonces; it tries again';
    const pause = pauseAfterFailure(this.#ctx, error, failures, message, { sender: signer.address });
    return Math.max(timing.replaceMs / 4, pause);
  }
}

/** Transactions that were signed, replaced or reorged out longer than `replaceMs` ago, by nonce. */
function overdueOf(ctx: EvmContext, sender: string): Promise<TransactionDoc[]> {
  const { chainId, records, timing } = ctx;
  return records.find('transactions', {
    where: { chainId, state: 'signed', sender, updatedAt: { lte: later(ctx, -timing.replaceMs) } },
    sort: [['nonce', 1]],
    limit: AT_ONCE,
  });
}

const FILLED_AT_ONCE = 32;

/** The number of nonces that are checked, from the first one that the chain has not used. */
const LOOKED_AT = 512;

/**
 * Fills the nonces that the chain has not used and the ledger does not know, below a transaction that waits; without
 * them that transaction would wait forever. A ledger that comes from a backup has such gaps. Each nonce gets an empty
 * transfer by the sender to itself, stored and followed like any other transaction. A transaction that the lost ledger
 * had for the nonce may still land instead.
 * @param last the highest nonce that waits
 * @throws OutOfGas, NodeUnreachable, NodeRefused
 */
async function fillGaps(ctx: EvmContext, signer: Signer, market: Market, last: number): Promise<void> {
  const missing = await missingNonces(ctx, signer.address, market.minedCount, last);
  if (missing.length === 0) return;
  const { address } = signer;
  ctx.log.warn(
    { chainId: ctx.chainId, sender: address, nonces: missing },
    'the ledger does not know these nonces; empty transfers fill them',
  );
  const call = { from: address, to: address, value: '0x0' };
  const gas = gasEstimate.parse(await ctx.link.call('eth_estimateGas', [call, 'latest']));
  const gasLimit = gas + gas / 3n;
  const fillers: TransactionDoc[] = [];
  for (const nonce of missing) {
    mustAfford(address, market.balance, gasLimit * market.fees.maxFeePerGas);
    const filler = { id: ctx.newId(), to: address, data: '0x', nonce, gasLimit, fees: market.fees, chargeIds: [] };
    const transaction = await sign(ctx, signer, filler);
    await ctx.fault('keeper.stored.before');
    if ((await storeTransaction(ctx, transaction)) === 'stored') fillers.push(transaction);
    await ctx.fault('keeper.stored.after');
  }
  await broadcast(ctx, fillers);
  ctx.wakeReconciler(ctx.timing.askFirstMs);
}

async function missingNonces(ctx: EvmContext, sender: string, from: number, to: number): Promise<number[]> {
  const end = Math.min(to, from + LOOKED_AT);
  if (end <= from) return [];
  const known = await ctx.records.find('transactions', {
    where: { chainId: ctx.chainId, sender, nonce: { gte: from, lt: end } },
    limit: LOOKED_AT,
  });
  const nonces = new Set(known.map(({ nonce }) => nonce));
  const missing: number[] = [];
  for (let nonce = from; nonce < end && missing.length < FILLED_AT_ONCE; nonce += 1) {
    if (!nonces.has(nonce)) missing.push(nonce);
  }
  return missing;
}

/** A transaction that could have been in this number of blocks, and is in none, is stuck. */
const STUCK_BLOCKS = 3;

/**
 * Replaces a sender's overdue transactions if their fees or their gas limit keep them out of blocks, each at its own
 * nonce. These are all that offer less than the base fee or the least tip; of the others only the one with the next
 * nonce, because the rest wait behind it. For that one the gas is estimated again first: no fee helps if nodes refuse
 * the gas limit. If no limit helps, an empty call of the router takes the nonce. That call reverts, so the charges wait
 * again and go into smaller transactions. Each new version is stored before it is broadcast, and by one process only.
 * The chain decides which version lands.
 * @throws OutOfGas when the sender cannot pay for it; NodeUnreachable
 */
async function replaceStuck(
  ctx: EvmContext,
  signer: Signer,
  market: Market,
  overdue: readonly TransactionDoc[],
  gauge: Pick<GasGauge, 'forget' | 'most' | 'refused'>,
): Promise<void> {
  const capped: TransactionDoc[] = [];
  const replaced: TransactionDoc[] = [];
  try {
    for (const transaction of overdue) {
      const last = transaction.versions.at(-1);
      if (last === undefined || last.raw === '') continue;
      const signed = Transaction.from(last.raw);
      const isNext = transaction.nonce === market.minedCount;
      const wanted = isNext ? await wantedGas(ctx, transaction, signed, gauge.most(market.blockGas)) : 'same';
      if (wanted === 'same' && !isStuck(transaction, last, market, ctx.link.fees.needed.tip)) continue;
      const fees = replacementFees(feesOfVersion(last), market.fees, ctx.link.fees.tipMax);
      if (fees === null) {
        capped.push(transaction);
        continue;
      }
      const call = await callFor(ctx, signer.address, signed, wanted);
      if (wanted === 'none') gauge.refused(signed.gasLimit);
      else if (wanted !== 'same') gauge.forget();
      replaced.push(...(await replace(ctx, signer, market, { transaction, signed, call, fees })));
    }
  } finally {
    reportCapped(ctx, signer.address, capped);
    if (replaced.length > 0) {
      await broadcast(ctx, replaced);
      ctx.wakeReconciler(ctx.timing.askFirstMs);
    }
  }
}

/** True if the fees of the newest version keep it out of blocks. */
function isStuck({ nonce }: TransactionDoc, last: SignedVersion, market: Market, tip: bigint): boolean {
  if (BigInt(last.maxFeePerGas) < market.baseFee || BigInt(last.maxPriorityFeePerGas) < tip) return true;
  return nonce === market.minedCount && market.head - (last.head ?? 0) >= STUCK_BLOCKS;
}

/** The gas limit that it should have. `same`: the signed limit. `none`: no node accepts it with any limit. */
type WantedGas = bigint | 'same' | 'none';

/** The call that replaces the signed one. */
type Call = Pick<Transaction, 'data' | 'gasLimit'>;

/**
 * The gas limit for the transaction with the next nonce. The signed limit stays, unless the call needs more now, or a
 * block has less now. It also stays if the node gives no estimate because the call would revert.
 * @throws NodeUnreachable
 */
async function wantedGas(
  ctx: EvmContext,
  transaction: TransactionDoc,
  { to, data, value, gasLimit }: Transaction,
  most: bigint,
): Promise<WantedGas> {
  if (data === EMPTY) return 'same';
  const call = { from: transaction.sender, to, data, value: toQuantity(value) };
  const [answer] = await ctx.link.batch([{ method: 'eth_estimateGas', params: [call, 'latest'] }]);
  const estimate = answer?.ok === true ? quantity.parse(answer.result) : null;
  if (estimate === null ? isTooLarge(answer) : estimate > most) return 'none';
  const isRight = estimate === null || (estimate <= gasLimit && gasLimit <= most);
  if (!isRight) return limitFor(estimate, most);
  const [outcome] = await broadcast(ctx, [transaction]);
  return outcome === 'too_large' ? 'none' : 'same';
}

function isTooLarge(answer: RpcAnswer | undefined): boolean {
  return isRefusal(answer) && answer.error.verdict.why === 'too_large';
}

/** Call data for which the router reverts. */
const EMPTY = '0x';

/** @throws NodeUnreachable */
async function callFor(
  ctx: EvmContext,
  sender: string,
  { data, gasLimit }: Transaction,
  wanted: WantedGas,
): Promise<Call> {
  if (wanted === 'same') return { data, gasLimit };
  if (wanted !== 'none') return { data, gasLimit: wanted };
  const transfer = { from: sender, to: sender, value: '0x0' };
  // A call of a contract takes a little more gas than a transfer.
  const gas = gasEstimate.parse(await ctx.link.call('eth_estimateGas', [transfer, 'latest']));
  return { data: EMPTY, gasLimit: gas + gas / 2n };
}

function feesOfVersion({ maxFeePerGas, maxPriorityFeePerGas }: SignedVersion): Fees {
  return { maxFeePerGas: BigInt(maxFeePerGas), maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas) };
}

interface Replacement {
  readonly transaction: TransactionDoc;
  /** The newest version. */
  readonly signed: Transaction;
  readonly call: Call;
  readonly fees: Fees;
}

/** Signs and stores a version at the same nonce. Empty if another process was first. */
async function replace(
  ctx: EvmContext,
  signer: Signer,
  { balance, head }: Market,
  { transaction, signed, call, fees }: Replacement,
): Promise<TransactionDoc[]> {
  const { to, value, nonce } = signed;
  const { gasLimit } = call;
  mustAfford(signer.address, balance, gasLimit * fees.maxFeePerGas);
  const version = await signVersion(ctx, signer, { to, value, nonce, ...call, fees }, head);
  await ctx.fault('keeper.stored.before');
  const stored = await storeVersion(ctx, transaction, version);
  if (stored === null) return [];
  ctx.log.warn(
    {
      chainId: ctx.chainId,
      transactionId: transaction._id,
      sender: signer.address,
      nonce,
      versions: stored.versions.length,
      instead: signed.hash,
      txHash: version.hash,
      gasLimit: String(gasLimit),
      maxFeePerGas: version.maxFeePerGas,
    },
    'transaction replaced',
  );
  await ctx.fault('keeper.stored.after');
  return [stored];
}

/** Adds a version. Null: the transaction has landed, or has been replaced since it was read. */
async function storeVersion(
  ctx: EvmContext,
  { _id, replaced }: TransactionDoc,
  version: SignedVersion,
): Promise<TransactionDoc | null> {
  return ctx.records.change(
    'transactions',
    _id,
    { state: 'signed', replaced: replaced ?? null },
    {
      push: { versions: [version] },
      inc: { replaced: 1 },
      set: { asked: 0, askAt: later(ctx, ctx.timing.askFirstMs), updatedAt: version.at },
    },
  );
}

function reportCapped({ troubles, log, chainId }: EvmContext, sender: string, capped: readonly TransactionDoc[]): void {
  const [first] = capped;
  const sentence =
    first === undefined
      ? null
      : `transaction ${first.versions.at(-1)?.hash} of sender ${sender}, signed at ${first.createdAt.toISOString()}, is in no block; a replacement would cost more than ${FEE_CAP} times the market's fees, so it is not replaced`;
  if (troubles.set(`stuck:${sender}`, sentence) && sentence !== null) log.error({ chainId, sender }, sentence);
}
