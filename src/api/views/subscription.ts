import { z } from 'zod';
import { failureReason, moment } from '../../../machines/effects.ts';
import { quantityOf } from '../../../machines/rules/price-model.ts';
import { blockedReasonOf, canceledByOf } from '../../../machines/subscription/changes.ts';
import { canceler } from '../../../machines/subscription/context.ts';
import { isMigrationReady } from '../../../machines/subscription/next-charge.ts';
import { authorizationUrlOf } from '../../billing/subscriptions/authorizations.ts';
import type { OpenMigration } from '../../billing/subscriptions/migrate.ts';
import { pauseOf } from '../../billing/subscriptions/pause.ts';
import type { OpenedSubscription } from '../../billing/subscriptions/subscriptions.ts';
import type { Catalog } from '../../chains/catalog.ts';
import type { HttpDeps } from '../../http/deps.ts';
import { discountView } from '../../http/discount.ts';
import { quoteView } from '../../http/quote.ts';
import {
  blockedReasonField,
  changeProration,
  changeWhen,
  computedAmount,
  createdAt,
  discountSchema,
  idSchema,
  isSandbox,
  jsonMap,
  merchantId,
  momentsOf,
  paymentStatus,
  quoteSchema,
  storedKey,
  subscriptionStatus,
  txHash,
  updatedAt,
} from '../../http/schemas.ts';
import { paymentAttributes, paymentContextOf, paymentStatusOf, paymentUnits } from '../../model/payment.ts';
import { pick } from '../../model/pick.ts';
import {
  isTrialing,
  pendingPriceOf,
  subscriptionAttributes,
  subscriptionContextOf,
  subscriptionStatusOf,
} from '../../model/subscription.ts';
import type { ActorDoc } from '../../store/documents.ts';
import { suffixOf } from '../../store/ids.ts';
import { priceModels } from './offer.ts';

const tokenKey = z.string().describe('The token of the charges.');
const payerWallet = z
  .string()
  .nullable()
  .describe('The wallet that is billed; `null` until one is linked. Only a new authorization changes it.');

/** What its charges have come to; in both views. */
const progress = {
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
  customVariables: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .describe("The merchant's own data, and the only field that can be changed."),
};

/** The fields of both views: the next charge, the beginning, a change ahead, and the end. */
const life = {
  cancelAt: moment.nullable().describe('When a scheduled cancel takes effect; `null` when there is none.'),
  trialEnd: moment.nullable().describe('When the trial ends or ended; `null` without one.'),
  pendingOfferPriceId: idSchema('price_')
    .nullable()
    .describe('The pricing option of an open migration; `null` once it has taken effect or was abandoned.'),
  blockedReason: blockedReasonField,
  quantity: z
    .int()
    .nullable()
    .describe('The units of the next charge, each for `priceAmount`; `null` if the price has no quantity.'),
  model: priceModels.describe('How the amount of a charge is found: as in the pricing option.'),
  discount: discountSchema
    .nullable()
    .describe('What a coupon takes off the next charges; `null` without one, and once it is used up.'),
  pendingChange: z
    .strictObject({
      priceId: idSchema('price_').describe('The pricing option.'),
      when: changeWhen.describe('`now`: as soon as its payer has authorized it; `period_end`: with the next period.'),
      proration: changeProration.describe(
        '`credit`: the first charge is less by the unused part of the present period.',
      ),
      isAuthorized: z.boolean().describe('`true` once it is signed and the allowance covers it.'),
    })
    .nullable()
    .describe('The open migration, until it takes effect or is taken back; `null` without one.'),
  canceledAt: moment.nullable().describe('When it was canceled; `null` before.'),
  canceledBy: z
    .enum([...canceler.options, 'service'])
    .nullable()
    .describe('Who ended it, or has scheduled that: `payer` in the portal, `service` by a limit; else `null`.'),
  approvalRevokedAt: moment.nullable().describe('When the payer was seen to take the approval back; else `null`.'),
  trialStartedAt: moment.nullable().describe('When the payer agreed to the trial; `null` while nobody has.'),
  isPaused: z.boolean().describe('`true` while nothing falls due because it was paused; `status` stays `active`.'),
  pausedUntil: moment
    .nullable()
    .describe('When the pause ends by itself; `null`: when it is resumed, or no pause is on.'),
  isTrialing: z.boolean().describe('`true` from then until the first charge is due, or it is canceled.'),
};

