import type { TransactionDoc } from '../../store/collections.ts';
import type { ChainContext } from '../context.ts';

type SignedFields = Pick<TransactionDoc, '_id' | 'sender' | 'nonce' | 'versions' | 'chargeIds'>;

/** The document of a signed transaction that is in no known block. It is checked at once, unless `askAt` says later. */
export function newTransaction(
  { chainId, clock }: Pick<ChainContext, 'chainId' | 'clock'>,
  fields: SignedFields & Partial<TransactionDoc>,
): TransactionDoc {
  const now = clock();
  return {
    chainId,
    state: 'signed',
    block: null,
    txHash: null,
    reverted: false,
    askAt: now,
    asked: 0,
    createdAt: now,
    updatedAt: now,
    ...fields,
  };
}
