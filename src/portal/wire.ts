import { z } from 'zod';
import { blockedReason, failureReason, moment } from '../../machines/effects.ts';
import { endReason, pausedPeriodEnd } from '../../machines/subscription/context.ts';
import { progressSchema } from '../checkout/wire.ts';
import {
  billingInterval,
  brandingSchema,
  chainFamily,
  computedAmount,
  idSchema,
  paymentStatus,
  priceModels,
  quoteSchema,
  receiptPath,
  shownDiscountSchema,
  subscriptionStatus,
  usageSchema,
} from '../http/schemas.ts';

/*
 * The answers of the portal as JSON (docs/rules.md, "Portal"): schemas for the endpoints, and types for the views that
 * make them and for the page that reads them.
 */

const sessionSchema = z.strictObject({
  /** `wallet`: it has signed in. `customer`: a merchant's link opened the portal. */
  kind: z.enum(['wallet', 'customer']),
  /** null: a link. */
  wallet: z.string().nullable(),
  /** The merchant of the link; null: every merchant. */
  merchantName: z.string().nullable(),
  /** Where the page leads back to; null: nowhere. */
  returnUrl: z.string().nullable(),
  expiresAt: moment,
});
export type PortalSession = z.output<typeof sessionSchema>;

export const openedSchema = z.strictObject({ session: sessionSchema });

export const sessionStateSchema = z.strictObject({
  /** null: none is open. */
  session: sessionSchema.nullable(),
  /** The chains on which wallets pay here. */
  chains: z.array(z.strictObject({ chainId: z.int(), label: z.string(), chainFamily })),
});
export type PortalSessionState = z.output<typeof sessionStateSchema>;

export const challengeSchema = z.strictObject({ message: z.string(), expiresAt: moment });
export type PortalChallenge = z.output<typeof challengeSchema>;

const priceSchema = z.strictObject({
  amount: z.string(),
  currency: z.string(),
  interval: billingInterval,
  intervalCount: z.int(),
  ...priceModels,
});
export type Price = z.output<typeof priceSchema>;

/** Moments are by the subscription's clock, which differs from real time only in the sandbox. */
const summary = {
  id: idSchema('sub_'),
  merchantName: z.string(),
  logoPath: brandingSchema.shape.logoPath,
  offerName: z.string(),
  isSandbox: z.boolean(),
  status: subscriptionStatus,
  price: priceSchema,
  /** The token in which it is paid. */
  ticker: z.string(),
  payerWallet: z.string().nullable(),
  createdAt: moment,
  currentPeriodEnd: moment.nullable(),
  trialEnd: moment.nullable(),
  /** When a scheduled end takes effect; null: none is scheduled. */
  cancelAt: moment.nullable(),
  /** null: no charge follows. `at` null: it is due already, or it waits for an approval. */
  nextCharge: z.strictObject({ at: moment.nullable(), price: priceSchema }).nullable(),
  cyclesCompleted: z.int(),
  maxCycles: z.int().nullable(),
  blockedReason: blockedReason.nullable(),
  /** A period that is paid or free is running, so it can be ended at its end. */
  hasEnd: z.boolean(),
  /** null: it is not paused. */
  pause: z
    .strictObject({
      by: z.enum(['merchant', 'payer']),
      /** null: until it is resumed. */
      until: moment.nullable(),
      /** When the next charge is due if it is resumed now; null: at once. */
      dueIfResumed: moment.nullable(),
    })
    .nullable(),
  /** null: the next charge is the full price. */
  discount: shownDiscountSchema.nullable(),
  /** The payer may change the quantity now. */
  canSetQuantity: z.boolean(),
  ended: z.strictObject({ reason: endReason, at: moment }).nullable(),
} as const;

const subscriptionSchema = z.strictObject(summary);
export type PortalSubscription = z.output<typeof subscriptionSchema>;

