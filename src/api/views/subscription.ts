import { z } from 'zod';
import { failureReason, moment } from '../../../machines/effects.ts';
import { formatAmount } from '../../billing/amounts.ts';
import type { MigrationRecord, PaymentRecord, SubscriptionRecord } from '../../billing/services.ts';
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
import { suffixOf } from '../../store/ids.ts';

const customVariables = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

const tokenKey = z.string().describe('In what it is billed.');
const payerWallet = z
  .string()
  .nullable()
  .describe('The wallet that is billed; `null` until one is linked. Only a new authorization changes it.');
const cancelAt = moment.nullable().describe('When a scheduled cancel takes effect; `null` when there is none.');
const trialEnd = moment.nullable().describe('When the trial ends or ended; `null` without one.');
const pendingOfferPriceId = idSchema('price_')
  .nullable()
  .describe('The pricing option that a migration waits for; null once it has taken effect or was abandoned.');

/**
 * Subscription (reference, section 2), with additive fields: `tokenKey`, `payerWallet`, `authorizationUrl`, `cancelAt`,
 * `trialEnd`, `pendingOfferPriceId`, `blockedReason`. Only the answer of POST /subscriptions has `authorizationUrl`: the
 * service stores a hash of its token, so no later read can show it.
 */
export const subscriptionSchema = z.strictObject({
  id: idSchema('sub_').describe('The subscription.'),
  merchantId,
  offerId: idSchema('offer_').describe('The offer.'),
  offerPriceId: idSchema('price_').describe('The pricing option that is billed.'),
  offerName: z.string().describe('As it was at subscribe time.'),
  priceAmount: z.string().describe('The price as the option has it, in `priceCurrency`.'),
  priceCurrency: z.string().describe('The currency of `priceAmount`.'),
  customerId: idSchema('cust_').describe('Who pays.'),
  chainId: z.int().describe('The chain of `tokenKey`.'),
  status: subscriptionStatus.describe(
    '`pending` until the first charge settles; `past_due` after a failed renewal; `canceled` is final.',
  ),
  currentPeriodEnd: moment
    .nullable()
    .describe('Until when it is paid, or, in a trial, when that ends; `null` before the first charge.'),
  allowanceConfirmed: z
    .boolean()
    .describe(
      "Whether the allowance on chain covers the next charge after those of the wallet's live subscriptions authorized before. " +
        'It follows charges and approvals within seconds.',
    ),
  cyclesCompleted: z.int().describe('How many cycles have been paid.'),
  consecutiveFailures: z.int().describe('How many attempts have failed since the last one that settled.'),
  customVariables: customVariables.describe("The merchant's own: the only field that can be changed."),
  afterCompletion: jsonMap.describe('Copied from the offer.'),
  isSandbox,
  idempotencyKey: storedKey,
  affiliatePartnerId: z.string().nullable().describe('As given; copied to the payment of each cycle.'),
  affiliateCommissionPct: z.string().nullable().describe('As given, a decimal string; moves no money.'),
  createdAt,
  updatedAt,
  tokenKey,
  payerWallet,
  authorizationUrl: z
    .url()
    .nullable()
    .describe(
      'Where the payer authorizes; lives 30 days. Only in the answer of POST /subscriptions while the subscription is pending, a replay included; null in every later read, since only a hash of its token is kept.',
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

/** The page on which a payer authorizes (docs/rules.md, "Checkout API"). */
function authorizationUrlOf(token: string, publicUrl: string): string {
  return `${publicUrl}/checkout/authorize/${token}`;
}

/**
 * The answer of POST /subscriptions/{subscriptionId}/migrate (reference, section 4); all three prices are the requested one.
 */
export const migrationSchema = z.strictObject({
  id: idSchema('sub_').describe('The subscription.'),
  status: z.literal('pending_authorization').describe('The intent is recorded; nothing has changed yet.'),
  priceId: idSchema('price_').describe('The pricing option asked for.'),
  pendingOfferPriceId: idSchema('price_').describe('The same.'),
  pendingPriceId: idSchema('price_').describe('The same.'),
  authorizationUrl: z
    .url()
    .describe(
      'Where the payer authorizes the new terms; lives 30 days, or until a further migration replaces this one.',
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
  merchantAmount: computedAmount.describe('What the merchant gets.'),
  tokenKey: z.string().describe('In what it is charged.'),
  chainId: z.int().describe('The chain of the token.'),
  pullTxHash: z
    .string()
    .nullable()
    .describe('The transaction in which the payer was charged; `null` until it is mined.'),
  merchantTransferTxHash: z.string().nullable().describe('The one in which the merchant was paid.'),
  platformTransferTxHash: z.string().nullable().describe('The one in which the fee was paid.'),
  distributeTxHash: z.string().nullable().describe('The one in which the splits were paid; `null` without splits.'),
  status: paymentStatus.describe('As of the payment.'),
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
    .describe('Until when it is paid, or, in a trial, when that ends; `null` before the first charge.'),
  allowanceConfirmed: z.boolean().describe('As of the subscription.'),
  customerId: idSchema('cust_').describe('Who pays.'),
  cyclesCompleted: z.int().describe('How many cycles have been paid.'),
  consecutiveFailures: z.int().describe('How many attempts have failed since the last one that settled.'),
  customVariables: customVariables.describe("The merchant's own."),
  lastInvoice: invoiceSchema
    .nullable()
    .describe('The newest cycle that has been attempted; `null` before the first attempt.'),
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
