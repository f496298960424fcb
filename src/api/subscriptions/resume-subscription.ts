import { resumeSubscription as resume } from '../../billing/subscriptions/resume.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { IDS } from '../openapi/examples/ids.ts';
import { subscriptionStatusView } from '../openapi/examples/subscription.ts';
import { subscriptionStatusSchema } from '../views/subscription.ts';
import { subscriptionParams } from './fields.ts';
import { statusOf } from './status.ts';

export const resumeSubscription = endpoint({
  summary: 'Clear a scheduled cancel, and make a due charge that would now succeed',
  description:
    'Clears a scheduled cancel. While the subscription is pending or past due, it also checks the chain, and makes one attempt if a charge is due and would succeed. Answers when the attempt has ended, or after 25 seconds.',
  id: 'resumeSubscription',
  params: subscriptionParams,
  responses: { 200: subscriptionStatusSchema },
  errors: [404, 409],
  notes: {
    409: 'It is canceled, or active without a scheduled cancel.',
  },
  messages: { 409: 'Subscription is canceled; resume needs pending, past_due, or active with a scheduled cancel' },
  example: { params: { subscriptionId: IDS.subscription }, answer: { status: 200, body: subscriptionStatusView } },
  handle: async ({ params, caller }, deps) => {
    const subscription = await resume(deps, caller, params.subscriptionId, 'api');
    return answer(200, await statusOf(deps, subscription));
  },
});
