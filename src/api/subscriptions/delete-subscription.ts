import { cancelSubscription } from '../../billing/subscriptions/subscriptions.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { IDS } from '../openapi/examples/ids.ts';
import { canceledSubscription } from '../openapi/examples/subscription.ts';
import { subscriptionSchema, subscriptionView } from '../views/subscription.ts';
import { subscriptionParams } from './fields.ts';

export const deleteSubscription = endpoint({
  summary: 'Cancel a subscription now; its record is kept',
  id: 'deleteSubscription',
  description: 'The same as a cancel without `atPeriodEnd`.',
  params: subscriptionParams,
  responses: { 200: subscriptionSchema },
  errors: [404, 409],
  notes: {
    409: 'It is already canceled.',
  },
  example: { params: { subscriptionId: IDS.subscription }, answer: { status: 200, body: canceledSubscription } },
  handle: async ({ params, caller }, deps) => {
    const how = { atPeriodEnd: false };
    const subscription = await cancelSubscription(deps, caller, params.subscriptionId, how, 'api');
    return answer(200, subscriptionView(subscription, deps.clock()));
  },
});
