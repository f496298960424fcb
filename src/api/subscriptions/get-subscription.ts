import { answer, endpoint } from '../../http/endpoint.ts';
import { IDS } from '../openapi/examples/ids.ts';
import { subscriptionStanding } from '../openapi/examples/subscription.ts';
import { subscriptionStatusSchema } from '../views/subscription.ts';
import { subscriptionParams } from './fields.ts';
import { standingOf } from './standing.ts';

export const getSubscription = endpoint({
  summary: 'Read the status of a subscription, with its last invoice',
  id: 'getSubscription',
  description: 'The status view. `lastInvoice` is the newest attempted cycle.',
  params: subscriptionParams,
  responses: { 200: subscriptionStatusSchema },
  errors: [404],
  example: { params: { subscriptionId: IDS.subscription }, answer: { status: 200, body: subscriptionStanding } },
  handle: async ({ params, caller }, { services }) => {
    const subscription = await services.subscriptions.get(caller, params.subscriptionId);
    return answer(200, await standingOf(services.subscriptions, caller, subscription));
  },
});
