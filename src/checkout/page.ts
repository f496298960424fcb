import type { RequestHandler } from 'express';
import { publicOffer } from '../billing/checkout/offer.ts';
import { closedFor } from '../billing/offer-standing.ts';
import type { HttpDeps } from '../http/deps.ts';
import { CHECKOUT_PAGES_PER_MINUTE } from '../http/limits.ts';
import { clientAddress } from '../http/middleware/client-address.ts';
import { limitAddress } from '../http/middleware/rate-limit.ts';
import type { WindowCounters } from '../http/middleware/windows.ts';
import { sendPage } from '../http/send.ts';
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
    const { offer } = await publicOffer(deps.store, request.params.offerId);
    const isOpen = closedFor(offer, now) === null;
    sendPage(response, 200, offerPage(offer, { isOpen }), CONTENT_SECURITY_POLICY);
  };
}
