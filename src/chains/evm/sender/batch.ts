import type { ChargeDoc } from '../../../store/collections.ts';
import { isRefund } from '../../charges.ts';
import type { Routers } from '../routers.ts';

/**
 * The charges of a queue for the next transaction: a refund alone if it is the first, else all charges of the first
 * one's router that are not refunds.
 */
export function nextBatch(routers: Pick<Routers, 'of'>, queue: readonly ChargeDoc[]): readonly ChargeDoc[] {
  const [first] = queue;
  if (first === undefined || isRefund(first)) return queue.slice(0, 1);
  const router = routers.of(first);
  return queue.filter((charge) => !isRefund(charge) && routers.of(charge) === router);
}
