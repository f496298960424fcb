import { z } from 'zod';
import { failureReason, moment } from '../../../machines/effects.ts';
import type { MigrationRecord, PaymentRecord, SubscriptionRecord } from '../../billing/services.ts';
import { authorizationUrlOf } from '../../billing/subscriptions/authorizations.ts';
import {
  blockedReasonField,
  computedAmount,
  createdAt,
  idSchema,
  isSandbox,
  jsonMap,
  merchantId,
  momentOrNull,
  paymentStatus,
  storedKey,
  subscriptionStatus,
  updatedAt,
} from '../../http/schemas.ts';
import { formatAmount } from '../../model/amounts.ts';
import { suffixOf } from '../../store/ids.ts';

const customVariables = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

const tokenKey = z.string().describe('The token of the charges.');
const payerWallet = z
  .string()
  .nullable()
  .describe('The wallet that is billed; `null` until one is linked. Only a new authorization changes it.');
const cancelAt = moment.nullable().describe('When a scheduled cancel takes effect; `null` when there is none.');
const trialEnd = moment.nullable().describe('When the trial ends or ended; `null` without one.');
const pendingOfferPriceId = idSchema('price_')
  .nullable()
  .describe('The pricing option of an open migration; `null` once it has taken effect or was abandoned.');

/**
 * Subscription (reference, section 2), with additive fields: `tokenKey`, `payerWallet`, `authorizationUrl`, `cancelAt`,
 * `trialEnd`, `pendingOfferPriceId`, `blockedReason`. Only the answer of POST /subscriptions has `authorizationUrl`: the
 * service stores a hash of its token, so no later read can show it.
 */
export const subscriptionSchema = z.strictObject({
  id: idSchema('sub_').describe('The subscription.'),
  merchantId,
  offerId: idSchema('offer_').describe('The offer.'),
  offerPriceId: idSchema('price_').describe('The billed pricing option.'),
  offerName: z.string().describe('The name of the offer when the customer subscribed.'),
  priceAmount: z.string().describe('The price of the option, in `priceCurrency`.'),
  priceCurrency: z.string().describe('The currency of `priceAmount`.'),
  customerId: idSchema('cust_').describe('The payer.'),
  chainId: z.int().describe('The chain of `tokenKey`.'),
  status: subscriptionStatus.describe(
    '`pending` until the first charge settles; `past_due` after a failed renewal; `canceled` is final.',
  ),
  currentPeriodEnd: moment
    .nullable()
    .describe('The end of the paid period or of the trial; `null` before the first charge.'),
  allowanceConfirmed: z
    .boolean()
    .describe(
      "`true` if the allowance on chain covers the next charge after the charges of the wallet's earlier live subscriptions. " +
        'It follows charges and approvals within seconds.',
    ),
  cyclesCompleted: z.int().describe('The number of paid cycles.'),
  consecutiveFailures: z.int().describe('The number of failed attempts since the last settled one.'),
  customVariables: customVariables.describe("The merchant's own data, and the only field that can be changed."),
  afterCompletion: jsonMap.describe('Copied from the offer.'),
  isSandbox,
  idempotencyKey: storedKey,
  affiliatePartnerId: z.string().nullable().describe('As sent; copied to the payment of each cycle.'),
  affiliateCommissionPct: z.string().nullable().describe('As sent, a decimal string; it moves no money.'),
  createdAt,
  updatedAt,
  tokenKey,
  payerWallet,
  authorizationUrl: z
    .url()
    .nullable()
    .describe(
      'The page where the payer authorizes; valid for 30 days. Only POST /subscriptions returns it, also for a replay, while the subscription is pending. Later reads return `null`, because the service keeps only a hash of its token.',
    ),
  cancelAt,
  trialEnd,
  pendingOfferPriceId,
  blockedReason: blockedReasonField,
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
    authorizationUrl: null,
    cancelAt: momentOrNull(subscription.cancelAt),
    trialEnd: momentOrNull(subscription.trialEnd),
    pendingOfferPriceId: subscription.pendingOfferPriceId,
    blockedReason: subscription.blockedReason,
  };
}

/** The answer of POST /subscriptions, with the link at which the payer authorizes. */
export function createdSubscriptionView(
  subscription: SubscriptionRecord,
  publicUrl: string,
): z.output<typeof subscriptionSchema> {
  const { authorizationToken: token } = subscription;
  const authorizationUrl = token === null ? null : authorizationUrlOf(token, publicUrl);
  return { ...subscriptionView(subscription), authorizationUrl };
}

