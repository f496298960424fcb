import { answer, checkoutEndpoint, none } from '../http/endpoint.ts';
import { tokenParams } from './fields.ts';
import { authorizationSchema, authorizationView } from './views/authorization.ts';

export const getAuthorization = checkoutEndpoint({
  summary: 'What a link stands for, what the chain says, what has become of it',
  params: tokenParams,
  query: none,
  body: none,
  responses: { 200: authorizationSchema },
  errors: [404],
  handle: async ({ params }, { services }) => {
    return answer(200, authorizationView(await services.checkout.authorization(params.token)));
  },
});
