import type { z } from 'zod';
import { failureReason, moment, webhookEvent } from '../../../machines/effects.ts';
import { deliveryStatus } from '../../billing/events.ts';
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
import { batchSchema } from '../offers/batch.ts';
import { pricingFields } from '../offers/fields.ts';
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
  ['BillingType', billingType, 'Once, or again and again.'],
  ['BillingInterval', billingInterval, 'What a cycle is counted in.'],
  ['SubscriptionStatus', subscriptionStatus, 'The state of a subscription; `canceled` is final.'],
  ['PaymentStatus', paymentStatus, 'The state of a payment.'],
  ['PaymentSource', paymentSource, 'What a payment is for: a single charge, or a cycle of a subscription.'],
  ['PaymentMethod', paymentMethod, 'Pulled from a wallet that has approved, or sent to a deposit address.'],
  ['FailureReason', failureReason, 'Why a charge failed; the last three are of one-off payments only.'],
  ['EventKind', webhookEvent, 'The kinds of events; the last five have to be asked for.'],
  ['DeliveryStatus', deliveryStatus, 'How far an event is on its way.'],
  ['CancelReason', cancelReason, 'Which limit has ended a subscription.'],
];

/** Schemas of data that the service sends. */
export const SENT: readonly Named[] = [
  ['Chain', chainSchema, 'One chain of the catalog.'],
  ['Token', tokenSchema, 'One token of a chain.'],
  ['Offer', offerSchema, 'What is sold, with its pricing options and its hosted checkout.'],
  ['PricingOption', pricingOptionSchema, 'One price of an offer; its terms never change.'],
  ['AcceptedToken', acceptedTokenSchema, 'A token in which an option can be paid, and how much of it.'],
  ['Split', splitSchema, 'One share of what the merchant gets.'],
  ['OfferBatchResult', batchSchema, 'What became of each offer of a batch.'],
  ['Wallet', walletSchema, 'Where a token is paid out to.'],
  ['Customer', customerSchema, 'A payer.'],
  ['CustomerWallet', customerWalletSchema, 'The wallet with which a customer pays on one family of chains.'],
  ['Subscription', subscriptionSchema, 'What a customer is billed, and how that stands.'],
  ['SubscriptionStatusView', subscriptionStatusSchema, 'How a subscription stands, with its last invoice.'],
  [
    'Invoice',
    invoiceSchema,
    'One cycle of a subscription: the payment of the same ending, in the words of an invoice.',
  ],
  ['Payment', paymentSchema, 'One charge, or one cycle with all its attempts.'],
  [
    'CreatedPayment',
    createdPaymentSchema,
    'A payment as POST /payments answers it: with the deposit address where there is one.',
  ],
  ['ProofOfCharge', proofSchema, 'What proves that a payment was charged, without the service.'],
  ['WebhookEndpoint', webhookEndpointSchema, 'Where the events of one environment are delivered.'],
  ['Event', eventSchema, 'One event, exactly as it is delivered.'],
  ['EventRecord', eventRecordSchema, 'One event, and what became of it.'],
  ['Delivery', deliverySchema, 'One event on its way to the URL that is set.'],
  ['DeliveryAttempt', deliveryAttemptSchema, 'One attempt to deliver an event.'],
  ['AdvanceResult', advanceResultSchema, 'How far a clock was moved, and what happened on the way.'],
  ['Deleted', deletedSchema, 'The confirmation of a deletion.'],
  ['Error', errorSchema, 'The body of every error: no other keys.'],
  ...EVENT_SCHEMAS.map(({ event, schema }): Named => [eventComponent(event), schema, `A delivery of \`${event}\`.`]),
];

/** Schemas of data that the service receives, beside the bodies of the operations. */
export const TAKEN: readonly Named[] = [['PricingOptionInput', pricingFields, 'A pricing option to be made.']];

/** `payment.succeeded` → `PaymentSucceededEvent`. */
export function eventComponent(event: string): string {
  return `${event.split('.').map(capital).join('')}Event`;
}

/** `createOffer` → `CreateOffer`. */
export function capital(name: string): string {
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}
