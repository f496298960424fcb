import { z } from 'zod';
import { answer, checkoutEndpoint, none } from '../http/endpoint.ts';
import { addressField, offerParams, sessionFields } from './fields.ts';
import { challengeSchema, challengeView } from './views/challenge.ts';

export const challengeOffer = checkoutEndpoint({
  summary: 'A text for a wallet to sign, once, within ten minutes',
  params: offerParams,
  query: none,
  body: z.object({ address: addressField, priceId: sessionFields.priceId, tokenKey: sessionFields.tokenKey }),
  responses: { 201: challengeSchema },
  errors: [404],
  handle: async ({ params, body: { address, priceId, tokenKey } }, { services, config }) => {
    const input = { address, priceId, tokenKey: tokenKey ?? null };
    const challenged = await services.checkout.challenge(params.offerId, input, config.publicUrl);
    return answer(201, challengeView(challenged));
  },
});
