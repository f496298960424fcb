import { answer, endpoint, none } from '../../http/endpoint.ts';
import { IDS } from '../openapi/examples/ids.ts';
import { subscriptionStanding } from '../openapi/examples/subscription.ts';
import { subscriptionStatusSchema } from '../views/subscription.ts';
import { subscriptionParams } from './fields.ts';
import { standingOf } from './standing.ts';

export const resumeSubscription = endpoint({
  summary: 'Clear a scheduled cancel, and charge what is due and would now succeed',
  description:
    'Clears a scheduled cancel. While pending or past due it also checks the chain, and makes one attempt where a charge is due and would succeed. Answers when nothing is in flight any more or 25 seconds are over, whatever the check found.',
  id: 'resumeSubscription',
  params: subscriptionParams,
  query: none,
  body: none,
  responses: { 200: subscriptionStatusSchema },
  errors: [404, 409],
  notes: {
    409: 'It is canceled, or active without a scheduled cancel.',
  },
  messages: { 409: 'Subscription is canceled; resume needs pending, past_due, or active with a scheduled cancel' },
  example: { params: { subscriptionId: IDS.subscription }, answer: { status: 200, body: subscriptionStanding } },
  handle: async ({ params, caller }, { services: { subscriptions } }) => {
    const subscription = await subscriptions.resume(caller, params.subscriptionId, 'api');
    return answer(200, await standingOf(subscriptions, caller, subscription));
  },
});
