import { willBeFundedBy } from '../../../machines/payment/changes.ts';
import type { DepositReading } from '../../../machines/payment/events.ts';
import { isAwaitingDeposit, paymentContextOf } from '../../model/payment.ts';
import type { Store } from '../../store/port.ts';
import { reserveUnits } from '../offers/inventory.ts';

/**
 * Reserves a unit of its offer for each payment whose whole amount has arrived, deep enough or not: nothing is reserved
 * for an address that nobody has paid to (docs/rules.md, "Offers"). Idempotent. Returns the payments for which no unit
 * is left.
 */
export async function reserveForDeposits(
  store: Store,
  found: ReadonlyMap<string, DepositReading>,
): Promise<ReadonlySet<string>> {
  const paid = [...found].flatMap(([id, { arrived }]) => (arrived === '0' ? [] : [id]));
  if (paid.length === 0) return new Set();
  const payments = (await store.actors.load('payment', paid)).map((doc) => ({ doc, context: paymentContextOf(doc) }));
  const wanting = payments.flatMap(({ doc, context }) => {
    const reading = found.get(doc._id);
    const isAwaiting = doc.status === 'pending' && isAwaitingDeposit(doc);
    const isPaid = reading !== undefined && isAwaiting && willBeFundedBy(context, reading);
    return isPaid && context.unitOf !== null ? [{ id: doc._id, offerId: context.unitOf }] : [];
  });
  const offerIds = [...new Set(wanting.map(({ offerId }) => offerId))];
  const soldOut = offerIds.map(async (offerId) => {
    const ids = wanting.flatMap((each) => (each.offerId === offerId ? [each.id] : []));
    const granted = await reserveUnits(store, offerId, ids);
    return ids.filter((id) => !granted.has(id));
  });
  return new Set((await Promise.all(soldOut)).flat());
}
