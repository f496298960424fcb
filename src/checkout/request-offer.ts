import { z } from 'zod';
import { answer, checkoutEndpoint, none } from '../http/endpoint.ts';
import { addressField, offerParams, sessionFields } from './fields.ts';
import { requestSchema, requestView } from './views/challenge.ts';

export const requestOffer = checkoutEndpoint({
  summary: 'What a wallet is asked to approve for an offer, and what the chain says of it now',
  params: offerParams.extend({ address: addressField }),
  query: z.object({ priceId: sessionFields.priceId, tokenKey: sessionFields.tokenKey }),
  body: none,
  responses: { 200: requestSchema },
  errors: [404],
  handle: async ({ params: { offerId, address }, query: { priceId, tokenKey } }, { services }) => {
    const input = { address, priceId, tokenKey: tokenKey ?? null };
    return answer(200, requestView(await services.checkout.request(offerId, input)));
  },
});
