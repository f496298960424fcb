import type { z } from 'zod';
import type { refundSchema, sendableRefundSchema } from '../../views/refund.ts';
import { ADDRESSES, IDS, MOMENTS, TOKEN } from './ids.ts';

/** Five dollars of the example's payment, which the merchant has not sent yet. */
export const exampleRefund: z.output<typeof refundSchema> = {
  id: IDS.refund,
  paymentId: IDS.payment,
  source: 'merchant',
  status: 'requested',
  amount: '5.00',
  ...TOKEN,
  toWallet: ADDRESSES.payer,
  reason: 'One item was out of stock',
  failureReason: null,
  txHash: null,
  sentByWallet: null,
  idempotencyKey: 'f0b7c1d2-5a64-4a3e-9a53-1b8f0d6c7e21',
  isSandbox: true,
  createdAt: MOMENTS.settled,
  expiresAt: '2026-01-22T09:31:16.910Z',
  settledAt: null,
};

export const sendableRefund: z.output<typeof sendableRefundSchema> = {
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

export const canceledRefund: z.output<typeof refundSchema> = {
  ...exampleRefund,
  status: 'failed',
  failureReason: 'canceled',
};
