import { z } from 'zod';
import { QUANTITY_MAX } from '../../machines/rules/price-model.ts';
import { offerOnSale } from '../billing/checkout/checkout.ts';
import { purchaseOfOffer } from '../billing/checkout/offer-purchase.ts';
import { quotePurchase } from '../billing/checkout/quote.ts';
import { challengePurchase } from '../billing/checkout/sign.ts';
import { answer } from '../http/endpoint.ts';
import { queryInteger } from '../http/input/fields.ts';
import { checkoutEndpoint } from './endpoint.ts';
import { addressField, offerParams, sessionFields } from './fields.ts';
import { challengeView, requestView } from './views/challenge.ts';
import { offerOnSaleView } from './views/offer.ts';
import { challengeSchema, offerOnSaleSchema, requestSchema } from './wire.ts';

export const getOffer = checkoutEndpoint({
  summary: 'Get the data with which a page sells an offer',
  params: offerParams,
  responses: { 200: offerOnSaleSchema },
  handle: async ({ params }, deps) => {
    const sale = await offerOnSale(deps, params.offerId);
    return answer(200, offerOnSaleView(sale, deps));
  },
});

export const challengeOffer = checkoutEndpoint({
  summary: 'Get a text for a wallet to sign once within ten minutes',
  params: offerParams,
  body: z.object({
    address: addressField,
    priceId: sessionFields.priceId,
    tokenKey: sessionFields.tokenKey,
    quantity: sessionFields.quantity,
  }),
  responses: { 201: challengeSchema },
  handle: async ({ params, body: { address, priceId, tokenKey = null, quantity = null } }, deps) => {
    const input = { address, priceId, tokenKey, quantity };
    const purchase = await purchaseOfOffer(deps, params.offerId, input);
    return answer(201, challengeView(await challengePurchase(deps, purchase, deps.config.publicUrl)));
  },
});

export const requestOffer = checkoutEndpoint({
  summary: 'Get the sum that a wallet has to approve for an offer, and the present state on the chain',
  params: offerParams.extend({ address: addressField }),
  query: z.object({
    priceId: sessionFields.priceId,
    tokenKey: sessionFields.tokenKey,
    quantity: queryInteger(1, QUANTITY_MAX, 'must be a number of units').optional(),
  }),
  responses: { 200: requestSchema },
  handle: async ({ params: { offerId, address }, query: { priceId, tokenKey = null, quantity = null } }, deps) => {
    const input = { address, priceId, tokenKey, quantity };
    return answer(200, requestView(await quotePurchase(deps, await purchaseOfOffer(deps, offerId, input))));
  },
});
