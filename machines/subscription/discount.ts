import { afterCycle, discountOn, lessDiscount } from '../rules/discount.ts';
import type { OpenCycle, SubscriptionContext } from './context.ts';
import type { SubscriptionEventOf } from './events.ts';
import { atRest } from './next-charge.ts';
import { withoutThreshold } from './usage.ts';

type Context = SubscriptionContext;

interface Discounted extends Pick<Context, 'discount'> {
  readonly terms: Pick<Context['terms'], 'tokenKey' | 'amount'>;
}

/** What a discount changes of a cycle that opens, or of a payment. */
export function discountedIn({ discount, terms }: Discounted): Pick<OpenCycle, 'amount' | 'discount'> {
  const off = discountOn(discount, terms);
  if (discount === undefined || off === 0n) return {};
  const { couponId: coupon, code } = discount;
  return { amount: lessDiscount(discount, terms).toString(), discount: { coupon, code, amount: off.toString() } };
}

/** A cycle that has had the discount is over. */
export function countDiscount({ discount }: Context): Pick<Context, 'discount'> {
  return discount === undefined ? {} : { discount: afterCycle(discount) };
}

/** Whether it takes this discount, or has one to take off: an open cycle keeps the amount with which it was opened. */
export function takesDiscount(context: Context, event: SubscriptionEventOf<'discount.requested'>): boolean {
  const { open, fallenOut, discount } = context;
  return open === null && fallenOut.length === 0 && (event.discount !== null || discount !== undefined);
}

/** The next cycles have this discount, in place of any other. One that is taken off has no cycle left. */
export function setDiscount(context: Context, { discount, now }: SubscriptionEventOf<'discount.requested'>): Context {
  const next = discount ?? (context.discount && { ...context.discount, cyclesLeft: 0 });
  return atRest(next === undefined ? context : { ...context, ...withoutThreshold(context), discount: next }, now);
}

/** The discount of a subscription that has ended before anything was paid or passed, so that another may have it. */
export function unusedDiscount({ discount, ended, open, anchor, cyclesCompleted }: Context) {
  const isUnused = ended !== null && open === null && anchor === null && cyclesCompleted === 0;
  return isUnused && discount !== undefined ? discount : null;
}
