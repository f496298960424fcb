import { z } from 'zod';
import { answer, checkoutEndpoint, none } from '../http/endpoint.ts';
import { signedFields, tokenParams } from './fields.ts';
import { authorizationSchema, authorizationView } from './views/authorization.ts';

export const authorize = checkoutEndpoint({
  summary: 'Authorize what a link stands for with a wallet that has signed',
  params: tokenParams,
  query: none,
  body: z.object(signedFields),
  responses: { 200: authorizationSchema },
  errors: [404, 409],
  handle: async ({ params, body }, { services }) => {
    const { address, message, signature, permit = null } = body;
    const standing = await services.checkout.authorize(params.token, { address, message, signature, permit });
    return answer(200, authorizationView(standing));
  },
});
