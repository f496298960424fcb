import { keccak256, Transaction, toQuantity } from 'ethers';
import type { SignedVersion, TransactionDoc } from '../../../store/collections.ts';
import { later } from '../../context.ts';
import type { EvmContext } from '../context.ts';
import { FEE_CAP, type Fees, replacementFees } from '../fees.ts';
import type { Signer } from '../signer.ts';
import { quantity } from '../wire.ts';
import { broadcast } from './broadcast.ts';
import { limitFor, mostGas } from './gas-gauge.ts';
import { type Market, mustAfford } from './market.ts';

/** Blocks that have to go by without a transaction that could have been in them. */
const STUCK_BLOCKS = 3;

/**
 * Replaces those of a sender's overdue transactions that their fees or their gas limit keep out of blocks, each at its own
 * nonce: every one that offers less than the base fee, and of the others the one whose turn it is, for they wait behind it. Gas
 * is asked for again first: no fee helps a limit that nodes refuse. Each new version is stored before it is broadcast, and by
 * one process only; which of the versions lands, the chain decides. Returns whether one had the wrong gas limit.
 * @throws OutOfGas when the sender cannot pay for it; NodeUnreachable
 */
export async function replaceStuck(
  ctx: EvmContext,
  signer: Signer,
  market: Market,
  overdue: readonly TransactionDoc[],
): Promise<boolean> {
  let hadWrongGas = false;
  const capped: TransactionDoc[] = [];
  const replaced: TransactionDoc[] = [];
  try {
    for (const transaction of overdue) {
      const last = transaction.versions.at(-1);
      if (last === undefined || last.raw === '') continue;
      const signed = Transaction.from(last.raw);
      const gasLimit = await gasLimitOf(ctx, signer.address, transaction, signed, market);
      const isWrongGas = gasLimit !== signed.gasLimit;
      if (!isWrongGas && !isStuck(transaction, last, market)) continue;
      hadWrongGas ||= isWrongGas;
      const fees = replacementFees(feesOfVersion(last), market.fees, ctx.link.tipMax);
      if (fees === null) capped.push(transaction);
      else replaced.push(...(await replace(ctx, signer, market, { transaction, signed, gasLimit, fees })));
    }
  } finally {
    reportCapped(ctx, signer.address, capped);
    if (replaced.length > 0) {
      await broadcast(ctx, replaced);
      ctx.pokeReconciler(ctx.timing.askFirstMs);
    }
  }
  return hadWrongGas;
}

/** Its fees keep the newest version out of blocks. */
function isStuck({ nonce }: TransactionDoc, last: SignedVersion, { baseFee, minedCount, head }: Market): boolean {
  if (BigInt(last.maxFeePerGas) < baseFee) return true;
  return nonce === minedCount && head - (last.head ?? 0) >= STUCK_BLOCKS;
}

/**
 * The gas limit that the transaction whose turn it is should have: the one that it was signed with, unless the chain wants more
 * by now, or has less in a block. The signed one too where the node estimates nothing, for the call would revert.
 * @throws NodeUnreachable
 */
async function gasLimitOf(
  ctx: EvmContext,
  from: string,
  { nonce }: TransactionDoc,
  { to, data, value, gasLimit }: Transaction,
  { minedCount, blockGas }: Market,
): Promise<bigint> {
  if (nonce !== minedCount) return gasLimit;
  const call = { from, to, data, value: toQuantity(value) };
  const [answer] = await ctx.link.batch([{ method: 'eth_estimateGas', params: [call, 'latest'] }]);
  const estimate = answer?.ok === true ? quantity.parse(answer.result) : null;
  const most = mostGas(blockGas);
  const isRight = estimate === null || estimate > most || (estimate <= gasLimit && gasLimit <= most);
  return isRight ? gasLimit : limitFor(estimate, most);
}

function feesOfVersion({ maxFeePerGas, maxPriorityFeePerGas }: SignedVersion): Fees {
  return { maxFeePerGas: BigInt(maxFeePerGas), maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas) };
}

interface Replacement {
  readonly transaction: TransactionDoc;
  /** Its newest version. */
  readonly signed: Transaction;
  readonly gasLimit: bigint;
  readonly fees: Fees;
}

/** The same call for more. Empty where somebody else was first. */
async function replace(
  ctx: EvmContext,
  signer: Signer,
  { balance, head }: Market,
  { transaction, signed, gasLimit, fees }: Replacement,
): Promise<TransactionDoc[]> {
  const { to, data, value, nonce, chainId } = signed;
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

/** Adds a version, unless the transaction has landed or been replaced since it was read: then null. */
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
      : `transaction ${first.versions.at(-1)?.hash} of sender ${sender} is in no block since ${first.createdAt.toISOString()}, and its fees would be more than ${FEE_CAP} times the market's`;
  if (troubles.set(`stuck:${sender}`, sentence) && sentence !== null) log.error({ chainId, sender }, sentence);
}
