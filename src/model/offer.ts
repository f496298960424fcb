import type { OfferDoc } from '../store/collections.ts';

/** Why an offer accepts no new customers (docs/rules.md, "Offers": Units). */
export type ClosedFor = 'inactive' | 'expired' | 'sold_out';

/** null: it is open. Existing subscriptions continue in any case. */
export function closedFor(offer: OfferDoc, now: Date): ClosedFor | null {
  if (!offer.active) return 'inactive';
  if (offer.expiresAt !== null && offer.expiresAt <= now) return 'expired';
  return unitsLeft(offer) === 0 ? 'sold_out' : null;
}

type Stock = Pick<OfferDoc, 'availableQuantity' | 'redeemedCount' | 'holds'>;

/** The units that are neither reserved nor redeemed; null: no limit. */
export function unitsLeft({ availableQuantity, redeemedCount, holds }: Stock): number | null {
  return availableQuantity === null ? null : Math.max(0, availableQuantity - redeemedCount - holds.length);
}
