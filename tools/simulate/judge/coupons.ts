import { redemptionIdOf } from '../../../src/billing/coupons/coupons.ts';
import { paymentAttributes } from '../../../src/model/payment.ts';
import { subscriptionContextOf } from '../../../src/model/subscription.ts';
import type { Store } from '../../../src/store/port.ts';
import { allOf } from '../../lib/stored.ts';
import { chargeWith } from '../coupons.ts';
import { PRICE } from '../shop.ts';
import type { Story } from '../story.ts';
import { actors } from './stored.ts';

/** What the chain has charged for a payment; null: nothing. */
type GrossOf = (paymentId: string) => bigint | null;

/**
 * Every subscription that has redeemed a coupon was charged less for exactly the first of its cycles, and no coupon has
 * more redemptions than its limit.
 */
export async function couponViolations(store: Store, stories: readonly Story[], grossOf: GrossOf): Promise<string[]> {
  const made = new Map(stories.flatMap(({ coupons }) => coupons.made.map((each) => [each.id, each] as const)));
  if (made.size === 0) return [];
  const wrong: string[] = [];
  const rows = (await allOf(store, 'redemptions')).filter(({ releasedAt }) => releasedAt === null);
  for (const { _id, redemptions, moving } of await allOf(store, 'coupons')) {
    const counted = rows.filter(({ couponId }) => couponId === _id).length;
    const most = made.get(_id)?.maxRedemptions ?? Number.POSITIVE_INFINITY;
    if (redemptions > most) wrong.push(`${_id} has ${redemptions} redemptions, and may have ${most}`);
    if (moving === null && counted !== redemptions)
      wrong.push(`${_id} counts ${redemptions} of ${counted} redemptions`);
  }
  const paid = new Map<string, { readonly cycle: number; readonly gross: bigint }[]>();
  for (const { _id, attributes } of await actors(store, 'payment')) {
    const { subscriptionId, cycle } = paymentAttributes.parse(attributes);
    const gross = grossOf(_id);
    if (subscriptionId === null || cycle === null || gross === null) continue;
    paid.set(subscriptionId, [...(paid.get(subscriptionId) ?? []), { cycle, gross }]);
  }
  for (const doc of await actors(store, 'subscription')) {
    const charges = (paid.get(doc._id) ?? []).toSorted((one, other) => one.cycle - other.cycle);
    const context = subscriptionContextOf(doc);
    const coupon = made.get(context.discount?.couponId ?? '');
    const isCounted = rows.some(({ _id }) => _id === redemptionIdOf(coupon?.id ?? '', doc._id));
    if (coupon !== undefined && charges.length > 0 && !isCounted) wrong.push(`${doc._id} has ${coupon.id} for nothing`);
    // A cycle that a migration gave up may have landed as well.
    const surplus = context.lastCycle - charges.length;
    charges.forEach(({ cycle, gross }, at) => {
      const isLess = gross !== PRICE.baseUnits;
      if (coupon === undefined) {
        if (isLess) wrong.push(`cycle ${cycle} of ${doc._id} was charged ${gross} without a coupon`);
        return;
      }
      if (isLess && gross !== chargeWith(coupon)) wrong.push(`cycle ${cycle} of ${doc._id} was charged ${gross}`);
      const most = coupon.cycles ?? charges.length;
      const isTooMany = isLess && at >= most + surplus;
      if (isTooMany || (!isLess && at < most)) {
        wrong.push(
          `cycle ${cycle} of ${doc._id} is number ${at + 1}, was charged ${gross}, and ${most} have a discount`,
        );
      }
    });
  }
  return wrong;
}
