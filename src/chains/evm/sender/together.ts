import type { ChargeDoc } from '../../../store/collections.ts';
import { isRefund } from '../../charges.ts';

/** The charges of a queue for the next transaction: a refund alone if it is the first, else all charges that are not refunds. */
export function together(queue: readonly ChargeDoc[]): readonly ChargeDoc[] {
  const [first] = queue;
  if (first !== undefined && isRefund(first)) return [first];
  return queue.some(isRefund) ? queue.filter((charge) => !isRefund(charge)) : queue;
}