function pendingChangeOf(doc: ActorDoc, now: Date): z.output<typeof life.pendingChange> {
  const context = subscriptionContextOf(doc);
  const priceId = pendingPriceOf(doc, now);
  if (priceId === null) return null;
  const { when = 'period_end', proration = 'none' } = context.migration ?? {};
  return { priceId, when, proration, isAuthorized: isMigrationReady(context) };
}

function progressOf(doc: ActorDoc): z.output<z.ZodObject<typeof progress>> {
  const context = subscriptionContextOf(doc);
  return {
    status: subscriptionStatusOf(doc),
    ...pick(context, 'currentPeriodEnd', 'allowanceConfirmed', 'cyclesCompleted', 'consecutiveFailures'),
    customVariables: context.customVariables,
  };
}

function lifeOf(doc: ActorDoc, now: Date): z.output<z.ZodObject<typeof life>> {
  const context = subscriptionContextOf(doc);
  const pause = pauseOf(doc, now);
  return {
    cancelAt: context.cancelAt,
    trialEnd: context.trialEnd,
    pendingOfferPriceId: pendingPriceOf(doc, now),
    blockedReason: blockedReasonOf(context),
    quantity: quantityOf(context.terms),
    model: context.terms.model?.kind ?? 'fixed',
    discount: discountView(context.discount),
    pendingChange: pendingChangeOf(doc, now),
    canceledAt: context.ended?.at ?? null,
    canceledBy: canceledByOf(context),
    approvalRevokedAt: context.approvalRevokedAt ?? null,
    trialStartedAt: context.trialStartedAt ?? null,
    isPaused: pause !== null,
    pausedUntil: pause?.until ?? null,
    isTrialing: isTrialing(doc, now),
  };
}

/**
 * Subscription (reference, section 2). The fields after `updatedAt` are additive. Only POST /subscriptions answers with
 * an `authorizationUrl`: the service stores a hash of its token, so no later read can show it.
 */
export const subscriptionSchema = z.strictObject({
  id: idSchema('sub_').describe('The subscription.'),
  merchantId,
  offerId: idSchema('offer_').describe('The offer.'),
  offerPriceId: idSchema('price_').describe('The billed pricing option.'),
  offerName: z.string().describe('The name of the offer when the customer subscribed.'),
  priceAmount: z.string().describe('The price of the option, or of one unit, in `priceCurrency`.'),
  priceCurrency: z.string().describe('The currency of `priceAmount`.'),
  customerId: idSchema('cust_').describe('The payer.'),
  chainId: z.int().describe('The chain of `tokenKey`.'),
  ...progress,
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
  ...life,
});

/** `now` is real time: a migration that nobody has authorized by then is over. */
export function subscriptionView(doc: ActorDoc, now: Date): z.output<typeof subscriptionSchema> {
  const attributes = subscriptionAttributes.parse(doc.attributes);
  const context = subscriptionContextOf(doc);
  const { terms } = context;
  return {
    id: doc._id,
    merchantId: doc.merchantId,
    offerId: attributes.offerId,
    offerPriceId: terms.priceId,
    offerName: attributes.offerName,
    ...pick(terms, 'priceAmount', 'priceCurrency'),
    customerId: attributes.customerId,
    chainId: terms.chainId,
    ...progressOf(doc),
    afterCompletion: attributes.afterCompletion,
    isSandbox: doc.mode === 'test',
    ...pick(attributes, 'idempotencyKey', 'affiliatePartnerId', 'affiliateCommissionPct'),
    ...momentsOf(doc),
    tokenKey: terms.tokenKey,
    payerWallet: context.payerWallet,
    authorizationUrl: null,
    ...lifeOf(doc, now),
  };
}

/** The answer of POST /subscriptions, with the link at which the payer authorizes. */
export function createdSubscriptionView(
  { doc, authorizationToken: token }: OpenedSubscription,
  { clock, config }: Pick<HttpDeps, 'clock' | 'config'>,
): z.output<typeof subscriptionSchema> {
  const authorizationUrl = token === null ? null : authorizationUrlOf(token, config.publicUrl);
  return { ...subscriptionView(doc, clock()), authorizationUrl };
}

const samePrice = idSchema('price_').meta({ deprecated: true, description: 'The same as `priceId`; use that.' });

/**
 * The answer of POST /subscriptions/{subscriptionId}/migrate (reference, section 4); all three prices are the requested
 * one.
 */
