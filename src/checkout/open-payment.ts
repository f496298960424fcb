import { z } from 'zod';
import { createdAnswer } from '../http/created.ts';
import { checkoutEndpoint, none } from '../http/endpoint.ts';
import { text } from '../http/input/fields.ts';
import { offerParams, openingOf, sessionFields } from './fields.ts';
import { sessionSchema, sessionView } from './views/session.ts';

export const openPayment = checkoutEndpoint({
  summary: 'Pay once with a wallet that has signed',
  params: offerParams,
  query: none,
  body: z.object({ ...sessionFields, refundWallet: text(100).nullish() }),
  responses: { 201: sessionSchema, 200: sessionSchema },
  errors: [404, 409],
  handle: async ({ params, body }, { services }) => {
    return createdAnswer(await services.checkout.open(params.offerId, 'payment', openingOf(body)), sessionView);
  },
});
