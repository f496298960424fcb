import { z } from 'zod';

/** Base units of a token, as decimal digits: the form in which amounts rest (a `bigint` does not survive BSON). */
export const baseUnits = z.string().regex(/^\d{1,78}$/);

/** A moment of the actor's own clock: ISO 8601, UTC, with milliseconds. */
export const moment = z.iso.datetime({ precision: 3 });

/** The ten kinds of the reference, section 6. */
export const LISTED_EVENTS = [
  'customer.created',
  'customer.updated',
  'customer.deleted',
  'subscription.created',
  'subscription.active',
  'subscription.canceled',
  'payment.succeeded',
  'payment.failed',
  'payment.canceled',
  'wallet.updated',
] as const;

/** Sent only to endpoints that asked for them (docs/rules.md, "Webhooks": `extraEvents`). */
export const EXTRA_EVENTS = [
  'subscription.past_due',
  'subscription.recovered',
  'subscription.at_risk',
  'subscription.migrated',
  'subscription.blocked',
  'payment.pulled',
] as const;

export const webhookEvent = z.enum([...LISTED_EVENTS, ...EXTRA_EVENTS]);
export type WebhookEvent = z.infer<typeof webhookEvent>;

/** Why an attempt to charge failed (reference, section 2: Payment). */
export const failureReason = z.enum([
  'insufficient_allowance',
  'insufficient_balance',
  'pull_reverted',
  'forward_reverted',
  'platform_transfer_reverted',
  'distribute_reverted',
]);
export type FailureReason = z.infer<typeof failureReason>;

/**
 * Why a charge that is due, or open, stands still although the payer has failed at nothing (docs/rules.md, "Money": Not
 * attempted; "Payments").
 */
export const blockedReason = z.enum([
  'no_payout_wallet',
  'chain_not_enabled',
  'sold_out',
  'merchant_suspended',
  'undeliverable',
]);
export type BlockedReason = z.infer<typeof blockedReason>;

/** What a cycle's payment notifies its subscription; `cycle` and `attempt` name the attempt that it is about. */
export const paymentMessage = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('charge.pulled'), cycle: z.int(), attempt: z.int(), paymentId: z.string() }),
  z.strictObject({ type: z.literal('charge.settled'), cycle: z.int(), attempt: z.int(), paymentId: z.string() }),
  z.strictObject({
    type: z.literal('charge.failed'),
    cycle: z.int(),
    attempt: z.int(),
    paymentId: z.string(),
    reason: failureReason,
  }),
  z.strictObject({ type: z.literal('charge.withdrawn'), cycle: z.int(), attempt: z.int(), paymentId: z.string() }),
  /** It had settled and was reorged out for good: that period is not paid after all. */
  z.strictObject({
    type: z.literal('charge.reorged'),
    cycle: z.int(),
    attempt: z.int(),
    paymentId: z.string(),
    periodStart: moment,
    periodEnd: moment,
  }),
  /** It stands still: no failure, and tried again by itself or as soon as the cause has gone. */
  z.strictObject({
    type: z.literal('charge.blocked'),
    cycle: z.int(),
    attempt: z.int(),
    paymentId: z.string(),
    reason: blockedReason,
  }),
]);
export type PaymentMessage = z.infer<typeof paymentMessage>;

/** Why a subscription's payer is checked: for its present charge, for other terms that it may move to, for a charge ahead. */
export const interest = z.enum(['charge', 'migration', 'risk']);
export type Interest = z.infer<typeof interest>;

/**
 * Everything that a machine, or a change of a plain resource, can ask for, as data. Each is carried out by the one handler of its type, in the order of its
 * actor's outbox, at least once; what it makes downstream is keyed by the effect's id, so twice makes nothing twice.
 */
