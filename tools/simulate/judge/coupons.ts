import { redemptionIdOf } from '../../../src/billing/coupons/coupons.ts';
import { paymentAttributes } from '../../../src/model/payment.ts';
import { subscriptionContextOf } from '../../../src/model/subscription.ts';
import type { RedemptionDoc } from '../../../src/store/collections.ts';
import type { Store } from '../../../src/store/port.ts';
import { allOf } from '../../lib/stored.ts';
import { chargeWith } from '../coupons.ts';
import { LEAST, ONCE, PRICE } from '../shop.ts';
import type { Story } from '../story.ts';
import { actors } from './stored.ts';

/** What the chain has charged for a payment; null: nothing. */
type GrossOf = (paymentId: string) => bigint | null;

/** Coupons made exactly the first cycles and each purchase cheaper, and no coupon is above its limit. */
export async function couponViolations(store: Store, stories: readonly Story[], grossOf: GrossOf): Promise<string[]> {
  const made = new Map(stories.flatMap(({ coupons }) => coupons.made.map((each) => [each.id, each] as const)));
  if (made.size === 0) return [];
  const rows = await heldIn(store);
  const wrong = await wronglyBought(store, stories, rows, grossOf);
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

/** The redemptions that were not given back. */
async function heldIn(store: Store): Promise<RedemptionDoc[]> {
  return (await allOf(store, 'redemptions')).filter(({ releasedAt }) => releasedAt === null);
}

/** Sessions that hold a redemption, and have not ended or not given it back yet. */
export async function openPurchases(store: Store): Promise<string[]> {
  const holders = (await heldIn(store)).map(({ _id, couponId }) => _id.slice(couponId.length + 1));
  const sessions = await store.records.get('checkoutSessions', holders);
  return sessions.flatMap(({ _id, kind, closed }) =>
    kind === 'payment' && closed !== 'settled' ? [`${_id} is ${closed ?? 'open'}, and holds a redemption`] : [],
  );
}

/** Purchases that were charged another amount than theirs, or hold a redemption exactly when they should not. */
async function wronglyBought(
  store: Store,
  stories: readonly Story[],
  held: readonly RedemptionDoc[],
  grossOf: GrossOf,
): Promise<string[]> {
  const charged = new Map<string, bigint>();
  for (const { _id, attributes } of await actors(store, 'payment')) {
    const { idempotencyKey } = paymentAttributes.parse(attributes);
    const gross = grossOf(_id);
    if (idempotencyKey !== null && gross !== null)
      charged.set(idempotencyKey, (charged.get(idempotencyKey) ?? 0n) + gross);
  }
  return stories.flatMap(({ coupons }) =>
    [...coupons.bought].flatMap(([key, coupon]) => {
      const gross = charged.get(key);
      const due = coupon === null ? ONCE.baseUnits : chargeWith(coupon, ONCE.baseUnits);
      if (gross !== undefined && (gross !== due || gross < LEAST))
        return [`${key} was charged ${gross}, and costs ${due}`];
      const isHeld = held.some(({ _id }) => _id === redemptionIdOf(coupon?.id ?? '', key.replace('checkout:', '')));
      if (coupon === null || isHeld === (gross !== undefined)) return [];
      return [
        `${key} was charged ${gross ?? 'nothing'}, and ${isHeld ? 'holds' : 'has no'} redemption of ${coupon.id}`,
      ];
    }),
  );
}
