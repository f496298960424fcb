import type { Effect, EffectOf } from '../../../machines/effects.ts';
import type { Discount } from '../../../machines/rules/discount.ts';
import { unusedDiscount } from '../../../machines/subscription/discount.ts';
import { MACHINES } from '../../../machines/versions.ts';
import type { EffectHandler } from '../../engine/types.ts';
import { isKnown } from '../../engine/upcast.ts';
import { conflict, internalFault } from '../../errors/fault.ts';
import { subscriptionContextOf } from '../../model/subscription.ts';
import type { CouponDoc, RedemptionDoc } from '../../store/collections.ts';
import type { ActorDoc, Tenant } from '../../store/documents.ts';
import type { Store } from '../../store/port.ts';
import { each } from '../actors/effect-results.ts';
import {
  type CouponDeps,
  type CouponUse,
  discountOf,
  isUsedUp,
  redemptionIdOf,
  requireCoupon,
  usedUp,
} from './coupons.ts';

/** How often a redemption is counted while others win. */
const ATTEMPTS_MAX = 100;

/** A subscription that does not have its discount by then never will: the process that was to set it has died. */
const CHECK_MS = 3_600_000;

/** How many redemptions one pass checks. */
const PASS = 100;

type RedemptionDeps = Pick<CouponDeps, 'store' | 'clock'>;

/**
 * Counts the redemption by a subscription, once, and returns the discount, which is set next. Throws 404, 400 with the
 * reason if the coupon gives none, and 409 if the subscription has had it before.
 */
export async function redeem(
  deps: CouponDeps,
  tenant: Tenant,
  couponId: string,
  { subscriptionId, ...use }: CouponUse & { readonly subscriptionId: string; readonly customerId: string },
): Promise<Discount> {
  const discount = await discountOf(deps, await requireCoupon(deps, tenant, couponId, 'couponId'), use);
  const { customerId } = use;
  await moveRedemption(deps.store, couponId, subscriptionId, (coupon, row) => {
    if (row?.releasedAt === null) {
      if (row.checkAt === null) throw redeemedBefore();
      return null;
    }
    const checkAt = new Date(deps.clock().getTime() + CHECK_MS);
    return newRedemption(deps, coupon, subscriptionId, { subscriptionId, customerId, checkAt });
  });
  return discount;
}

/**
 * Counts the redemption by the session of a payment, once. The session gives it back, or keeps it for the payment that
 * has settled. Throws 400 if the coupon is used up.
 */
export async function redeemOnce(
  deps: RedemptionDeps,
  couponId: string,
  sessionId: string,
  customerId: string,
): Promise<void> {
  await moveRedemption(deps.store, couponId, sessionId, (coupon, row) =>
    row === undefined
      ? newRedemption(deps, coupon, sessionId, { subscriptionId: null, customerId, checkAt: null })
      : null,
  );
}

/** Throws 400 if the coupon is used up. */
function newRedemption(
  { clock }: RedemptionDeps,
  coupon: CouponDoc,
  holderId: string,
  by: Pick<RedemptionDoc, 'subscriptionId' | 'customerId' | 'checkAt'>,
): Omit<RedemptionDoc, 'rev'> {
  if (isUsedUp(coupon)) throw usedUp();
  const { _id: couponId, merchantId, mode } = coupon;
  const _id = redemptionIdOf(couponId, holderId);
  return { _id, merchantId, mode, couponId, ...by, createdAt: clock(), releasedAt: null };
}

/** The payment of this session has settled, and keeps the redemption. */
export async function noteRedeemed(store: Store, couponId: string, sessionId: string, paymentId: string) {
  await store.records.change('redemptions', redemptionIdOf(couponId, sessionId), {}, { set: { paymentId } });
}

export const redeemedBefore = () => conflict('This subscription has redeemed this coupon before');

