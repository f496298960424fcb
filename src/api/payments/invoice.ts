import { z } from 'zod';
import { requirePayment } from '../../billing/payments/payments.ts';
import { requireInvoice } from '../../billing/receipts/invoices.ts';
import type { HttpDeps } from '../../http/deps.ts';
import { answer, type Caller, endpoint } from '../../http/endpoint.ts';
import { IDS } from '../openapi/examples/ids.ts';
import { exampleInvoice } from '../openapi/examples/invoice.ts';
import { invoiceView, paymentInvoiceSchema } from '../views/invoice.ts';
import { paymentParams } from './payments.ts';

export const getInvoice = endpoint({
  summary: 'Read the invoice of a payment with its credit notes, as JSON or PDF',
  id: 'getInvoice',
  description:
    'It is issued when the block of the charge is finalized, once, and never changes; each refund has a credit note. ' +
    'The settings of invoices are in the dashboard. There is no list: `GET /settlements` names the number of each payment.',
  params: paymentParams,
  query: z.object({
    lang: z
      .string()
      .max(35)
      .optional()
      .describe('The language of the PDF, such as `de`; default: that of the customer.'),
  }),
  responses: { 200: paymentInvoiceSchema },
  errors: [404],
  notes: { 404: 'There is no such payment, or it has no invoice yet; the message says why.' },
  messages: {
    404: 'This payment has no invoice: the payment is pulled, and an invoice needs settled',
  },
  example: { params: { paymentId: IDS.payment }, answer: { status: 200, body: exampleInvoice } },
  handle: async ({ params, caller }, deps) =>
    answer(200, invoiceView(await found(deps, caller, params.paymentId), deps.catalog)),
  pdf: async ({ params, query, caller }, deps) =>
    deps.invoicePdf(await found(deps, caller, params.paymentId), query.lang ?? null),
});

async function found(deps: HttpDeps, caller: Caller, paymentId: string) {
  const payment = await requirePayment(deps, caller, paymentId);
  return requireInvoice(deps.store, caller.merchant, payment);
}
