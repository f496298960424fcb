import type { ChargeDoc } from '../../../store/collections.ts';
import { isRefund } from '../../charges.ts';

/** Of a queue what goes into the next transaction: a refund alone when its turn has come, charges together. */
export function together(queue: readonly ChargeDoc[]): readonly ChargeDoc[] {
  const [first] = queue;
  if (first !== undefined && isRefund(first)) return [first];
  return queue.some(isRefund) ? queue.filter((charge) => !isRefund(charge)) : queue;
}
