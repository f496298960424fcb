import type { RequestHandler } from 'express';
import { notFound } from '../fault.ts';
import type { HttpDeps } from '../http/deps.ts';
import { CHECKOUT_PAGES_PER_MINUTE } from '../http/limits.ts';
import { clientAddress } from '../http/middleware/client-address.ts';
import { limitAddress } from '../http/middleware/rate-limit.ts';
import type { WindowCounters } from '../http/middleware/windows.ts';
import { sendPage } from '../http/send.ts';
import type { OfferDoc } from '../store/collections.ts';
import { CONTENT_SECURITY_POLICY, offerPage } from './html.ts';

/** The page behind an offer's `checkoutUrl`. Public: whoever has the link may see it, limited per address. */
export function checkoutPage(deps: HttpDeps, counters: WindowCounters): RequestHandler<{ offerId: string }> {
  return async (request, response, next) => {
    if (request.method !== 'GET') {
      next();
      return;
    }
    const now = deps.clock();
    const address = clientAddress(request.ip);
    await limitAddress(counters, response, {
      purpose: 'checkout',
      address,
      perMinute: CHECKOUT_PAGES_PER_MINUTE,
      now,
    });
    const offer = await publicOffer(deps, request.params.offerId);
    sendPage(response, 200, offerPage(offer, { isOpen: isOpen(offer, now) }), CONTENT_SECURITY_POLICY);
  };
}

/** Throws 404 for what does not exist, was deleted, or is of a suspended merchant. */
async function publicOffer({ store }: HttpDeps, offerId: string): Promise<OfferDoc> {
  const [offer] = await store.records.get('offers', [offerId]);
  if (offer === undefined || offer.deletedAt !== null) throw notFound();
  const [merchant] = await store.records.get('merchants', [offer.merchantId]);
  if (merchant?.status !== 'active') throw notFound();
  return offer;
}

/** Whether it takes new subscribers (decisions, "Offers": Units). */
function isOpen(offer: OfferDoc, now: Date): boolean {
  if (!offer.active) return false;
  if (offer.expiresAt !== null && offer.expiresAt <= now) return false;
  return offer.availableQuantity === null || offer.redeemedCount + offer.holds.length < offer.availableQuantity;
}
