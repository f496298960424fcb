import { z } from 'zod';
import { answer, endpoint, none } from '../endpoint.ts';
import { page } from '../input/fields.ts';
import { paymentSchema, paymentView } from '../views/payment.ts';
import { pageEcho } from '../views/shared.ts';

export const listPayments = endpoint({
  summary: 'List payments, newest first',
  params: none,
  query: z.object({
    status: z.enum(['pending', 'pulled', 'settled', 'failed', 'canceled']).optional(),
    source: z.enum(['one_time', 'subscription']).optional(),
    customerId: z.string().optional(),
    subscriptionId: z.string().optional(),
    offerId: z.string().optional(),
    ...page,
  }),
  body: none,
  responses: { 200: z.strictObject({ payments: z.array(paymentSchema), ...pageEcho }) },
  errors: [],
  handle: async ({ query, caller }, { services }) => {
    const { limit, start } = query;
    const payments = await services.payments.list(caller, {
      status: query.status ?? null,
      source: query.source ?? null,
      customerId: query.customerId ?? null,
      subscriptionId: query.subscriptionId ?? null,
      offerId: query.offerId ?? null,
      limit,
      start,
    });
    return answer(200, { payments: payments.map(paymentView), limit, start });
  },
});
