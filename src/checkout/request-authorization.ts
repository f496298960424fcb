import { answer, checkoutEndpoint, none } from '../http/endpoint.ts';
import { addressField, tokenParams } from './fields.ts';
import { requestSchema, requestView } from './views/challenge.ts';

export const requestAuthorization = checkoutEndpoint({
  summary: 'What a wallet is asked to approve for what a link stands for, and what the chain says of it now',
  params: tokenParams.extend({ address: addressField }),
  query: none,
  body: none,
  responses: { 200: requestSchema },
  errors: [404, 409],
  handle: async ({ params: { token, address } }, { services }) => {
    return answer(200, requestView(await services.checkout.requestOfLink(token, address)));
  },
});
