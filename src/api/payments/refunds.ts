import { z } from 'zod';
import {
  cancelRefund as cancel,
  listRefunds as find,
  noteRefundSent as note,
  readRefund,
  requestRefund,
} from '../../billing/refunds/refunds.ts';
import { answer, createdAnswer, endpoint } from '../../http/endpoint.ts';
import { amount, idempotencyKey, text } from '../../http/input/fields.ts';
import { requestHash, sameDecimal } from '../../model/request-hash.ts';
import { filled } from '../openapi/examples/filled.ts';
import { ADDRESSES, IDS, MOMENTS, TOKEN } from '../openapi/examples/ids.ts';
import { refundListView, refundSchema, refundView, sendableRefundSchema, sendableRefundView } from '../views/refund.ts';
import { paymentParams } from './payments.ts';

/** Five dollars of the example's payment, which the merchant has not sent yet. */
const exampleRefund = filled(refundSchema, {
  id: IDS.refund,
  paymentId: IDS.payment,
  source: 'merchant',
  status: 'requested',
  amount: '5.00',
  ...TOKEN,
  toWallet: ADDRESSES.payer,
  reason: 'One item was out of stock',
  idempotencyKey: 'f0b7c1d2-5a64-4a3e-9a53-1b8f0d6c7e21',
  isSandbox: true,
  createdAt: MOMENTS.settled,
  expiresAt: '2026-01-22T09:31:16.910Z',
});

const sendableRefund: z.output<typeof sendableRefundSchema> = {
  ...exampleRefund,
  transactions: [
    {
      family: 'evm',
      purpose: 'refund',
      chainId: 8453,
      from: ADDRESSES.payout,
      to: ADDRESSES.operator,
      data: '0x9f3ce55a',
      value: '0',
    },
  ],
  balance: '1840.25',
};

const canceledRefund: typeof exampleRefund = { ...exampleRefund, status: 'failed', failureReason: 'canceled' };

const refundParams = paymentParams.extend({
  refundId: z.string().describe('The refund: `ref_…`.'),
});

const FROM_WALLET = 'The wallet of the merchant that is to send it. Default: `toWallet` of the payment.';

const body = z.object({
  amount: amount
    .nullish()
    .describe(
      'What the payer gets back, in token units: more than zero, and no more than is left. Default: all that is left.',
    ),
  reason: text(200).nullish().describe("The merchant's own note. It does not go to the chain."),
  fromWallet: text(100).nullish().describe(FROM_WALLET),
  idempotencyKey: idempotencyKey.describe(
    'Required. A repeat with the same key for this payment returns the refund of the first call, with fresh transactions.',
  ),
});

export const createRefund = endpoint({
  summary: 'Refund a settled payment',
  id: 'createRefund',
  description:
    'The money comes from the wallet of the merchant: the answer has the unsigned `transactions` for it, and the service watches ' +
    'the chain for their transfer. It goes to the wallet that has paid; of a `wallet_transfer` to its refund wallet. ' +
    'All refunds of a payment together are never more than was paid; fees are not returned. Emits `payment.refunded` (opt-in) when the transfer is final.',
  params: paymentParams,
  body,
  responses: { 201: sendableRefundSchema, 200: sendableRefundSchema },
  errors: [404, 409],
  notes: {
    201: 'The refund is requested, and its amount is set aside for seven days.',
    200: 'The `idempotencyKey` was used before for this payment: the original refund in its present state.',
    409:
      'The payment is not settled, less than `amount` is left, it is a `wallet_transfer` without a refund wallet, or the `fromWallet` of the call has too little (without it no balance is checked). ' +
      'The message names the highest possible amount, or the page on which the payer names the wallet.',
  },
  messages: {
    400: 'amount must be more than zero',
    409: 'amount must be at most 3.00 USDC: the refunds of a payment return no more than the 25.00 USDC paid',
  },
  example: {
    params: { paymentId: IDS.payment },
    body: { amount: '5.00', reason: 'One item was out of stock', idempotencyKey: exampleRefund.idempotencyKey ?? '' },
    answer: { status: 201, body: sendableRefund },
  },
  handle: async ({ params, body, caller }, deps) => {
    const { reason = null, fromWallet = null, idempotencyKey } = body;
    const wanted = body.amount ?? null;
    const meaning = { amount: wanted === null ? null : sameDecimal(wanted), reason };
    const request = { amount: wanted, reason, fromWallet, idempotencyKey, requestHash: requestHash(meaning) };
    const made = await requestRefund(deps, caller, params.paymentId, request, deps.config.publicUrl, 'api');
    return createdAnswer(made, (refund) => sendableRefundView(refund, deps.catalog));
  },
});

