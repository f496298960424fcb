import { z } from 'zod';
import {
  cancelPayment as cancel,
  listPayments as findPayments,
  requirePayment,
  totalPayments,
} from '../../billing/payments/payments.ts';
import { proofSchema } from '../../billing/proof/document.ts';
import { proofOf } from '../../billing/proof/proofs.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { created, metadataSought, page, pageOf, totalsWanted } from '../../http/input/fields.ts';
import { pageEcho, pageView, paymentStatus, paymentTotalsSchema } from '../../http/schemas.ts';
import { IDS } from '../openapi/examples/ids.ts';
import { canceledPayment, cyclePayment, examplePayment } from '../openapi/examples/payment.ts';
import { exampleProof } from '../openapi/examples/proof.ts';
import { paymentSchema, paymentSource, paymentViews } from '../views/payment.ts';

/** `{paymentId}` in a path: `pay_…`, `inv_…` or `sub-pay-…` (docs/rules.md, "Names, roots, shapes"). */
export const paymentParams = z.object({
  paymentId: z.string().describe('The payment: `pay_…`; for a cycle also `inv_…` or `sub-pay-…`.'),
});

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
    totals: totalsWanted,
    ...page,
  }),
  responses: {
    200: z.strictObject({
      payments: z.array(paymentSchema).describe('One page, newest first.'),
      ...pageEcho,
      totals: paymentTotalsSchema,
    }),
  },
  csv: { list: 'payments', columns: Object.keys(paymentSchema.shape) },
  example: {
    query: { source: 'subscription', subscriptionId: IDS.subscription, limit: '20', start: '0' },
    answer: { status: 200, body: { payments: [cyclePayment], limit: 20, start: 0, hasMore: false } },
  },
  handle: async ({ query, caller }, deps) => {
    const page = pageOf(query);
    const found = await findPayments(deps, caller, { ...query, ...page });
    const totals = query.totals ? await totalPayments(deps, caller, query) : null;
    return answer(200, {
      payments: found.items.map(await paymentViews(deps)),
      ...pageView(page, found),
      ...(totals === null ? {} : { totals: { ...totals, sums: [...totals.sums] } }),
    });
  },
});

export const getPayment = endpoint({
  summary: 'Read a payment',
  id: 'getPayment',
  description: 'The deposit address is not repeated here; only POST /payments returns it.',
  params: paymentParams,
  responses: { 200: paymentSchema },
  errors: [404],
  example: { params: { paymentId: IDS.payment }, answer: { status: 200, body: examplePayment } },
  handle: async ({ params, caller }, deps) =>
    answer(200, (await paymentViews(deps))(await requirePayment(deps, caller, params.paymentId))),
});

export const getPaymentProof = endpoint({
  summary: 'Prove that a payment was charged',
  id: 'getPaymentProof',
  description:
    'The agreement and the charge on the chain, signed. The body is canonical JSON (RFC 8785): keep its bytes ' +
    'unchanged. `tideline verify-proof FILE --rpc URL` checks them against any node of the chain, without the service. The keys ' +
    'are published at `/.well-known/jwks.json`.',
  notes: {
    409: 'The payment is not settled, no block contains its transaction at the moment, or the service has no signing key.',
  },
  messages: { 409: 'Payment is pulled; a proof needs settled' },
  params: paymentParams,
  responses: { 200: proofSchema },
  errors: [404, 409],
  example: { params: { paymentId: IDS.payment }, answer: { status: 200, body: exampleProof } },
  handle: async ({ params, caller }, deps) => answer(200, await proofOf(deps, caller, params.paymentId)),
});

export const cancelPayment = endpoint({
  summary: 'Cancel a payment whose charge has not been started',
  id: 'cancelPayment',
  description: 'Possible only before the charge is broadcast. Emits `payment.canceled`.',
  params: paymentParams,
  responses: { 200: paymentSchema },
  errors: [404, 409],
  notes: {
    409: 'It is not pending, its charge has been started, or it is a cycle: then cancel the subscription.',
  },
  messages: { 409: 'Payment is settled; cancel needs pending with no charge started' },
  example: { params: { paymentId: IDS.payment }, answer: { status: 200, body: canceledPayment } },
  handle: async ({ params, caller }, deps) =>
    answer(200, (await paymentViews(deps))(await cancel(deps, caller, params.paymentId, 'api'))),
});
