import type { SignedVersion, TransactionDoc } from '../../../store/collections.ts';
import { later } from '../../context.ts';
import { newTransaction } from '../../sender/new-transaction.ts';
import type { EvmContext } from '../context.ts';
import { transactionHash } from '../eip1559.ts';
import type { Fees } from '../fees.ts';
import type { Signer } from '../signer.ts';

interface UnsignedCall {
  readonly to: string | null;
  readonly data: string;
  readonly nonce: number;
  readonly gasLimit: bigint;
  /** Wei; absent: 0. */
  readonly value?: bigint;
  readonly fees: Fees;
}

export interface Unsigned extends UnsignedCall {
  readonly id: string;
  readonly chargeIds: readonly string[];
  readonly permitId?: string;
}

/** Signs, and returns the document that has to be stored before the transaction is broadcast. */
export async function sign(ctx: EvmContext, signer: Signer, unsigned: Unsigned): Promise<TransactionDoc> {
  const { id, nonce, chargeIds, permitId } = unsigned;
  return newTransaction(ctx, {
    _id: id,
    sender: signer.address,
    nonce,
    versions: [await signVersion(ctx, signer, unsigned, ctx.link.head)],
    chargeIds,
    ...(permitId === undefined ? {} : { permitId }),
    askAt: later(ctx, ctx.timing.askFirstMs),
  });
}

/** One version of a transaction, signed when `head` was the newest known block. */
export async function signVersion(
  ctx: EvmContext,
  signer: Signer,
  { to, data, nonce, gasLimit, value = 0n, fees }: UnsignedCall,
  head: number | null,
): Promise<SignedVersion> {
  const { chainId } = ctx;
  const raw = await signer.signTransaction({ type: 2, chainId, to, data, value, nonce, gasLimit, ...fees });
  return {
    hash: transactionHash(raw),
    raw,
    maxFeePerGas: String(fees.maxFeePerGas),
    maxPriorityFeePerGas: String(fees.maxPriorityFeePerGas),
    at: ctx.clock(),
    head,
  };
}