export const listRefunds = endpoint({
  summary: 'List the refunds of a payment, newest first',
  id: 'listRefunds',
  description:
    'At most 50 by the merchant. After them comes what the service has returned of deposits, with the `source` `deposit`.',
  params: paymentParams,
  responses: { 200: z.strictObject({ refunds: z.array(refundSchema).describe('All of them.') }) },
  errors: [404],
  example: { params: { paymentId: IDS.payment }, answer: { status: 200, body: { refunds: [exampleRefund] } } },
  handle: async ({ params, caller }, deps) =>
    answer(200, { refunds: refundListView(await find(deps, caller, params.paymentId), deps.catalog) }),
});

export const getRefund = endpoint({
  summary: 'Read a refund and its unsigned transactions',
  id: 'getRefund',
  description: 'While it is `requested`, the `transactions` are made anew for `fromWallet`, as of now.',
  params: refundParams,
  query: z.object({ fromWallet: text(100).optional().describe(FROM_WALLET) }),
  responses: { 200: sendableRefundSchema },
  errors: [404],
  example: {
    params: { paymentId: IDS.payment, refundId: IDS.refund },
    answer: { status: 200, body: sendableRefund },
  },
  handle: async ({ params, query, caller }, deps) =>
    answer(200, sendableRefundView(await readRefund(deps, caller, params, query.fromWallet ?? null), deps.catalog)),
});

export const cancelRefund = endpoint({
  summary: 'Give a requested refund up',
  id: 'cancelRefund',
  description:
    'Its amount can be refunded otherwise then. A transfer that was sent already counts all the same: send nothing after this call.',
  params: refundParams,
  responses: { 200: refundSchema },
  errors: [404, 409],
  notes: { 409: 'It is not `requested` any more.' },
  messages: { 409: 'Refund is settled; cancel needs requested' },
  example: {
    params: { paymentId: IDS.payment, refundId: IDS.refund },
    answer: { status: 200, body: canceledRefund },
  },
  handle: async ({ params, caller }, deps) => {
    return answer(200, refundView(await cancel(deps, caller, params, 'api'), deps.catalog));
  },
});

export const noteRefundSent = endpoint({
  summary: 'Say that a wallet has sent a requested refund',
  id: 'noteRefundSent',
  description:
    'Until a block has the transfer, the service cannot see it. After this call everybody who reads the refund knows, and nobody signs it twice. It settles nothing, and changes nothing once the refund is not `requested` any more.',
  params: refundParams,
  body: z.object({
    txHash: text(100).nullish().describe('The transaction, if the wallet names it: on Solana its signature.'),
  }),
  responses: { 200: refundSchema },
  errors: [404],
  example: {
    params: { paymentId: IDS.payment, refundId: IDS.refund },
    body: { txHash: null },
    answer: { status: 200, body: { ...exampleRefund, sentByWallet: { txHash: null, at: MOMENTS.settled } } },
  },
  handle: async ({ params, body, caller }, deps) =>
    answer(200, refundView(await note(deps, caller, params, body.txHash ?? null), deps.catalog)),
});
