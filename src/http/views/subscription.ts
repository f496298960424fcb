import { z } from 'zod';
import { failureReason } from '../../../machines/effects.ts';
import { formatAmount } from '../../billing/amounts.ts';
import type { PaymentRecord, SubscriptionRecord } from '../../billing/services.ts';
import { suffixOf } from '../../ids.ts';
import { computedAmount, idSchema, jsonMap, moment, momentOrNull } from './shared.ts';

const status = z.enum(['pending', 'active', 'past_due', 'canceled']);
const customVariables = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

/**
 * Subscription (reference, section 2), with what is additive: `tokenKey`, `payerWallet`, `authorizationUrl`,
 * `cancelAt`, `trialEnd`, `pendingOfferPriceId`.
 */
export const subscriptionSchema = z.strictObject({
  id: idSchema('sub_'),
  merchantId: idSchema('mrc_'),
  offerId: idSchema('offer_'),
  offerPriceId: idSchema('price_'),
  offerName: z.string(),
  priceAmount: z.string(),
  priceCurrency: z.string(),
  customerId: idSchema('cust_'),
  chainId: z.int(),
  status,
  currentPeriodEnd: moment.nullable(),
  allowanceConfirmed: z.boolean(),
  cyclesCompleted: z.int(),
  consecutiveFailures: z.int(),
  customVariables,
  afterCompletion: jsonMap,
  isSandbox: z.boolean(),
  idempotencyKey: z.string().nullable(),
  affiliatePartnerId: z.string().nullable(),
  affiliateCommissionPct: z.string().nullable(),
  createdAt: moment,
  updatedAt: moment,
  tokenKey: z.string(),
  payerWallet: z.string().nullable(),
  authorizationUrl: z.string().nullable(),
  cancelAt: moment.nullable(),
  trialEnd: moment.nullable(),
  pendingOfferPriceId: z.string().nullable(),
});

export function subscriptionView(subscription: SubscriptionRecord): z.output<typeof subscriptionSchema> {
  return {
    id: subscription.id,
    merchantId: subscription.merchantId,
    offerId: subscription.offerId,
    offerPriceId: subscription.offerPriceId,
    offerName: subscription.offerName,
    priceAmount: subscription.priceAmount,
    priceCurrency: subscription.priceCurrency,
    customerId: subscription.customerId,
    chainId: subscription.chainId,
    status: subscription.status,
    currentPeriodEnd: momentOrNull(subscription.currentPeriodEnd),
    allowanceConfirmed: subscription.allowanceConfirmed,
    cyclesCompleted: subscription.cyclesCompleted,
    consecutiveFailures: subscription.consecutiveFailures,
    customVariables: { ...subscription.customVariables },
    afterCompletion: subscription.afterCompletion,
    isSandbox: subscription.mode === 'test',
    idempotencyKey: subscription.idempotencyKey,
    affiliatePartnerId: subscription.affiliate?.partnerId ?? null,
    affiliateCommissionPct: subscription.affiliate?.commissionPct ?? null,
    createdAt: subscription.createdAt.toISOString(),
    updatedAt: subscription.updatedAt.toISOString(),
    tokenKey: subscription.tokenKey,
    payerWallet: subscription.payerWallet,
    authorizationUrl: subscription.authorizationUrl,
    cancelAt: momentOrNull(subscription.cancelAt),
    trialEnd: momentOrNull(subscription.trialEnd),
    pendingOfferPriceId: subscription.pendingOfferPriceId,
  };
}

const invoice = z.strictObject({
  id: idSchema('inv_'),
  subscriptionId: idSchema('sub_'),
  merchantId: idSchema('mrc_'),
  idempotencyKey: z.string().nullable(),
  grossAmount: computedAmount,
  platformAmount: computedAmount,
  merchantAmount: computedAmount,
  tokenKey: z.string(),
  chainId: z.int(),
  pullTxHash: z.string().nullable(),
  merchantTransferTxHash: z.string().nullable(),
  platformTransferTxHash: z.string().nullable(),
  distributeTxHash: z.string().nullable(),
  status: z.enum(['pending', 'pulled', 'settled', 'failed', 'canceled']),
  failureReason: failureReason.nullable(),
  isSandbox: z.boolean(),
  createdAt: moment,
  updatedAt: moment,
});

/** The status view of GET /subscriptions/{subscriptionId}; `lastInvoice` is null before the first attempt. */
export const subscriptionStatusSchema = z.strictObject({
  id: idSchema('sub_'),
  status,
  currentPeriodEnd: moment.nullable(),
  allowanceConfirmed: z.boolean(),
  customerId: idSchema('cust_'),
  cyclesCompleted: z.int(),
  consecutiveFailures: z.int(),
  customVariables,
  lastInvoice: invoice.nullable(),
});

export function subscriptionStatusView(
  subscription: SubscriptionRecord,
  lastPayment: PaymentRecord | null,
): z.output<typeof subscriptionStatusSchema> {
  return {
    id: subscription.id,
    status: subscription.status,
    currentPeriodEnd: momentOrNull(subscription.currentPeriodEnd),
    allowanceConfirmed: subscription.allowanceConfirmed,
    customerId: subscription.customerId,
    cyclesCompleted: subscription.cyclesCompleted,
    consecutiveFailures: subscription.consecutiveFailures,
    customVariables: { ...subscription.customVariables },
    lastInvoice: lastPayment === null ? null : invoiceView(subscription, lastPayment),
  };
}

/** A cycle's payment under its second name (decisions, "Names"): the same document, the same suffix. */
function invoiceView(subscription: SubscriptionRecord, payment: PaymentRecord): z.output<typeof invoice> {
  const inTokens = (units: bigint): string => formatAmount(units, payment.decimals);
  return {
    id: `inv_${suffixOf(payment.id)}`,
    subscriptionId: subscription.id,
    merchantId: payment.merchantId,
    idempotencyKey: payment.idempotencyKey,
    grossAmount: inTokens(payment.amount),
    platformAmount: inTokens(payment.platformAmount),
    merchantAmount: inTokens(payment.merchantAmount),
    tokenKey: payment.tokenKey,
    chainId: payment.chainId,
    pullTxHash: payment.pullTxHash,
    merchantTransferTxHash: payment.forwardTxHash,
    platformTransferTxHash: payment.platformTransferTxHash,
    distributeTxHash: payment.distributeTxHash,
    status: payment.status,
    failureReason: payment.failureReason,
    isSandbox: payment.mode === 'test',
    createdAt: payment.createdAt.toISOString(),
    updatedAt: payment.updatedAt.toISOString(),
  };
}
