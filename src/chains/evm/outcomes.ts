import { z } from 'zod';
import { chargedTopic, depositRefundedTopic, refusedTopic } from './contracts/charge-logs.ts';
import { decodeReason, type Reason } from './contracts/reasons.ts';
import { routerInterface } from './contracts/router.ts';
import type { WireReceipt } from './wire.ts';

/** The outcome of one charge in a transaction. `charged` also means that the refund of a deposit was made. */
export type Outcome = { readonly kind: 'charged' } | { readonly kind: 'refused'; readonly reason: Reason };

const refused = z.object({ reason: z.string() });

/**
 * The outcome of each key of a transaction. Only the router's own logs count, because anybody can emit imitations. The amounts
 * of `Charged` are not decoded: they equal the signed amounts, or the router would have reverted the charge.
 */
export function readOutcomes(receipt: WireReceipt, router: string): Map<string, Outcome> {
  const address = router.toLowerCase();
  const outcomes = new Map<string, Outcome>();
  for (const log of receipt.logs) {
    const [topic, key] = log.topics;
    if (key === undefined || log.address.toLowerCase() !== address) continue;
    if (topic === chargedTopic || topic === depositRefundedTopic) outcomes.set(key, { kind: 'charged' });
    else if (topic === refusedTopic) {
      const { reason } = refused.parse(routerInterface.decodeEventLog('Refused', log.data, log.topics).toObject());
      outcomes.set(key, { kind: 'refused', reason: decodeReason(reason) });
    }
  }
  return outcomes;
}
