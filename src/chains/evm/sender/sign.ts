import type { TransactionDoc } from '../../../store/collections.ts';
import { later } from '../../context.ts';
import { newTransaction } from '../../sender/new-transaction.ts';
import type { EvmContext } from '../context.ts';
import { transactionHash } from '../eip1559.ts';
import type { Fees } from '../fees.ts';
import type { Signer } from '../signer.ts';

export interface Unsigned {
  readonly id: string;
  readonly to: string;
  readonly data: string;
  readonly nonce: number;
  readonly gasLimit: bigint;
  readonly fees: Fees;
  readonly chargeIds: readonly string[];
  readonly permitId?: string;
}

/** Signs, and returns the document that has to be stored before the transaction is broadcast. */
export async function sign(ctx: EvmContext, signer: Signer, unsigned: Unsigned): Promise<TransactionDoc> {
  const { id, to, data, nonce, gasLimit, fees, chargeIds, permitId } = unsigned;
  const raw = await signer.signTransaction({ type: 2, chainId: ctx.chainId, to, data, nonce, gasLimit, ...fees });
  return newTransaction(ctx, {
    _id: id,
    sender: signer.address,
    nonce,
    versions: [
      {
        hash: transactionHash(raw),
        raw,
        maxFeePerGas: String(fees.maxFeePerGas),
        maxPriorityFeePerGas: String(fees.maxPriorityFeePerGas),
        at: ctx.clock(),
        head: ctx.link.head,
      },
    ],
    chargeIds,
    ...(permitId === undefined ? {} : { permitId }),
    askAt: later(ctx, ctx.timing.askFirstMs),
  });
}
