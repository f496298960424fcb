import type { OfferDoc } from '../../store/collections.ts';
import { unitsLeft } from './units.ts';

/** Why an offer takes nobody new (docs/rules.md, "Offers": Units). */
export type ClosedFor = 'inactive' | 'expired' | 'sold_out';

/** Null: it is open. What was made of it before goes on either way. */
export function closedFor(offer: OfferDoc, now: Date): ClosedFor | null {
  if (!offer.active) return 'inactive';
  if (offer.expiresAt !== null && offer.expiresAt <= now) return 'expired';
  return unitsLeft(offer) === 0 ? 'sold_out' : null;
}
