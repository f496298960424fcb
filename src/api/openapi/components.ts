import type { z } from 'zod';
import { deliveryStatus } from '../../../machines/delivery/context.ts';
import { failureReason, moment, webhookEvent } from '../../../machines/effects.ts';
import { EXTRA_EVENTS } from '../../../machines/rules/event-kinds.ts';
import { proofSchema } from '../../billing/proof/document.ts';
import {
  billingInterval,
  billingType,
  chainFamily,
  deletedSchema,
  errorSchema,
  jsonValue,
  paymentStatus,
  subscriptionStatus,
} from '../../http/schemas.ts';
import { cancelReason, EVENT_SCHEMAS } from '../../webhooks/events.ts';
import { accountSchema } from '../account/account.ts';
import { couponSchema } from '../coupons/coupons.ts';
import { pauseFields, planChangesFields, pricingFields } from '../offers/fields.ts';
import { batchSchema } from '../offers/offers.ts';
import { advanceResultSchema } from '../sandbox/advance.ts';
import { chainSchema, tokenSchema } from '../views/currency.ts';
import { customerSchema, customerWalletSchema } from '../views/customer.ts';
import { deliveryAttemptSchema, deliverySchema, eventRecordSchema, eventSchema } from '../views/event.ts';
import { acceptedTokenSchema, offerSchema, pricingOptionSchema, splitSchema } from '../views/offer.ts';
import { createdPaymentSchema, paymentMethod, paymentSchema, paymentSource } from '../views/payment.ts';
import { invoiceSchema, subscriptionSchema, subscriptionStatusSchema } from '../views/subscription.ts';
import { walletSchema } from '../views/wallet.ts';
import { webhookEndpointSchema } from '../views/webhook-endpoint.ts';

/** A schema with its own name in the document; its users refer to it by that name. */
export type Named = readonly [name: string, schema: z.ZodType, description: string];

/** Closed lists and other values, equal in requests and answers. */
export const SHARED: readonly Named[] = [
  ['Timestamp', moment, 'A moment: ISO 8601, UTC, milliseconds.'],
  ['JsonValue', jsonValue, 'Any JSON value.'],
  ['ChainFamily', chainFamily, 'The two kinds of chains.'],
  ['BillingType', billingType, 'One charge, or recurring charges.'],
  ['BillingInterval', billingInterval, 'The unit of a cycle.'],
  ['SubscriptionStatus', subscriptionStatus, 'The state of a subscription; `canceled` is final.'],
  ['PaymentStatus', paymentStatus, 'The state of a payment.'],
  ['PaymentSource', paymentSource, 'The purpose of a payment: a single charge, or a cycle of a subscription.'],
  ['PaymentMethod', paymentMethod, 'Pulled from a wallet that has approved, or sent to a deposit address.'],
  ['FailureReason', failureReason, 'Why a charge failed; only one-off payments have the last three.'],
  ['EventKind', webhookEvent, `The kinds of events; the last ${EXTRA_EVENTS.length} need \`extraEvents\`.`],
  ['DeliveryStatus', deliveryStatus, 'The progress of a delivery.'],
  ['CancelReason', cancelReason, 'The limit that ended a subscription.'],
];

/** Schemas of data that the service sends. */
export const SENT: readonly Named[] = [
  ['Chain', chainSchema, 'One chain of the catalog.'],
  ['Token', tokenSchema, 'One token of a chain.'],
  ['Offer', offerSchema, 'A product with its pricing options and its hosted checkout.'],
  ['PricingOption', pricingOptionSchema, 'One price of an offer; its terms never change.'],
  ['AcceptedToken', acceptedTokenSchema, 'A token that an option accepts, and its amount.'],
  ['Split', splitSchema, 'One share of the merchant amount.'],
  ['OfferBatchResult', batchSchema, 'The result for each offer of a batch.'],
  ['Wallet', walletSchema, 'The receiver of the payouts of a token.'],
  ['Customer', customerSchema, 'A payer.'],
  ['Coupon', couponSchema, 'What lowers the charges of subscriptions.'],
  ['CustomerWallet', customerWalletSchema, 'The wallet with which a customer pays on one family of chains.'],
  ['Subscription', subscriptionSchema, 'The billing of a customer under one pricing option.'],
  ['SubscriptionStatusView', subscriptionStatusSchema, 'The status of a subscription, with its last invoice.'],
  ['Invoice', invoiceSchema, 'One cycle of a subscription as an invoice: the payment whose id has the same ending.'],
  ['Payment', paymentSchema, 'One charge, or one cycle with all its attempts.'],
  [
    'CreatedPayment',
    createdPaymentSchema,
    'A payment in the answer of POST /payments, with its deposit address, if it has one.',
  ],
  ['ProofOfCharge', proofSchema, 'A proof that a payment was charged, which needs no trust in the service.'],
  ['Account', accountSchema, 'The settings of a merchant.'],
  ['WebhookEndpoint', webhookEndpointSchema, 'The receiver of the events of one environment.'],
  ['Event', eventSchema, 'One event, exactly as it is delivered.'],
  ['EventRecord', eventRecordSchema, 'One event with its deliveries.'],
  ['Delivery', deliverySchema, 'One event on its way to the webhook URL.'],
  ['DeliveryAttempt', deliveryAttemptSchema, 'One attempt to deliver an event.'],
  ['AdvanceResult', advanceResultSchema, 'The new time of a clock, and the steps on the way.'],
  ['Deleted', deletedSchema, 'The confirmation of a deletion.'],
  ['Error', errorSchema, 'The body of every error: no other keys.'],
  ...EVENT_SCHEMAS.map(({ event, schema }): Named => [eventComponent(event), schema, `A delivery of \`${event}\`.`]),
];

/** Schemas of data that the service receives, beside the bodies of the operations. */
export const TAKEN: readonly Named[] = [
  ['PricingOptionInput', pricingFields, 'A new pricing option.'],
  ['PauseInput', pauseFields, 'How subscriptions to an offer are paused.'],
  ['PlanChangesInput', planChangesFields, 'What customers may change to in the portal.'],
];

/** `subscription.past_due` → `SubscriptionPastDueEvent`. */
export function eventComponent(event: string): string {
  return `${event.split(/[._]/).map(capital).join('')}Event`;
}

/** `createOffer` → `CreateOffer`. */
export function capital(name: string): string {
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}
