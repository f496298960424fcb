import { z } from 'zod';
import { QUANTITY_MAX } from '../../machines/rules/price-model.ts';
import { publicOffer } from '../billing/checkout/offer.ts';
import { discountByCode, purchaseOfOffer } from '../billing/checkout/offer-purchase.ts';
import { quotePurchase } from '../billing/checkout/quote.ts';
import { challengePurchase } from '../billing/checkout/sign.ts';
import { internalFault } from '../errors/fault.ts';
import { shownDiscountView } from '../http/discount.ts';
import { answer } from '../http/endpoint.ts';
import { queryInteger } from '../http/input/fields.ts';
import { shownDiscountSchema } from '../http/schemas.ts';
import { pick } from '../model/pick.ts';
import { checkoutEndpoint } from './endpoint.ts';
import { addressField, chosenIn, couponParams, offerParams, sessionFields } from './fields.ts';
import { challengeView, requestView } from './views/authorization.ts';
import { offerOnSaleView } from './views/offer.ts';
import { challengeSchema, offerOnSaleSchema, requestSchema } from './wire.ts';

export const getOffer = checkoutEndpoint({
  summary: 'Get the data with which a page sells an offer',
  params: offerParams,
  responses: { 200: offerOnSaleSchema },
  handle: async ({ params }, deps) => {
    return answer(200, offerOnSaleView(await publicOffer(deps.store, params.offerId), deps));
  },
});

export const challengeOffer = checkoutEndpoint({
  summary: 'Get a text for a wallet to sign once within ten minutes',
  params: offerParams,
  body: z.object({ address: addressField, ...pick(sessionFields, 'priceId', 'tokenKey', 'quantity', 'coupon') }),
  responses: { 201: challengeSchema },
  handle: async ({ params, body }, deps) => {
    const purchase = await purchaseOfOffer(deps, params.offerId, { address: body.address, ...chosenIn(body) });
    return answer(201, challengeView(await challengePurchase(deps, purchase, deps.config.publicUrl)));
  },
});

const choice = {
  priceId: sessionFields.priceId,
  tokenKey: sessionFields.tokenKey,
  quantity: queryInteger(1, QUANTITY_MAX, 'must be a number of units').optional(),
};

export const getCoupon = checkoutEndpoint({
  summary: 'Get what the code of a coupon takes off a price, for a wallet that is not known yet',
  params: couponParams,
  query: z.object(choice),
  responses: { 200: shownDiscountSchema },
  handle: async ({ params: { offerId, code }, query }, deps) => {
    const { discount, price } = await discountByCode(deps, offerId, { ...chosenIn(query), coupon: code });
    const view = shownDiscountView(discount, price, deps.catalog);
    if (view === null) throw internalFault(`${discount.couponId} gives nothing`);
    return answer(200, view);
  },
});

export const requestOffer = checkoutEndpoint({
  summary: 'Get the sum that a wallet has to approve for an offer, and the present state on the chain',
  params: offerParams.extend({ address: addressField }),
  query: z.object({ ...choice, coupon: sessionFields.coupon }),
  responses: { 200: requestSchema },
  handle: async ({ params: { offerId, address }, query }, deps) => {
    const purchase = await purchaseOfOffer(deps, offerId, { address, ...chosenIn(query) });
    return answer(200, requestView(await quotePurchase(deps, purchase)));
  },
});
