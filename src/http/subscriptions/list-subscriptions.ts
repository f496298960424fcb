import { z } from 'zod';
import { answer, endpoint, none } from '../endpoint.ts';
import { page } from '../input/fields.ts';
import { pageEcho } from '../views/shared.ts';
import { subscriptionSchema, subscriptionView } from '../views/subscription.ts';
import { subscriptionStatus } from './fields.ts';

export const listSubscriptions = endpoint({
  summary: 'List subscriptions, newest first',
  params: none,
  query: z.object({
    status: subscriptionStatus.optional(),
    customerId: z.string().optional(),
    offerId: z.string().optional(),
    ...page,
  }),
  body: none,
  responses: { 200: z.strictObject({ subscriptions: z.array(subscriptionSchema), ...pageEcho }) },
  errors: [],
  handle: async ({ query, caller }, { services }) => {
    const { status = null, customerId = null, offerId = null, limit, start } = query;
    const found = await services.subscriptions.list(caller, { status, customerId, offerId, limit, start });
    return answer(200, { subscriptions: found.map(subscriptionView), limit, start });
  },
});
