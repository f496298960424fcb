import type { z } from 'zod';
import { paymentSchema } from '../../views/payment.ts';
import { filled } from './filled.ts';
import { ADDRESSES, IDS, MOMENTS, TOKEN, TX_HASH } from './ids.ts';

type PaymentExample = z.output<typeof paymentSchema>;

/** A direct charge of 25.00 USDC, settled. */
export const examplePayment = filled(paymentSchema, {
  id: IDS.payment,
  merchantId: IDS.merchant,
  customerId: IDS.customer,
  source: 'one_time',
  attempts: 1,
  idempotencyKey: 'c2a1f9d4-7c3e-4b0a-8f57-3f0e6f4f9d21',
  paymentMethod: 'wallet_connect',
  fromWallet: ADDRESSES.payer,
  toWallet: ADDRESSES.payout,
  amount: '25.00',
  platformAmount: '0.25',
  merchantAmount: '24.75',
  ...TOKEN,
  pullTxHash: TX_HASH,
  forwardTxHash: TX_HASH,
  platformTransferTxHash: TX_HASH,
  status: 'settled',
  isSandbox: true,
  metadata: { order: '1001' },
  refundedAmount: '0.00',
  receiptUrl: `https://pay.example.com/receipts/${IDS.payment}/q1W7pOk0Zx9sT3vB5nLrYg`,
  createdAt: MOMENTS.created,
  updatedAt: MOMENTS.settled,
});

/** The same payment, canceled before a broadcast. */
export const canceledPayment: PaymentExample = {
  ...examplePayment,
  attempts: 0,
  pullTxHash: null,
  forwardTxHash: null,
  platformTransferTxHash: null,
  status: 'canceled',
  receiptUrl: null,
};

/** The first cycle of the example's subscription. */
export const cyclePayment: PaymentExample = {
  ...examplePayment,
  id: `pay_${IDS.cycle}`,
  source: 'subscription',
  subscriptionId: IDS.subscription,
  offerId: IDS.offer,
  priceId: IDS.monthly,
  periodStart: MOMENTS.firstCharge,
  periodEnd: MOMENTS.periodEnd,
  idempotencyKey: `cycle:${IDS.subscription}:1`,
  amount: '9.90',
  receiptUrl: `https://pay.example.com/receipts/pay_${IDS.cycle}/2HhC0yqk8mJ4aVfXeR6sTw`,
  platformAmount: '0.099',
  merchantAmount: '9.801',
  metadata: {},
  createdAt: MOMENTS.firstCharge,
};
