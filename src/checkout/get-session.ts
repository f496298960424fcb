import { answer, checkoutEndpoint, none } from '../http/endpoint.ts';
import { sessionParams } from './fields.ts';
import { sessionSchema, sessionView } from './views/session.ts';

export const getSession = checkoutEndpoint({
  summary: 'What is asked, what the chain says, what has become of it',
  params: sessionParams,
  query: none,
  body: none,
  responses: { 200: sessionSchema },
  errors: [404],
  handle: async ({ params }, { services }) => {
    return answer(200, sessionView(await services.checkout.session(params.sessionKey)));
  },
});