/**
 * The answer of POST /subscriptions/{subscriptionId}/migrate (reference, section 4); all three prices are the requested one.
 */
export const migrationSchema = z.strictObject({
  id: idSchema('sub_').describe('The subscription.'),
  status: z.literal('pending_authorization').describe('The intent is recorded; nothing has changed yet.'),
  priceId: idSchema('price_').describe('The requested pricing option.'),
  pendingOfferPriceId: idSchema('price_').describe('The same.'),
  pendingPriceId: idSchema('price_').describe('The same.'),
  authorizationUrl: z
    .url()
    .describe(
      'The page where the payer authorizes the new terms; valid for 30 days, or until another migration replaces this one.',
    ),
});

export function migrationView(
  { id, priceId, authorizationToken }: MigrationRecord,
  publicUrl: string,
): z.output<typeof migrationSchema> {
  return {
    id,
    status: 'pending_authorization',
    priceId,
    pendingOfferPriceId: priceId,
    pendingPriceId: priceId,
    authorizationUrl: authorizationUrlOf(authorizationToken, publicUrl),
  };
}

/** `lastInvoice` (reference, section 2: Subscription status view). */
export const invoiceSchema = z.strictObject({
  id: idSchema('inv_').describe('The cycle: the payment `pay_…` with another prefix.'),
  subscriptionId: idSchema('sub_').describe('The subscription.'),
  merchantId,
  idempotencyKey: storedKey,
  grossAmount: computedAmount.describe("The payment's `amount`."),
  platformAmount: computedAmount.describe("The service's fee."),
  merchantAmount: computedAmount.describe('The amount that the merchant receives.'),
  tokenKey: z.string().describe('The token of the charge.'),
  chainId: z.int().describe('The chain of the token.'),
  pullTxHash: z
    .string()
    .nullable()
    .describe('The transaction in which the payer was charged; `null` until it is mined.'),
  merchantTransferTxHash: z.string().nullable().describe('The transaction in which the merchant was paid.'),
  platformTransferTxHash: z.string().nullable().describe('The transaction in which the fee was paid.'),
  distributeTxHash: z
    .string()
    .nullable()
    .describe('The transaction in which the splits were paid; `null` without splits.'),
  status: paymentStatus.describe('The status of the payment.'),
  failureReason: failureReason.nullable().describe('Why the last attempt failed; `null` when none has.'),
  isSandbox,
  createdAt,
  updatedAt,
});

/** The status view of GET /subscriptions/{subscriptionId}; `lastInvoice` is null before the first attempt. */
export const subscriptionStatusSchema = z.strictObject({
  id: idSchema('sub_').describe('The subscription.'),
  status: subscriptionStatus.describe(
    '`pending` until the first charge settles; `past_due` after a failed renewal; `canceled` is final.',
  ),
  currentPeriodEnd: moment
    .nullable()
    .describe('The end of the paid period or of the trial; `null` before the first charge.'),
  allowanceConfirmed: z.boolean().describe('As in the subscription.'),
  customerId: idSchema('cust_').describe('The payer.'),
  cyclesCompleted: z.int().describe('The number of paid cycles.'),
  consecutiveFailures: z.int().describe('The number of failed attempts since the last settled one.'),
  customVariables: customVariables.describe("The merchant's own data."),
  lastInvoice: invoiceSchema.nullable().describe('The newest attempted cycle; `null` before the first attempt.'),
  cancelAt,
  trialEnd,
  payerWallet,
  tokenKey,
  pendingOfferPriceId,
  blockedReason: blockedReasonField,
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
    cancelAt: momentOrNull(subscription.cancelAt),
    trialEnd: momentOrNull(subscription.trialEnd),
    payerWallet: subscription.payerWallet,
    tokenKey: subscription.tokenKey,
    pendingOfferPriceId: subscription.pendingOfferPriceId,
    blockedReason: subscription.blockedReason,
  };
}

/** A cycle's payment under its second name (docs/rules.md, "Names, roots, shapes"): the same document, the same suffix. */
function invoiceView(subscription: SubscriptionRecord, payment: PaymentRecord): z.output<typeof invoiceSchema> {
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