export const subscriptionsSchema = z.strictObject({
  subscriptions: z.array(subscriptionSchema),
  /** Where the next page begins: `startingAfter`; null: this is the last one. */
  next: z.string().nullable(),
});
export type PortalSubscriptions = z.output<typeof subscriptionsSchema>;

const changeSchema = z.strictObject({
  priceId: idSchema('price_'),
  label: z.string().nullable(),
  price: priceSchema,
  quote: quoteSchema,
});
export type PortalChange = z.output<typeof changeSchema>;

export type Usage = z.output<typeof usageSchema>;

/** The same, with the limits that the payer has signed and the state of the chain, in the fields of the checkout. */
export const detailSchema = z.strictObject({
  ...summary,
  kind: z.literal('subscription'),
  /** The merchant's name of its price; null: it has none. */
  label: z.string().nullable(),
  /** What the payer may change to now. */
  changes: z.array(changeSchema),
  /** What a pause by the payer does to the end of the paid period; null: the payer cannot pause it now. */
  pausesPeriodEnd: pausedPeriodEnd.nullable(),
  /** The signed change that waits for its day, or for the approval; null: none. */
  waiting: changeSchema.nullable(),
  /** Since the last charge; null: the price is not metered. */
  usage: usageSchema.nullable(),
  /** When the last use is charged if it ends now; null: at once. */
  lastChargeAt: moment.nullable(),
  /** What later invoices say about the customer; null: it cannot be corrected here. */
  invoicedTo: z
    .strictObject({
      name: z.string().nullable(),
      address: z.string().nullable(),
      country: z.string().nullable(),
      taxId: z.string().nullable(),
    })
    .nullable(),
  ...progressSchema.shape,
  permitToSign: z.null(),
});
export type PortalDetail = z.output<typeof detailSchema>;

const paymentSchema = z.strictObject({
  id: idSchema('pay_'),
  subscriptionId: idSchema('sub_').nullable(),
  merchantName: z.string(),
  offerName: z.string().nullable(),
  isSandbox: z.boolean(),
  createdAt: moment,
  periodStart: moment.nullable(),
  periodEnd: moment.nullable(),
  /** Of a price per unit; null: it was none. */
  quantity: z.int().nullable(),
  /** The units that it is for; null: its price was not metered. */
  unitsUsed: z.int().nullable(),
  amount: computedAmount,
  ticker: z.string(),
  /** The chain on which it is charged; null: none of this installation. */
  network: z.string().nullable(),
  status: paymentStatus,
  failureReason: failureReason.nullable(),
  nextAttemptAt: moment.nullable(),
  txHash: z.string().nullable(),
  /** The transaction's page; null: no transaction, or a local chain. */
  explorerUrl: z.string().nullable(),
  /** The service signs a proof of it. */
  hasProof: z.boolean(),
  /** null: it is not settled. */
  receiptPath: receiptPath.nullable(),
  /** null: the merchant makes no invoice of it. */
  invoicePath: receiptPath.nullable(),
  /** What a coupon takes off; null: nothing. */
  discount: z.strictObject({ code: z.string().nullable(), amount: computedAmount }).nullable(),
  /** The credit for unused time that `amount` is less by; null: none. */
  credit: computedAmount.nullable(),
  /** What the merchant has given back, in the order of the requests. */
  refunds: z.array(
    z.strictObject({ amount: computedAmount, at: moment, txHash: z.string(), explorerUrl: z.string().nullable() }),
  ),
});
export type PortalPayment = z.output<typeof paymentSchema>;

export const paymentsSchema = z.strictObject({ payments: z.array(paymentSchema), next: z.string().nullable() });
export type PortalPayments = z.output<typeof paymentsSchema>;

export const linkSchema = z.strictObject({ url: z.string() });
export type PortalLink = z.output<typeof linkSchema>;

/** Unsigned, base64; valid for about a minute. */
export const transactionSchema = z.strictObject({ transaction: z.string() });
