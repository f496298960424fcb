import { z } from 'zod';
import { blockedReason, failureReason, moment, type WebhookEvent } from '../../machines/effects.ts';
import type { JsonObject } from '../../machines/json.ts';
import { EXTRA_EVENTS, LISTED_EVENTS } from '../../machines/rules/event-kinds.ts';
import { quantity } from '../../machines/rules/price-model.ts';
import { USAGE_LEVELS } from '../../machines/rules/usage.ts';
import { shortage } from '../../machines/subscription/context.ts';
import type { EventFacts } from '../store/collections.ts';

const customerId = idOf('cust').describe('The customer.');
const paymentId = idOf('pay').describe('The payment.');
const subscriptionId = idOf('sub').describe('The subscription.');
const invoiceId = z
  .string()
  .regex(/^sub-pay-[0-9a-z]{26}$/)
  .describe("The cycle's payment: GET /payments/{paymentId} takes this id too.");

const eventWalletSchema = z.strictObject({
  chainFamily: z.enum(['evm', 'solana']).describe('Of the chains on which it pays.'),
  address: z.string().describe('EVM addresses with their checksum.'),
});

const customerWallets = z.array(eventWalletSchema).describe('`[]` when there are none.');

const refundId = idOf('ref').describe('The refund: GET /payments/{paymentId}/refunds/{refundId}.');

const reason = failureReason.describe('Why it failed.');

const ofSubscription = {
  subscriptionId,
  offerId: idOf('offer').describe('The offer.'),
  priceId: idOf('price').describe('The pricing option that is billed.'),
};

const ofCycle = { source: z.literal('subscription').describe('A billing cycle.'), subscriptionId, invoiceId };
const ofOneOff = { source: z.literal('one_time').describe('A one-off payment.'), paymentId };
const ofRefund = z.union([z.strictObject({ ...ofCycle, refundId }), z.strictObject({ ...ofOneOff, refundId })]);

export const cancelReason = z.enum(['max_cycles_reached', 'max_failed_cycles_reached']);

function idOf(prefix: 'cust' | 'evt' | 'offer' | 'pay' | 'price' | 'ref' | 'sub') {
  return z.string().regex(new RegExp(`^${prefix}_[0-9a-z]{26}$`));
}

/** `data` of each kind of event (reference, section 6: Event kinds; then the opt-in kinds): ids, no resources. */
export const EVENT_DATA = {
  'customer.created': z.strictObject({ customerId, wallets: customerWallets }),
  'customer.updated': z.strictObject({ customerId, wallets: customerWallets }),
  'customer.deleted': z.strictObject({ customerId }),
  'subscription.created': z.strictObject({
    ...ofSubscription,
    status: z.literal('pending').describe('Always `pending`.'),
  }),
  'subscription.active': z.strictObject(ofSubscription),
  'subscription.canceled': z.strictObject({
    ...ofSubscription,
    reason: cancelReason
      .optional()
      .describe('Only when a limit of the pricing option, or the seven days past due, ended it; else absent.'),
  }),
  'payment.succeeded': z.union([z.strictObject(ofCycle), z.strictObject(ofOneOff)]),
  'payment.failed': z.union([z.strictObject({ ...ofCycle, reason }), z.strictObject({ ...ofOneOff, reason })]),
  'payment.canceled': z.strictObject({ paymentId }),
  'wallet.updated': z.strictObject({
    tokenKey: z.string().describe('The token that it is for.'),
    previousWallet: z.string().nullable().describe('`null` when this is the first for the token.'),
    newWallet: z.string().nullable().describe('`null` when the wallet was removed.'),
    source: z.enum(['api', 'dashboard']).describe('`dashboard`: staff did it.'),
  }),
  'subscription.trialing': z.strictObject(ofSubscription),
  'subscription.past_due': z.strictObject(ofSubscription),
  'subscription.recovered': z.strictObject(ofSubscription),
  'subscription.at_risk': z.strictObject({
    ...ofSubscription,
    reason: shortage.describe('What was found short.'),
    chargeAt: moment.describe('When the charge falls due.'),
  }),
  'subscription.migrated': z.strictObject(ofSubscription),
  'subscription.blocked': z.strictObject({
    ...ofSubscription,
    reason: blockedReason.describe('Why the charge is not made: the `blockedReason` of the subscription.'),
  }),
  'subscription.quantity_changed': z.strictObject({
    ...ofSubscription,
    previousQuantity: quantity.describe('The quantity before.'),
    quantity: quantity.describe('The quantity of the next cycles.'),
  }),
  'subscription.usage_threshold': z.strictObject({
    ...ofSubscription,
    level: z
      .literal([...USAGE_LEVELS])
      .describe('The part of `capAmount` that the use of the period has reached, in percent.'),
  }),
  'subscription.paused': z.strictObject({
    ...ofSubscription,
    pausedUntil: moment.nullable().describe('When the pause ends by itself; `null`: when somebody resumes it.'),
  }),
  'subscription.resumed': z.strictObject({
    ...ofSubscription,
    currentPeriodEnd: moment.describe('The end of the paid period, moved by the pause: the next charge is due then.'),
  }),
  'payment.pulled': z.union([z.strictObject(ofCycle), z.strictObject(ofOneOff)]),
  'payment.refunded': ofRefund,
  'payment.refund_reversed': ofRefund,
} as const satisfies { readonly [E in WebhookEvent]: z.ZodType };

const WITH_SOURCE: ReadonlySet<string> = new Set<WebhookEvent>([
  'payment.succeeded',
  'payment.failed',
  'payment.pulled',
  'payment.refunded',
  'payment.refund_reversed',
]);

/** The `data` that is delivered. The source of a payment follows from its ids, so events of older releases have it. */
export function deliveredData({ event, data }: Pick<EventFacts, 'event' | 'data'>): JsonObject {
  if (!WITH_SOURCE.has(event)) return data;
  return { source: 'subscriptionId' in data ? 'subscription' : 'one_time', ...data };
}

/**
 * The schema of the envelope of one kind of event (reference, section 6: Delivery), with `sequence` (docs/rules.md,
 * "Webhooks"). The published document, and the checks of deliveries in tests, derive from it.
 */
function eventSchema(event: WebhookEvent) {
  return z.strictObject({
    id: idOf('evt').describe('The same at every attempt: use it to recognise duplicates.'),
    event: z.literal(event).describe('The kind.'),
    createdAt: moment.describe('When it happened; the same at every attempt.'),
    isSandbox: z.boolean().describe('`true` for events of the test mode.'),
    data: EVENT_DATA[event].describe('Ids of resources, never whole ones.'),
    sequence: z
      .int()
      .min(1)
      .describe(
        "Counts the events of one resource; a subscription's cycles count with it. Sort by it, not by arrival.",
      ),
  });
}

export const EVENT_SCHEMAS = [...LISTED_EVENTS, ...EXTRA_EVENTS].map((event) => ({
  event,
  schema: eventSchema(event),
}));
