import { z } from 'zod';
import { listSubscriptions as findSubscriptions } from '../../billing/subscriptions/subscriptions.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { created, page, pageOf } from '../../http/input/fields.ts';
import { pageEcho, pageView, subscriptionStatus } from '../../http/schemas.ts';
import { activeSubscription } from '../openapi/examples/subscription.ts';
import { subscriptionSchema, subscriptionView } from '../views/subscription.ts';

export const listSubscriptions = endpoint({
  summary: 'List subscriptions, newest first',
  id: 'listSubscriptions',
  description: 'Canceled subscriptions are listed too, unless `status` excludes them.',
  query: z.object({
    status: subscriptionStatus.optional().describe('Only those with this status.'),
    customerId: z.string().optional().describe('Only those of this customer.'),
    offerId: z.string().optional().describe('Only subscriptions to this offer.'),
    created,
    ...page,
  }),
  responses: {
    200: z.strictObject({
      subscriptions: z.array(subscriptionSchema).describe('One page, newest first.'),
      ...pageEcho,
    }),
  },
  csv: { list: 'subscriptions', columns: Object.keys(subscriptionSchema.shape) },
  example: {
    query: { status: 'active', limit: '20', start: '0' },
    answer: { status: 200, body: { subscriptions: [activeSubscription], limit: 20, start: 0, hasMore: false } },
  },
  handle: async ({ query, caller }, deps) => {
    const page = pageOf(query);
    const found = await findSubscriptions(deps, caller, { ...query, ...page });
    return answer(200, {
      subscriptions: found.items.map((doc) => subscriptionView(doc, deps.clock())),
      ...pageView(page, found),
    });
  },
});
