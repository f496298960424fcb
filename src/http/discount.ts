import type { z } from 'zod';
import { type Discount, lessDiscount } from '../../machines/rules/discount.ts';
import type { Terms } from '../../machines/subscription/context.ts';
import type { Catalog } from '../chains/catalog.ts';
import { formatAmount } from '../model/amounts.ts';
import type { discountSchema, shownDiscountSchema } from './schemas.ts';

/** null: there is none, or it is used up. */
export function discountView(discount: Discount | undefined): z.output<typeof discountSchema> | null {
  if (discount === undefined || discount.cyclesLeft === 0) return null;
  const { couponId, code, off, cyclesLeft } = discount;
  return {
    couponId,
    code,
    percentOff: off.kind === 'percent' ? String(off.bps / 100) : null,
    amountOff: off.kind === 'amount' ? off.shown : null,
    cyclesLeft,
  };
}

/** The same with what it leaves of a charge; of a metered price, of the most. */
export function shownDiscountView(
  discount: Discount | undefined,
  terms: Pick<Terms, 'tokenKey' | 'amount'>,
  catalog: Catalog,
): z.output<typeof shownDiscountSchema> | null {
  const view = discountView(discount);
  const { decimals = 0 } = catalog.tokenByKey(terms.tokenKey) ?? {};
  return view && { ...view, charge: formatAmount(lessDiscount(discount, terms), decimals) };
}
