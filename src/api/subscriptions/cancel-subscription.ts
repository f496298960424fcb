import { z } from 'zod';
import { cancelSubscription as cancel } from '../../billing/subscriptions/subscriptions.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { IDS } from '../openapi/examples/ids.ts';
import { canceledSubscription } from '../openapi/examples/subscription.ts';
import { subscriptionSchema, subscriptionView } from '../views/subscription.ts';
import { subscriptionParams } from './fields.ts';

export const cancelSubscription = endpoint({
  summary: 'Cancel a subscription, now or at the end of its period',
  id: 'cancelSubscription',
  description:
    'The state is final, and no new attempt follows. A charge that has been started may still settle; the subscription stays canceled. Emits `subscription.canceled` without a `reason`. With `atPeriodEnd` only `cancelAt` is set now; POST …/resume clears it.',
  params: subscriptionParams,
  body: z.object({
    atPeriodEnd: z
      .boolean()
      .nullish()
      .describe('`true` ends it at `currentPeriodEnd`; if that is `null` or past, it ends now.'),
  }),
  responses: { 200: subscriptionSchema },
  errors: [404, 409],
  notes: {
    409: 'It is already canceled.',
  },
  example: {
    params: { subscriptionId: IDS.subscription },
    body: { atPeriodEnd: false },
    answer: { status: 200, body: canceledSubscription },
  },
  handle: async ({ params, body, caller }, deps) => {
    const how = { atPeriodEnd: body.atPeriodEnd ?? false };
    const subscription = await cancel(deps, caller, params.subscriptionId, how, 'api');
    return answer(200, subscriptionView(subscription, deps.clock()));
  },
});