export const migrationSchema = z.strictObject({
  id: idSchema('sub_').describe('The subscription.'),
  status: z.literal('pending_authorization').describe('The intent is recorded; nothing has changed yet.'),
  priceId: idSchema('price_').describe('The requested pricing option.'),
  pendingOfferPriceId: samePrice,
  pendingPriceId: samePrice,
  authorizationUrl: z
    .url()
    .describe(
      'The page where the payer authorizes the new terms; valid for 30 days, or until another migration replaces this one.',
    ),
  quote: quoteSchema
    .nullable()
    .describe('What the change costs as of now, before the payer signs; `null`: nothing is paid yet.'),
});

export function migrationView(
  { id, priceId, authorizationToken, tokenKey, quote }: OpenMigration,
  { catalog, config }: Pick<HttpDeps, 'catalog' | 'config'>,
): z.output<typeof migrationSchema> {
  return {
    id,
    status: 'pending_authorization',
    priceId,
    pendingOfferPriceId: priceId,
    pendingPriceId: priceId,
    authorizationUrl: authorizationUrlOf(authorizationToken, config.publicUrl),
    quote: quote && quoteView(quote, tokenKey, catalog),
  };
}

/** The answer of POST /subscriptions/{subscriptionId}/change-payer. */
export const payerChangeSchema = z.strictObject({
  id: idSchema('sub_').describe('The subscription.'),
  authorizationUrl: z
    .url()
    .describe('The page where another wallet signs and pays from then on: the first one within a day.'),
});

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
  pullTxHash: txHash.describe('The transaction in which the payer was charged; `null` until it is mined.'),
  merchantTransferTxHash: txHash.describe('The transaction in which the merchant was paid.'),
  platformTransferTxHash: txHash.describe('The transaction in which the fee was paid.'),
  distributeTxHash: txHash.describe('The transaction in which the splits were paid; `null` without splits.'),
  status: paymentStatus.describe('The status of the payment.'),
  failureReason: failureReason.nullable().describe('Why the last attempt failed; `null` when none has.'),
  isSandbox,
  createdAt,
  updatedAt,
});

/** The status view of GET /subscriptions/{subscriptionId}; `lastInvoice` is null before the first attempt. */
export const subscriptionStatusSchema = z.strictObject({
  id: idSchema('sub_').describe('The subscription.'),
  ...progress,
  customerId: idSchema('cust_').describe('The payer.'),
  lastInvoice: invoiceSchema.nullable().describe('The newest attempted cycle; `null` before the first attempt.'),
  payerWallet,
  tokenKey,
  ...life,
});

/** With the newest cycle's payment as `lastInvoice`; null: there is none. */
export function subscriptionStatusView(
  doc: ActorDoc,
  lastPayment: ActorDoc | null,
  { clock, catalog }: Pick<HttpDeps, 'clock' | 'catalog'>,
): z.output<typeof subscriptionStatusSchema> {
  const { customerId } = subscriptionAttributes.parse(doc.attributes);
  const context = subscriptionContextOf(doc);
  return {
    id: doc._id,
    ...progressOf(doc),
    customerId,
    lastInvoice: lastPayment && invoiceView(doc._id, lastPayment, catalog),
    payerWallet: context.payerWallet,
    tokenKey: context.terms.tokenKey,
    ...lifeOf(doc, clock()),
  };
}

/** A cycle's payment by its second name (docs/rules.md, "Names, roots, shapes"): the same document, the same suffix. */
function invoiceView(subscriptionId: string, payment: ActorDoc, catalog: Catalog): z.output<typeof invoiceSchema> {
  const attributes = paymentAttributes.parse(payment.attributes);
  const { amount, hashes, failureReason: reason } = paymentContextOf(payment);
  const inTokens = paymentUnits(payment, catalog);
  return {
    id: `inv_${suffixOf(payment._id)}`,
    subscriptionId,
    merchantId: payment.merchantId,
    idempotencyKey: attributes.idempotencyKey,
    grossAmount: inTokens(amount),
    platformAmount: inTokens(attributes.platformAmount),
    merchantAmount: inTokens(attributes.merchantAmount),
    ...pick(attributes, 'tokenKey', 'chainId'),
    pullTxHash: hashes.pullTxHash,
    merchantTransferTxHash: hashes.forwardTxHash,
    ...pick(hashes, 'platformTransferTxHash', 'distributeTxHash'),
    status: paymentStatusOf(payment),
    failureReason: reason,
    isSandbox: payment.mode === 'test',
    ...momentsOf(payment),
  };
}
