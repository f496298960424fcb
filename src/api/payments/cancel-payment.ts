import { cancelPayment as cancel } from '../../billing/payments/payments.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { IDS } from '../openapi/examples/ids.ts';
import { canceledPayment } from '../openapi/examples/payment.ts';
import { paymentSchema, paymentView } from '../views/payment.ts';
import { paymentParams } from './fields.ts';

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
    answer(200, paymentView(await cancel(deps, caller, params.paymentId, 'api'), deps.catalog)),
});
