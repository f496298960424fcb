import { z } from 'zod';
import { requireCustomer } from '../../billing/customers/customers.ts';
import { checkPaymentRequest, type PaymentRequest } from '../../billing/payments/payment-request.ts';
import {
  cancelPayment as cancel,
  createPayment as charge,
  earlierPayment,
  listPayments as findPayments,
  requirePayment,
  totalPayments,
} from '../../billing/payments/payments.ts';
import { proofSchema } from '../../billing/proof/document.ts';
import { proofOf } from '../../billing/proof/proofs.ts';
import type { HttpDeps } from '../../http/deps.ts';
import { answer, createdAnswer, endpoint } from '../../http/endpoint.ts';
import {
  amount,
  created,
  idempotencyKey,
  metadata,
  metadataSought,
  page,
  pageOf,
  text,
  totalsWanted,
} from '../../http/input/fields.ts';
import { pageEcho, pageView, paymentStatus, paymentTotalsSchema } from '../../http/schemas.ts';
import { orNull, pick } from '../../model/pick.ts';
import { requestHash, sameAddress, sameAffiliate, sameDecimal } from '../../model/request-hash.ts';
import type { CustomerDoc } from '../../store/collections.ts';
import type { ActorDoc, Tenant } from '../../store/documents.ts';
import { affiliateFields, affiliateOf } from '../affiliate.ts';
import { ADDRESSES, IDS, TOKEN } from '../openapi/examples/ids.ts';
import { canceledPayment, cyclePayment, examplePayment } from '../openapi/examples/payment.ts';
import { exampleProof } from '../openapi/examples/proof.ts';
import {
  createdPaymentSchema,
  createdPaymentView,
  paymentMethod,
  paymentSchema,
  paymentSource,
  paymentViews,
} from '../views/payment.ts';

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

const body = z.object({
  toWallet: text(100).describe(
    "The address to pay, on the token's chain; not zero, no token, not the operator, not `fromWallet`; on Solana a wallet, no token account or program, and for a live key with an account for the token.",
  ),
  amount: amount.describe(
    'The amount that the payer pays, in token units: more than zero, with no more decimals than the token has; on a mainnet at least the least amount of the chain, which is 1.00 on Ethereum and 0.10 elsewhere unless the operator has set another.',
  ),
  tokenKey: text(100).describe('The token. Its chain must be enabled; a live key takes mainnet tokens only.'),
  idempotencyKey: idempotencyKey.describe(
    'Required. A repeat with the same key returns the payment of the first call and never charges twice.',
  ),
  paymentMethod: paymentMethod
    .nullish()
    .describe(
      '`wallet_connect` (the default) pulls from `fromWallet`; `wallet_transfer` returns an address to which the payer sends the amount.',
    ),
  fromWallet: text(100)
    .nullish()
    .describe(
      'The wallet to charge. It has approved the operator, and can sign; on Solana no token account, mint, program or address off the curve. For `wallet_connect` without `customerId` it is required; with `customerId` the default is the customer’s wallet of the token’s family. Absent for `wallet_transfer`.',
    ),
  customerId: text(100).nullish().describe('The customer, if any.'),
  ...affiliateFields,
  metadata: metadata.nullish().describe("The merchant's own notes: string to string. At most 16 KB of JSON."),
  refundWallet: text(100)
    .nullish()
    .describe(
      "The receiver of money that a deposit does not use: an address on the token's chain, as for `toWallet`. Without it such money is held, and never returned to its sender.",
    ),
});

export const createPayment = endpoint({
  summary: 'Charge a wallet once',
  id: 'createPayment',
  description:
    'Pulls `amount` from `fromWallet`, which must have approved the operator of this merchant (GET /currencies), takes the fee, and pays `toWallet`. That approval is consent to whatever this merchant charges; what a payer has signed and approved at the checkout is out of its reach. Answers with the outcome. If the outcome is unknown after 25 seconds, the answer is `pending` or `pulled`, and an event reports the end. A `wallet_transfer` is answered immediately, with the deposit address.',
  body,
  responses: { 201: createdPaymentSchema, 200: createdPaymentSchema },
  errors: [404, 409],
  notes: {
    201: 'The payment exists; `status` shows whether it has settled or failed.',
    200: 'The `idempotencyKey` was used before: the original payment in its present state. Nothing is charged again.',
    404: 'The customer does not exist.',
    400: 'Not valid: a field breaks its rule, or `amount` is below the least amount of the chain.',
    409: 'Another merchant has used this `idempotencyKey`.',
    429: 'A limit of this endpoint is exceeded, or the budget of a day for payments from or to new wallets. Nothing is charged.',
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
  handle: async (call, deps) => {
    const viewOf = await paymentViews(deps);
    const view = (doc: ActorDoc) => createdPaymentView(doc, viewOf);
    const request = paymentRequest(call.body);
    const earlier = await earlierPayment(deps, call.caller, request);
    if (earlier !== null) return createdAnswer(earlier, view);
    const customer = await customerToCharge(deps, call.caller, request);
    const input = await checkPaymentRequest(deps, call.caller, request, customer);
    return createdAnswer(await charge(deps, call.caller, input), view);
  },
});

/** The customer whose wallet is charged; null: the request names the payer itself. Throws 404. */
async function customerToCharge(
  { store }: HttpDeps,
  caller: Tenant,
  { customerId, fromWallet, paymentMethod }: PaymentRequest,
): Promise<CustomerDoc | null> {
  if (customerId === null || fromWallet !== null || paymentMethod !== 'wallet_connect') return null;
  return requireCustomer(store, caller, customerId);
}

function paymentRequest(fields: z.output<typeof body>): PaymentRequest {
  const request = {
    ...pick(fields, 'toWallet', 'amount', 'tokenKey', 'idempotencyKey'),
    ...orNull(fields, 'fromWallet', 'customerId', 'refundWallet'),
    paymentMethod: fields.paymentMethod ?? 'wallet_connect',
    affiliate: affiliateOf(fields),
    metadata: fields.metadata ?? {},
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
