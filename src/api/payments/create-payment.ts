import { z } from 'zod';
import type { Customers } from '../../billing/customers/customers.ts';
import { checkPaymentRequest, type PaymentRequest } from '../../billing/payments/payment-request.ts';
import { requestHash, sameAddress, sameAffiliate, sameDecimal } from '../../billing/request-hash.ts';
import { createdAnswer } from '../../http/created.ts';
import { endpoint, none } from '../../http/endpoint.ts';
import { amount, idempotencyKey, metadata, text } from '../../http/input/fields.ts';
import type { CustomerDoc } from '../../store/collections.ts';
import type { Tenant } from '../../store/tenant.ts';
import { affiliateFields, affiliateOf } from '../affiliate.ts';
import { ADDRESSES, IDS, TOKEN } from '../openapi/examples/ids.ts';
import { examplePayment } from '../openapi/examples/payment.ts';
import { createdPaymentSchema, createdPaymentView, paymentMethod } from '../views/payment.ts';

const body = z.object({
  toWallet: text(100).describe(
    "Who is paid: an address on the token's chain; not zero, no token, not the operator, not `fromWallet`; on Solana a wallet, no token account or program.",
  ),
  amount: amount.describe(
    'What the payer pays, in token units: more than zero, with no more decimals than the token has.',
  ),
  tokenKey: text(100).describe('In what. Its chain must be enabled; a live key takes mainnet tokens only.'),
  idempotencyKey: idempotencyKey.describe(
    'Required: a repeat with the same key answers with the payment of the first call. Never charges twice.',
  ),
  paymentMethod: paymentMethod
    .nullish()
    .describe('`wallet_connect` (the default) pulls from `fromWallet`; `wallet_transfer` gives an address to send to.'),
  fromWallet: text(100)
    .nullish()
    .describe(
      'Who is charged: a wallet that has approved the operator, and can sign; on Solana no token account, mint, program or address off the curve. For `wallet_connect` required without `customerId`, and else by default the wallet that this customer has of the token’s family; absent for `wallet_transfer`.',
    ),
  customerId: text(100).nullish().describe('The customer, where there is one.'),
  ...affiliateFields,
  metadata: metadata.nullish().describe("The merchant's own notes: string to string. At most 16 KB of JSON."),
  refundWallet: text(100)
    .nullish()
    .describe("Where a deposit that is not used is sent back to: an address on the token's chain."),
});

export const createPayment = endpoint({
  summary: 'Charge a wallet once',
  id: 'createPayment',
  description:
    'Pulls `amount` from `fromWallet`, which must have approved the operator of this merchant (GET /currencies), takes the fee, and pays `toWallet`. Answers with the outcome; what is not known after 25 seconds is answered as `pending` or `pulled`, and its end comes as an event. A `wallet_transfer` is answered at once, with the address to send to.',
  params: none,
  query: none,
  body,
  responses: { 201: createdPaymentSchema, 200: createdPaymentSchema },
  errors: [404, 409],
  notes: {
    201: 'Made, whether it has settled or failed: check `status`.',
    200: 'The `idempotencyKey` was used before: the original payment, as it is now. Nothing is charged again.',
    404: 'There is no such customer.',
    409: 'Another merchant has used this `idempotencyKey`.',
  },
  messages: { 400: 'fromWallet is required', 409: 'idempotencyKey already used' },
  example: {
    body: {
      fromWallet: ADDRESSES.payer,
      toWallet: ADDRESSES.payout,
      amount: '25.00',
      tokenKey: TOKEN.tokenKey,
      customerId: IDS.customer,
      metadata: { order: '1001' },
      idempotencyKey: 'c2a1f9d4-7c3e-4b0a-8f57-3f0e6f4f9d21',
    },
    answer: { status: 201, body: examplePayment },
  },
  handle: async (call, { services, catalog, chains }) => {
    const { payments } = services;
    const request = paymentRequest(call.body);
    const earlier = await payments.earlier(call.caller, request);
    if (earlier !== null) return createdAnswer(earlier, createdPaymentView);
    const customer = await customerToCharge(services.customers, call.caller, request);
    const input = await checkPaymentRequest({ catalog, chains }, call.caller, request, customer);
    return createdAnswer(await payments.create(call.caller, input), createdPaymentView);
  },
});

/** The customer whose wallet is charged; null: the request names the payer itself. Throws 404. */
async function customerToCharge(
  customers: Pick<Customers, 'get'>,
  caller: Tenant,
  { customerId, fromWallet, paymentMethod }: PaymentRequest,
): Promise<CustomerDoc | null> {
  if (customerId === null || fromWallet !== null || paymentMethod !== 'wallet_connect') return null;
  return customers.get(caller, customerId);
}

function paymentRequest(fields: z.output<typeof body>): PaymentRequest {
  const request = {
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
  };
  const meaning = {
    ...request,
    amount: sameDecimal(request.amount),
    toWallet: sameAddress(request.toWallet),
    fromWallet: sameAddress(request.fromWallet),
    refundWallet: sameAddress(request.refundWallet),
    affiliate: sameAffiliate(request.affiliate),
  };
  return { ...request, requestHash: requestHash(meaning) };
}
