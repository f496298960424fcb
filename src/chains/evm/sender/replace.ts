import { keccak256, Transaction, toQuantity } from 'ethers';
import type { SignedVersion, TransactionDoc } from '../../../store/collections.ts';
import { later } from '../../context.ts';
import { isRefusal, type RpcAnswer } from '../../rpc.ts';
import type { EvmContext } from '../context.ts';
import { FEE_CAP, type Fees, type Market, mustAfford, replacementFees } from '../fees.ts';
import type { Signer } from '../signer.ts';
import { gasEstimate, quantity } from '../wire.ts';
import { broadcast } from './broadcast.ts';
import { type GasGauge, limitFor } from './gas-gauge.ts';

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
export async function replaceStuck(
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

/**
 * The gas limit that a transaction should have. `same`: the signed limit. `none`: no node accepts it with any limit.
 */
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
  const { to, value, nonce, chainId } = signed;
  const { data, gasLimit } = call;
  mustAfford(signer.address, balance, gasLimit * fees.maxFeePerGas);
  const raw = await signer.signTransaction({ type: 2, chainId, to, data, value, gasLimit, nonce, ...fees });
  const version: SignedVersion = {
    hash: keccak256(raw),
    raw,
    maxFeePerGas: String(fees.maxFeePerGas),
    maxPriorityFeePerGas: String(fees.maxPriorityFeePerGas),
    at: ctx.clock(),
    head,
  };
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
