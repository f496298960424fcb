import { keccak256, Transaction, toQuantity } from 'ethers';
import type { SignedVersion, TransactionDoc } from '../../../store/collections.ts';
import { later } from '../../context.ts';
import { isRefusal, type RpcAnswer } from '../../rpc.ts';
import type { EvmContext } from '../context.ts';
import { FEE_CAP, type Fees, replacementFees } from '../fees.ts';
import type { Signer } from '../signer.ts';
import { quantity } from '../wire.ts';
import { broadcast } from './broadcast.ts';
import { type GasGauge, limitFor } from './gas-gauge.ts';
import { type Market, mustAfford } from './market.ts';

/** Blocks that have to go by without a transaction that could have been in them. */
const STUCK_BLOCKS = 3;

/**
 * Replaces those of a sender's overdue transactions that their fees or their gas limit keep out of blocks, each at its own
 * nonce: every one that offers less than the base fee, and of the others the one whose turn it is, for they wait behind it. Gas
 * is asked for again first: no fee helps a limit that nodes refuse. Where no limit helps, an empty call of the router takes the
 * nonce. It reverts, so the charges wait again, and go into smaller transactions. Each new version is stored before it
 * is broadcast, and by one process only; which of the versions lands, the chain decides.
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
      if (wanted === 'same' && !isStuck(transaction, last, market)) continue;
      const fees = replacementFees(feesOfVersion(last), market.fees, ctx.link.tipMax);
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

/** Its fees keep the newest version out of blocks. */
function isStuck({ nonce }: TransactionDoc, last: SignedVersion, { baseFee, minedCount, head }: Market): boolean {
  if (BigInt(last.maxFeePerGas) < baseFee) return true;
  return nonce === minedCount && head - (last.head ?? 0) >= STUCK_BLOCKS;
}

/** The gas limit that a transaction should have; `same`, the one that it was signed with; `none`, no node takes it with any. */
type WantedGas = bigint | 'same' | 'none';

/** What takes the place of the call that was signed. */
type Call = Pick<Transaction, 'data' | 'gasLimit'>;

/**
 * Of the transaction whose turn it is. The signed limit holds unless the chain wants more by now, or has less in a block; and
 * where the node estimates nothing, for the call would revert.
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
  return isRefusal(answer) && answer.error.verdict.about === 'call' && answer.error.verdict.why === 'too_large';
}

/** Call data that the router reverts. */
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
  const gas = quantity.parse(await ctx.link.call('eth_estimateGas', [transfer, 'latest']));
  return { data: EMPTY, gasLimit: gas + gas / 2n };
}

function feesOfVersion({ maxFeePerGas, maxPriorityFeePerGas }: SignedVersion): Fees {
  return { maxFeePerGas: BigInt(maxFeePerGas), maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas) };
}

interface Replacement {
  readonly transaction: TransactionDoc;
  /** Its newest version. */
  readonly signed: Transaction;
  readonly call: Call;
  readonly fees: Fees;
}

/** At the same nonce. Empty where somebody else was first. */
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
