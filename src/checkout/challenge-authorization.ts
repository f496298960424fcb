import { z } from 'zod';
import { answer, checkoutEndpoint, none } from '../http/endpoint.ts';
import { addressField, tokenParams } from './fields.ts';
import { challengeSchema, challengeView } from './views/challenge.ts';

export const challengeAuthorization = checkoutEndpoint({
  summary: 'A text for a wallet to sign, once, within ten minutes, about what a link stands for',
  params: tokenParams,
  query: none,
  body: z.object({ address: addressField }),
  responses: { 201: challengeSchema },
  errors: [404, 409],
  handle: async ({ params, body }, { services, config }) => {
    const { checkout } = services;
    const challenged = await checkout.challengeAuthorization(params.token, body.address, config.publicUrl);
    return answer(201, challengeView(challenged));
  },
});
