import { z } from 'zod';
import { listOwnPayments as findPayments, proveOwnPayment } from '../billing/portal/portal.ts';
import { proofSchema } from '../billing/proof/document.ts';
import { answer } from '../http/endpoint.ts';
import { oneOf, page, text } from '../http/input/fields.ts';
import { portalEndpoint } from './endpoint.ts';
import { paymentView } from './views.ts';
import { paymentsSchema } from './wire.ts';

export const listOwnPayments = portalEndpoint({
  summary: 'List what the payer has paid, the newest first',
  query: z.object({
    subscriptionId: text(100).optional(),
    source: oneOf(['one_time', 'subscription']).optional(),
    startingAfter: page.startingAfter,
  }),
  responses: { 200: paymentsSchema },
  handle: async ({ query, caller: { subject } }, deps) => {
    const { items, next } = await findPayments(deps, subject, query);
    return answer(200, { payments: items.map((own) => paymentView(own, deps.catalog)), next });
  },
});

export const getOwnProof = portalEndpoint({
  summary: 'Prove that a payment was charged; the same document as for the merchant',
  params: z.object({ paymentId: z.string() }),
  responses: { 200: proofSchema },
  handle: async ({ params: { paymentId }, caller: { subject } }, deps) => {
    return answer(200, await proveOwnPayment(deps, subject, paymentId));
  },
});