/** Gives a redemption back. Idempotent. */
export async function releaseRedemption(
  { store, clock }: RedemptionDeps,
  couponId: string,
  holderId: string,
): Promise<void> {
  await moveRedemption(store, couponId, holderId, (_coupon, row) =>
    row === undefined || row.releasedAt !== null ? null : { ...row, checkAt: null, releasedAt: clock() },
  );
}

/** Keeps the redemption if the subscription has the discount, else gives it back. */
export async function decideRedemption(
  deps: RedemptionDeps,
  couponId: string,
  subscriptionId: string,
  doc: ActorDoc | undefined,
): Promise<void> {
  if (doc === undefined || subscriptionContextOf(doc).discount?.couponId !== couponId) {
    return releaseRedemption(deps, couponId, subscriptionId);
  }
  const id = redemptionIdOf(couponId, subscriptionId);
  await deps.store.records.change('redemptions', id, { releasedAt: null }, { set: { checkAt: null } });
}

/**
 * One conditional write of the coupon counts, and names the row that goes with it; whoever comes next stores that row
 * first, so no crash parts the two. A row that is older than the stored one changes nothing.
 */
async function moveRedemption(
  store: Store,
  couponId: string,
  holderId: string,
  decide: (coupon: CouponDoc, row: RedemptionDoc | undefined) => Omit<RedemptionDoc, 'rev'> | null,
): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const [coupon] = await store.records.get('coupons', [couponId]);
    if (coupon === undefined) return;
    if (coupon.moving !== null) {
      await completeMove(store, coupon);
      continue;
    }
    const [row] = await store.records.get('redemptions', [redemptionIdOf(couponId, holderId)]);
    const moved = decide(coupon, row);
    if (moved === null) return;
    const rev = coupon.rev + 1;
    const change = {
      set: { moving: { ...moved, rev }, rev },
      inc: { redemptions: moved.releasedAt === null ? 1 : -1 },
    };
    const counted = await store.records.change('coupons', couponId, { rev: coupon.rev }, change);
    if (counted !== null) return completeMove(store, counted);
  }
  throw internalFault(`${couponId} was changed by others ${ATTEMPTS_MAX} times while a redemption was counted`);
}

async function completeMove(store: Store, { _id, rev, moving }: CouponDoc): Promise<void> {
  if (moving === null) return;
  await store.records.putNewer('redemptions', [moving]);
  await store.records.change('coupons', _id, { rev }, { set: { moving: null }, inc: { rev: 1 } });
}

/** The engine adds this effect to the change that ends a subscription unpaid. */
export function couponReleases(before: ActorDoc, after: ActorDoc): Effect[] {
  const unused = unusedDiscount(subscriptionContextOf(after));
  if (unused === null || unusedDiscount(subscriptionContextOf(before)) !== null) return [];
  return [{ type: 'coupon.release', couponId: unused.couponId }];
}

/** `coupon.release`. */
export function releaseCoupons(deps: RedemptionDeps): EffectHandler<EffectOf<'coupon.release'>> {
  return (items) =>
    each(items, async ({ source, effect }) => {
      await releaseRedemption(deps, effect.couponId, source.id);
      return 'done';
    });
}

/** Gives back redemptions whose discount was never set, because a process died. */
export async function checkRedemptions(deps: RedemptionDeps): Promise<void> {
  const { store, clock } = deps;
  const where = { checkAt: { lte: clock() } };
  const rows = await store.records.find('redemptions', { where, sort: [['checkAt', 1]], limit: PASS });
  const ids = rows.flatMap(({ subscriptionId }) => subscriptionId ?? []);
  const docs = new Map((await store.actors.load('subscription', ids)).map((doc) => [doc._id, doc]));
  for (const { couponId, subscriptionId } of rows) {
    if (subscriptionId === null) continue;
    const doc = docs.get(subscriptionId);
    if (doc !== undefined && !isKnown(MACHINES, doc)) continue;
    await decideRedemption(deps, couponId, subscriptionId, doc);
  }
}
