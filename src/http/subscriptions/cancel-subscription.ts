import { z } from 'zod';
import { answer, endpoint, none } from '../endpoint.ts';
import { subscriptionSchema, subscriptionView } from '../views/subscription.ts';
import { subscriptionParams } from './fields.ts';

export const cancelSubscription = endpoint({
  summary: 'Cancel a subscription, now or at the end of its period',
  params: subscriptionParams,
  query: none,
  body: z.object({ atPeriodEnd: z.boolean().nullish() }),
  responses: { 200: subscriptionSchema },
  errors: [404, 409],
  handle: async ({ params, body, caller }, { services }) => {
    const how = { atPeriodEnd: body.atPeriodEnd ?? false };
    const subscription = await services.subscriptions.cancel(caller, params.subscriptionId, how, 'api');
    return answer(200, subscriptionView(subscription));
  },
});
