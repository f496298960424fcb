import { z } from 'zod';
import { listPayments as findPayments } from '../../billing/payments/payments.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { created, metadataSought, page, pageOf } from '../../http/input/fields.ts';
import { pageEcho, pageView, paymentStatus } from '../../http/schemas.ts';
import { IDS } from '../openapi/examples/ids.ts';
import { cyclePayment } from '../openapi/examples/payment.ts';
import { paymentSchema, paymentSource, paymentView } from '../views/payment.ts';

export const listPayments = endpoint({
  summary: 'List payments, newest first',
  id: 'listPayments',
  description: 'Direct charges, one-time checkouts, and attempted cycles of subscriptions.',
  query: z.object({
    status: paymentStatus.optional().describe('Only those with this status.'),
    source: paymentSource.optional().describe('`one_time` or `subscription`; default: both.'),
    customerId: z.string().optional().describe('Only those of this customer.'),
    subscriptionId: z.string().optional().describe('Only the cycles of this subscription.'),
    offerId: z.string().optional().describe('Only payments for this offer.'),
    metadata: metadataSought,
    created,
    ...page,
  }),
  responses: {
    200: z.strictObject({ payments: z.array(paymentSchema).describe('One page, newest first.'), ...pageEcho }),
  },
  csv: { list: 'payments', columns: Object.keys(paymentSchema.shape) },
  example: {
    query: { source: 'subscription', subscriptionId: IDS.subscription, limit: '20', start: '0' },
    answer: { status: 200, body: { payments: [cyclePayment], limit: 20, start: 0, hasMore: false } },
  },
  handle: async ({ query, caller }, deps) => {
    const page = pageOf(query);
    const found = await findPayments(deps, caller, { ...query, ...page });
    return answer(200, {
      payments: found.items.map((doc) => paymentView(doc, deps.catalog)),
      ...pageView(page, found),
    });
  },
});
