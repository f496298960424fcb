import { answer, endpoint, none } from '../endpoint.ts';
import { IDS } from '../openapi/examples/ids.ts';
import { subscriptionStanding } from '../openapi/examples/subscription.ts';
import { subscriptionStatusSchema } from '../views/subscription.ts';
import { subscriptionParams } from './fields.ts';
import { standingOf } from './standing.ts';

export const retrySubscription = endpoint({
  summary: 'Try the open cycle of a past due subscription again now',
  description:
    'Makes one attempt, and answers when its outcome is known or 25 seconds are over. 409 where no attempt has failed, one is in flight, or none can be made.',
  id: 'retrySubscription',
  params: subscriptionParams,
  query: none,
  body: none,
  responses: { 200: subscriptionStatusSchema },
  errors: [404, 409],
  notes: {
    409: 'It is neither past due nor pending after a failed first charge, an attempt is in flight, or none can be made; the message says which.',
  },
  messages: {
    409: 'Subscription is active; retry needs past_due, or pending after a failed first charge, with no attempt in flight',
  },
  example: { params: { subscriptionId: IDS.subscription }, answer: { status: 200, body: subscriptionStanding } },
  handle: async ({ params, caller }, { services: { subscriptions } }) => {
    const subscription = await subscriptions.retry(caller, params.subscriptionId, 'api');
    return answer(200, await standingOf(subscriptions, caller, subscription));
  },
});
