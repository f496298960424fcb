import { keccak256, Transaction } from 'ethers';
import type { SignedVersion, TransactionDoc } from '../../../store/collections.ts';
import { later } from '../../context.ts';
import type { EvmContext } from '../context.ts';
import { FEE_CAP, type Fees, replacementFees } from '../fees.ts';
import type { Signer } from '../signer.ts';
import { broadcast } from './broadcast.ts';
import { type Market, mustAfford } from './market.ts';

/** Blocks that have to go by without a transaction that could have been in them. */
const STUCK_BLOCKS = 3;

/**
 * Replaces those of a sender's overdue transactions that fees keep out of blocks, each at its own nonce: what offers less
 * than the base fee, and of the others only the one whose turn it is, for they wait behind it. Each new version is stored
 * before it is broadcast, and by one process only; which of the versions lands, the chain decides.
 * @throws OutOfGas when the sender cannot pay for it; NodeUnreachable
 */
export async function replaceStuck(
  ctx: EvmContext,
  signer: Signer,
  market: Market,
  overdue: readonly TransactionDoc[],
): Promise<void> {
  const capped: TransactionDoc[] = [];
  const replaced: TransactionDoc[] = [];
  try {
    for (const transaction of overdue) {
      const stuck = stuckVersion(transaction, market);
      if (stuck === null) continue;
      const fees = replacementFees(feesOfVersion(stuck), market.fees, ctx.link.tipMax);
      if (fees === null) capped.push(transaction);
      else replaced.push(...(await replace(ctx, signer, market, { transaction, stuck, fees })));
    }
  } finally {
    reportCapped(ctx, signer.address, capped);
    if (replaced.length > 0) {
      await broadcast(ctx, replaced);
      ctx.pokeReconciler(ctx.timing.askFirstMs);
    }
  }
}

/** The version that does not get into a block; null: there is nothing to be done about it by fees. */
function stuckVersion(transaction: TransactionDoc, { baseFee, minedCount, head }: Market): SignedVersion | null {
  const last = transaction.versions.at(-1);
  if (last === undefined || last.raw === '') return null;
  if (BigInt(last.maxFeePerGas) < baseFee) return last;
  const hadItsTurn = transaction.nonce === minedCount && head - (last.head ?? 0) >= STUCK_BLOCKS;
  return hadItsTurn ? last : null;
}

function feesOfVersion({ maxFeePerGas, maxPriorityFeePerGas }: SignedVersion): Fees {
  return { maxFeePerGas: BigInt(maxFeePerGas), maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas) };
}

interface Replacement {
  readonly transaction: TransactionDoc;
  readonly stuck: SignedVersion;
  readonly fees: Fees;
}

/** The same call for more. Empty where somebody else was first. */
async function replace(
  ctx: EvmContext,
  signer: Signer,
  { balance, head }: Market,
  { transaction, stuck, fees }: Replacement,
): Promise<TransactionDoc[]> {
  const { to, data, value, gasLimit, nonce, chainId } = Transaction.from(stuck.raw);
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
      instead: stuck.hash,
      txHash: version.hash,
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
