import { retrySubscription as retry } from '../../billing/subscriptions/retry.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { IDS } from '../openapi/examples/ids.ts';
import { subscriptionStatusView } from '../openapi/examples/subscription.ts';
import { subscriptionStatusSchema } from '../views/subscription.ts';
import { subscriptionParams } from './fields.ts';
import { statusOf } from './status.ts';

export const retrySubscription = endpoint({
  summary: 'Try a failed or blocked charge of a subscription again now',
  description:
    'Makes one attempt of a failed cycle, or of a charge that `blockedReason` blocks. Answers when the outcome is known, or after 25 seconds. 409 without such a charge, while an attempt is in flight, or while the cause still blocks it.',
  id: 'retrySubscription',
  params: subscriptionParams,
  responses: { 200: subscriptionStatusSchema },
  errors: [404, 409],
  notes: {
    409: 'No charge has failed or is blocked, an attempt is in flight, or none can be made; the message says which.',
  },
  messages: {
    409: 'Subscription is active; retry needs a failed or blocked charge, with no attempt in flight',
  },
  example: { params: { subscriptionId: IDS.subscription }, answer: { status: 200, body: subscriptionStatusView } },
  handle: async ({ params, caller }, deps) => {
    const subscription = await retry(deps, caller, params.subscriptionId, 'api');
    return answer(200, await statusOf(deps, subscription));
  },
});
