import { answer, endpoint, none } from '../endpoint.ts';
import { subscriptionStatusSchema, subscriptionStatusView } from '../views/subscription.ts';
import { subscriptionParams } from './fields.ts';

export const getSubscription = endpoint({
  summary: 'Read how a subscription stands, with its last invoice',
  params: subscriptionParams,
  query: none,
  body: none,
  responses: { 200: subscriptionStatusSchema },
  errors: [404],
  handle: async ({ params, caller }, { services }) => {
    const subscription = await services.subscriptions.get(caller, params.subscriptionId);
    const lastPayment = await services.subscriptions.lastPayment(caller, subscription.id);
    return answer(200, subscriptionStatusView(subscription, lastPayment));
  },
});
