import { requirePayment } from '../../billing/payments/payments.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { IDS } from '../openapi/examples/ids.ts';
import { examplePayment } from '../openapi/examples/payment.ts';
import { paymentSchema, paymentView } from '../views/payment.ts';
import { paymentParams } from './fields.ts';

export const getPayment = endpoint({
  summary: 'Read a payment',
  id: 'getPayment',
  description: 'The deposit address is not repeated here; only POST /payments returns it.',
  params: paymentParams,
  responses: { 200: paymentSchema },
  errors: [404],
  example: { params: { paymentId: IDS.payment }, answer: { status: 200, body: examplePayment } },
  handle: async ({ params, caller }, deps) =>
    answer(200, paymentView(await requirePayment(deps, caller, params.paymentId), deps.catalog)),
});