export const effect = z.discriminatedUnion('type', [
  /** One webhook event with its delivery (reference, section 6). */
  z.strictObject({
    type: z.literal('webhook.emit'),
    event: webhookEvent,
    data: z.record(z.string(), z.json()),
  }),
  /** subscription → payment: make the cycle's payment, or open a further attempt of it. */
  z.strictObject({
    type: z.literal('charge.open'),
    cycle: z.int().positive(),
    attempt: z.int().positive(),
    amount: baseUnits,
    tokenKey: z.string(),
    priceId: z.string(),
    /** null only where the failure is forced and no payer is linked. */
    fromWallet: z.string().nullable(),
    periodStart: moment,
    periodEnd: moment,
    /** The sandbox may ask for an attempt that fails so, without touching a chain (docs/rules.md, "Sandbox": `status`). */
    forcedFailure: failureReason.nullable(),
  }),
  /** subscription → payment: take the cycle's charge back if it has not been started. */
  z.strictObject({ type: z.literal('charge.withdraw'), cycle: z.int().positive() }),
  /** subscription → payment: when its next attempt falls due, or null when there is none. */
  z.strictObject({ type: z.literal('charge.schedule'), cycle: z.int().positive(), nextAttemptAt: moment.nullable() }),
  /** payment → chain: charge this attempt; `round` counts its pauses, for an undeliverable charge is asked for again. */
  z.strictObject({
    type: z.literal('charge.request'),
    attempt: z.int().positive(),
    round: z.int().nonnegative(),
  }),
  /** payment → chain watchers: check its deposit address from now on. */
  z.strictObject({ type: z.literal('deposit.watch') }),
  /** payment → its deposits: it has ended, or stands otherwise than it did; what is not used of them goes back. */
  z.strictObject({ type: z.literal('deposit.settle') }),
  /** payment → subscription. */
  z.strictObject({ type: z.literal('subscription.tell'), subscriptionId: z.string(), message: paymentMessage }),
  /** subscription → chain watchers: check the payer's allowance now, and whenever a log names the wallet. */
  z.strictObject({ type: z.literal('allowance.watch'), interest }),
  /** subscription → chain watchers: nobody waits for the allowance any more, for this or, with `any`, for whatever. */
  z.strictObject({ type: z.literal('allowance.unwatch'), interest: z.union([interest, z.literal('any')]) }),
  /**
   * subscription → allowances: it claims more or less of these than before, so that they may cover other next charges, its own
   * and those of others. The engine derives it from the two states (`Domain.follows`); no machine asks for it.
   */
  z.strictObject({
    type: z.literal('allowance.changed'),
    places: z.array(z.strictObject({ tokenKey: z.string(), wallet: z.string() })).min(1),
  }),
  /**
   * The unit of the offer that is held for `holder` is redeemed, whichever attempt holds it; or the one that this attempt
   * holds is free again (docs/rules.md, "Offers": Units).
   */
  z.strictObject({
    type: z.literal('unit.count'),
    offerId: z.string(),
    holder: z.string(),
    /** A first charge has landed although its attempt had been given up, and its unit freed: counted all the same. */
    isLate: z.literal(true).exactOptional(),
  }),
  z.strictObject({ type: z.literal('unit.free'), offerId: z.string(), holder: z.string() }),
  /** customer or offer → its live subscriptions: it has been deleted, so they are over. */
  z.strictObject({ type: z.literal('subscriptions.cancel') }),
  /** customer → its live subscriptions that bill no wallet yet: its wallet of this family is there now. */
  z.strictObject({ type: z.literal('payer.link'), chainFamily: z.enum(['evm', 'solana']) }),
  /** wallet → charges that had nowhere to go, or a destination that did not take them: it has been registered, replaced or removed. */
  z.strictObject({ type: z.literal('payout.registered') }),
  /** delivery → endpoint: make this attempt. */
  z.strictObject({ type: z.literal('webhook.send'), attempt: z.int().positive() }),
]);

export type Effect = z.infer<typeof effect>;
export type EffectType = Effect['type'];
export type EffectOf<T extends EffectType> = Extract<Effect, { type: T }>;
