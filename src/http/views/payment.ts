import { z } from 'zod';
import { failureReason } from '../../../machines/effects.ts';
import { formatAmount } from '../../billing/amounts.ts';
import type { PaymentRecord } from '../../billing/services.ts';
import { computedAmount, idSchema, moment, momentOrNull, stringMap } from './shared.ts';

const fields = {
  id: idSchema('pay_'),
  merchantId: idSchema('mrc_'),
  customerId: z.string().nullable(),
  source: z.enum(['one_time', 'subscription']),
  subscriptionId: z.string().nullable(),
  offerId: z.string().nullable(),
  priceId: z.string().nullable(),
  periodStart: moment.nullable(),
  periodEnd: moment.nullable(),
  attempts: z.int(),
  nextAttemptAt: moment.nullable(),
  idempotencyKey: z.string().nullable(),
  paymentMethod: z.enum(['wallet_connect', 'wallet_transfer']),
  fromWallet: z.string().nullable(),
  toWallet: z.string().nullable(),
  amount: computedAmount,
  platformAmount: computedAmount,
  merchantAmount: computedAmount,
  tokenKey: z.string(),
  chainId: z.int(),
  pullTxHash: z.string().nullable(),
  forwardTxHash: z.string().nullable(),
  platformTransferTxHash: z.string().nullable(),
  distributeTxHash: z.string().nullable(),
  status: z.enum(['pending', 'pulled', 'settled', 'failed', 'canceled']),
  failureReason: failureReason.nullable(),
  isSandbox: z.boolean(),
  affiliatePartnerId: z.string().nullable(),
  affiliateCommissionPct: z.string().nullable(),
  metadata: stringMap,
  refundWallet: z.string().nullable(),
  createdAt: moment,
  updatedAt: moment,
};

/** Payment (reference, section 2), with what is additive: `nextAttemptAt`, `metadata`, `refundWallet`. */
export const paymentSchema = z.strictObject(fields);

/** As POST /payments answers: of a `wallet_transfer`, where to send the money and until when. */
export const createdPaymentSchema = z.strictObject({
  ...fields,
  depositAddress: z.string().optional(),
  depositExpiresAt: moment.optional(),
});

export function paymentView(payment: PaymentRecord): z.output<typeof paymentSchema> {
  const inTokens = (units: bigint): string => formatAmount(units, payment.decimals);
  return {
    id: payment.id,
    merchantId: payment.merchantId,
    customerId: payment.customerId,
    source: payment.source,
    subscriptionId: payment.subscriptionId,
    offerId: payment.offerId,
    priceId: payment.priceId,
    periodStart: momentOrNull(payment.periodStart),
    periodEnd: momentOrNull(payment.periodEnd),
    attempts: payment.attempts,
    nextAttemptAt: momentOrNull(payment.nextAttemptAt),
    idempotencyKey: payment.idempotencyKey,
    paymentMethod: payment.paymentMethod,
    fromWallet: payment.fromWallet,
    toWallet: payment.toWallet,
    amount: inTokens(payment.amount),
    platformAmount: inTokens(payment.platformAmount),
    merchantAmount: inTokens(payment.merchantAmount),
    tokenKey: payment.tokenKey,
    chainId: payment.chainId,
    pullTxHash: payment.pullTxHash,
    forwardTxHash: payment.forwardTxHash,
    platformTransferTxHash: payment.platformTransferTxHash,
    distributeTxHash: payment.distributeTxHash,
    status: payment.status,
    failureReason: payment.failureReason,
    isSandbox: payment.mode === 'test',
    affiliatePartnerId: payment.affiliate?.partnerId ?? null,
    affiliateCommissionPct: payment.affiliate?.commissionPct ?? null,
    metadata: { ...payment.metadata },
    refundWallet: payment.refundWallet,
    createdAt: payment.createdAt.toISOString(),
    updatedAt: payment.updatedAt.toISOString(),
  };
}

/** With `depositAddress` and `depositExpiresAt` while a `wallet_transfer` is pending; without them otherwise. */
export function createdPaymentView(payment: PaymentRecord): z.output<typeof createdPaymentSchema> {
  const { deposit, status } = payment;
  if (deposit === null || status !== 'pending') return paymentView(payment);
  return {
    ...paymentView(payment),
    depositAddress: deposit.address,
    depositExpiresAt: deposit.expiresAt.toISOString(),
  };
}
