import { answer, endpoint, none } from '../endpoint.ts';
import { paymentSchema, paymentView } from '../views/payment.ts';
import { paymentParams } from './fields.ts';

export const getPayment = endpoint({
  summary: 'Read a payment',
  params: paymentParams,
  query: none,
  body: none,
  responses: { 200: paymentSchema },
  errors: [404],
  handle: async ({ params, caller }, { services }) =>
    answer(200, paymentView(await services.payments.get(caller, params.paymentId))),
});
