import type { Discount } from '../../../machines/rules/discount.ts';
import { nextTerms } from '../../../machines/subscription/next-charge.ts';
import type { SentBy } from '../../engine/types.ts';
import { isLive, subscriptionAttributes, subscriptionContextOf } from '../../model/subscription.ts';
import type { ActorDoc, StoredActor, Tenant } from '../../store/documents.ts';
import { requireTaken } from '../actors/refusals.ts';
import { decideRedemption, redeem, redeemedBefore } from '../coupons/redemptions.ts';
import type { BillingDeps } from '../deps.ts';
import { requireSubscription } from './subscriptions.ts';

type Deps = Pick<BillingDeps, 'store' | 'catalog' | 'clock' | 'engine'>;

/**
 * Sets a discount by a coupon, in place of any other, for the cycles from the next one on (docs/rules.md,
 * "Subscriptions": discount). The coupon that it has already changes nothing. Throws 404, 400 with the
 * reason if the coupon gives nothing here, and 409 while a cycle is open, after the end, or if it was redeemed before.
 */
export async function setDiscount(
  deps: Deps,
  tenant: Tenant,
  id: string,
  couponId: string,
  by: SentBy,
): Promise<ActorDoc> {
  const seen = await requireSubscription(deps, tenant, id);
  const context = subscriptionContextOf(seen);
  if (context.discount?.couponId === couponId) {
    if (isLive(seen) && context.discount.cyclesLeft !== 0) return seen;
    throw redeemedBefore();
  }
  const { customerId, offerId } = subscriptionAttributes.parse(seen.attributes);
  const use = { offerId, tokenKey: nextTerms(context).tokenKey, customerId, subscriptionId: id };
  return change(deps, seen, await redeem(deps, tenant, couponId, use), by);
}

/** The cycles from the next one on have no discount. Its redemption stays. Throws 404, and 409 as `setDiscount`. */
export async function removeDiscount(deps: Deps, tenant: Tenant, id: string, by: SentBy): Promise<ActorDoc> {
  const seen = await requireSubscription(deps, tenant, id);
  const { discount } = subscriptionContextOf(seen);
  return discount === undefined || discount.cyclesLeft === 0 ? seen : change(deps, seen, null, by);
}

async function change(deps: Deps, seen: StoredActor, discount: Discount | null, by: SentBy): Promise<ActorDoc> {
  const before = subscriptionContextOf(seen).discount;
  // Nobody finds it there any more, and it was redeemed.
  if (before !== undefined) await decideRedemption(deps, before.couponId, seen._id, seen);
  const event = { type: 'discount.requested', discount } as const;
  const result = await deps.engine.dispatch({ kind: 'subscription', id: seen._id, event, by, seen });
  const isOpen = result.kind === 'refused' && isLive(result.doc);
  const needs = isOpen ? 'its open cycle to be paid first' : 'pending, active or past_due';
  if (discount !== null && 'doc' in result) await decideRedemption(deps, discount.couponId, seen._id, result.doc);
  const doc = requireTaken(result, { name: 'discount', needs });
  await deps.engine.completed(seen._id);
  return doc;
}
