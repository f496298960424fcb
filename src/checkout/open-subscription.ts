import { z } from 'zod';
import { createdAnswer } from '../http/created.ts';
import { checkoutEndpoint, none } from '../http/endpoint.ts';
import { offerParams, openingOf, sessionFields } from './fields.ts';
import { sessionSchema, sessionView } from './views/session.ts';

export const openSubscription = checkoutEndpoint({
  summary: 'Subscribe with a wallet that has signed',
  params: offerParams,
  query: none,
  body: z.object(sessionFields),
  responses: { 201: sessionSchema, 200: sessionSchema },
  errors: [404, 409],
  handle: async ({ params, body }, { services }) => {
    return createdAnswer(await services.checkout.open(params.offerId, 'subscription', openingOf(body)), sessionView);
  },
});
