import { z } from 'zod';
import { checkPaymentRequest, type PaymentRequest } from '../../billing/payment-request.ts';
import { requestHash } from '../../billing/request-hash.ts';
import { createdAnswer } from '../created.ts';
import { endpoint, none } from '../endpoint.ts';
import { affiliateFields, affiliateOf } from '../input/affiliate.ts';
import { amount, idempotencyKey, metadata, text } from '../input/fields.ts';
import { createdPaymentSchema, createdPaymentView } from '../views/payment.ts';

const body = z.object({
  toWallet: text(100),
  amount,
  tokenKey: text(100),
  idempotencyKey,
  paymentMethod: z.enum(['wallet_connect', 'wallet_transfer']).nullish(),
  fromWallet: text(100).nullish(),
  customerId: text(100).nullish(),
  ...affiliateFields,
  metadata: metadata.nullish(),
  refundWallet: text(100).nullish(),
});

export const createPayment = endpoint({
  summary: 'Charge a wallet once',
  params: none,
  query: none,
  body,
  responses: { 201: createdPaymentSchema, 200: createdPaymentSchema },
  errors: [404, 409],
  handle: async (call, { services, catalog, chains }) => {
    const input = checkPaymentRequest({ catalog, chains }, call.caller, paymentRequest(call.body));
    return createdAnswer(await services.payments.create(call.caller, input), createdPaymentView);
  },
});

function paymentRequest(fields: z.output<typeof body>): PaymentRequest {
  return {
    toWallet: fields.toWallet,
    amount: fields.amount,
    tokenKey: fields.tokenKey,
    idempotencyKey: fields.idempotencyKey,
    paymentMethod: fields.paymentMethod ?? 'wallet_connect',
    fromWallet: fields.fromWallet ?? null,
    customerId: fields.customerId ?? null,
    affiliate: affiliateOf(fields),
    metadata: fields.metadata ?? {},
    refundWallet: fields.refundWallet ?? null,
    requestHash: requestHash(fields),
  };
}
