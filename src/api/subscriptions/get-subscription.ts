import { requireSubscription } from '../../billing/subscriptions/find.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { IDS } from '../openapi/examples/ids.ts';
import { subscriptionStatusView } from '../openapi/examples/subscription.ts';
import { subscriptionStatusSchema } from '../views/subscription.ts';
import { subscriptionParams } from './fields.ts';
import { statusOf } from './status.ts';

export const getSubscription = endpoint({
  summary: 'Read the status of a subscription, with its last invoice',
  id: 'getSubscription',
  description: 'The status view. `lastInvoice` is the newest attempted cycle.',
  params: subscriptionParams,
  responses: { 200: subscriptionStatusSchema },
  errors: [404],
  example: { params: { subscriptionId: IDS.subscription }, answer: { status: 200, body: subscriptionStatusView } },
  handle: async ({ params, caller }, deps) => {
    return answer(200, await statusOf(deps, await requireSubscription(deps, caller, params.subscriptionId)));
  },
});
