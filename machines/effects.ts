import { z } from 'zod';
import { consent } from './consent.ts';
import { EXTRA_EVENTS, LISTED_EVENTS } from './rules/event-kinds.ts';

/** Base units of a token as decimal digits: the stored form of amounts (BSON has no `bigint`). */
export const baseUnits = z.string().regex(/^\d{1,78}$/);

/** What a charge is less by: the unused part of a period that this payment paid. Base units. */
export const credit = z.strictObject({ amount: baseUnits, paymentId: z.string() });
export type Credit = z.infer<typeof credit>;

/** What a charge is less by, by a coupon: base units. */
export const appliedDiscount = z.strictObject({ coupon: z.string(), code: z.string().nullable(), amount: baseUnits });

/** A moment of the actor's own clock: ISO 8601, UTC, with milliseconds. */
export const moment = z.iso.datetime({ precision: 3 });

export const webhookEvent = z.enum([...LISTED_EVENTS, ...EXTRA_EVENTS]);
export type WebhookEvent = z.infer<typeof webhookEvent>;

/** What a letter to a payer is about (docs/rules.md, "Letters"). */
export const letterKind = z.enum(['receipt', 'renewal', 'charge_failed', 'at_risk', 'changed', 'refunded', 'ended']);
export type LetterKind = z.infer<typeof letterKind>;

/** The use that a cycle of a metered price charges: `units` that were accepted from `from` to `to`. */
export const usagePeriod = z.strictObject({ units: z.int().nonnegative(), from: moment, to: moment });

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
 * Why a due or open charge is not made, when the payer is not the cause (docs/rules.md, "Money": Not attempted;
 * "Payments").
 */
export const blockedReason = z.enum([
  'no_payout_wallet',
  'chain_not_enabled',
  'sold_out',
  'merchant_suspended',
  'undeliverable',
]);
export type BlockedReason = z.infer<typeof blockedReason>;

/** The attempt that a message is about. */
const attempted = { cycle: z.int(), attempt: z.int(), paymentId: z.string() };

/** A message from a cycle's payment to its subscription. */
export const paymentMessage = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('charge.pulled'), ...attempted }),
  z.strictObject({ type: z.literal('charge.settled'), ...attempted }),
  z.strictObject({ type: z.literal('charge.failed'), ...attempted, reason: failureReason }),
  z.strictObject({ type: z.literal('charge.withdrawn'), ...attempted }),
  /** The charge had settled, and a reorg removed it for good: the period is unpaid again. */
  z.strictObject({ type: z.literal('charge.reorged'), ...attempted, periodStart: moment, periodEnd: moment }),
  /**
   * The charge is blocked. This is not a failure: the payment retries after a pause, or as soon as the cause is gone.
   */
  z.strictObject({ type: z.literal('charge.blocked'), ...attempted, reason: blockedReason }),
  /** A refund of the cycle's payment has settled, or a reorg has removed it. The subscription stays as it is. */
  z.strictObject({
    type: z.literal('charge.refunded'),
    ...attempted,
    refundId: z.string(),
    reversed: z.literal(true).exactOptional(),
  }),
]);
export type PaymentMessage = z.infer<typeof paymentMessage>;

/** Why the payer is checked: for the present charge, for new terms of a migration, or for an upcoming charge. */
const interest = z.enum(['charge', 'migration', 'risk']);
export type Interest = z.infer<typeof interest>;

/**
 * Every effect that a machine, or a change of a plain resource, can request, as data. One handler per type runs it at
 * least once, in the order of the actor's outbox. Results are keyed by the effect's id, so a second run creates nothing
 * twice.
 */
export const effect = z.discriminatedUnion('type', [
  /** One webhook event, which is delivered (reference, section 6). */
  z.strictObject({
    type: z.literal('webhook.emit'),
    event: webhookEvent,
    data: z.record(z.string(), z.json()),
  }),
  /**
   * subscription or payment → its payer: write a letter. The engine derives it from the events of a change
   * (`Domain.follows`); no machine requests it.
   */
  z.strictObject({
    type: z.literal('letter.write'),
    letter: letterKind,
    customerId: z.string(),
    /** That of the event. */
    data: z.record(z.string(), z.json()),
  }),
  /** subscription → payment: create the payment of the cycle, or open a further attempt. */
  z.strictObject({
    type: z.literal('charge.open'),
    cycle: z.int().positive(),
    attempt: z.int().positive(),
    amount: baseUnits,
    /** The units that it is for; absent: the price is fixed. */
    quantity: z.int().positive().exactOptional(),
    /** The use that it is for; absent: the price is not metered. */
    usage: usagePeriod.exactOptional(),
    /** What `amount` is less by; absent: nothing. */
    discount: appliedDiscount.exactOptional(),
    credit: credit.exactOptional(),
    tokenKey: z.string(),
    priceId: z.string(),
    /** null only where the failure is forced and no payer is linked. */
    fromWallet: z.string().nullable(),
    consent: consent.exactOptional(),
    periodStart: moment,
    periodEnd: moment,
    /** The payer's mandate allows no charge before; absent: it does. */
    notBefore: moment.exactOptional(),
    /**
     * The sandbox may request an attempt that fails with this reason without touching a chain (docs/rules.md,
     * "Sandbox": `status`).
     */
    forcedFailure: failureReason.nullable(),
  }),
  /** subscription → payment: withdraw the charge of the cycle unless it has started. */
  z.strictObject({ type: z.literal('charge.withdraw'), cycle: z.int().positive() }),
  /** subscription → payment: the time of the next attempt; null: there is none. */
  z.strictObject({ type: z.literal('charge.schedule'), cycle: z.int().positive(), nextAttemptAt: moment.nullable() }),
  /**
   * payment → chain: charge this attempt. `round` is the number of the resubmission, because each pause ends with one.
   */
  z.strictObject({
    type: z.literal('charge.request'),
    attempt: z.int().positive(),
    round: z.int().nonnegative(),
  }),
  /** payment → chain watchers: check its deposit address from now on. */
  z.strictObject({ type: z.literal('deposit.watch') }),
  /** payment → its deposits: the payment has ended, or its state has changed. The unused money is returned. */
  z.strictObject({ type: z.literal('deposit.settle') }),
  /** payment → chain watchers: search for the transfers of its refunds from now on. */
  z.strictObject({ type: z.literal('refund.watch') }),
  /** payment → subscription. */
  z.strictObject({ type: z.literal('subscription.tell'), subscriptionId: z.string(), message: paymentMessage }),
  /** subscription → chain watchers: check the payer's allowance now, and after every log that names the wallet. */
  z.strictObject({ type: z.literal('allowance.watch'), interest }),
  /** subscription → chain watchers: stop watching the allowance for this interest, or with `any` for all of them. */
  z.strictObject({ type: z.literal('allowance.unwatch'), interest: z.union([interest, z.literal('any')]) }),
  /**
   * subscription → allowances: the subscription's claims on these have changed, so they may now cover other upcoming
   * charges, its own or others'. The engine derives this effect from the states before and after (`Domain.follows`); no
   * machine requests it.
   */
  z.strictObject({
    type: z.literal('allowance.changed'),
    places: z
      .array(z.strictObject({ tokenKey: z.string(), wallet: z.string(), consent: consent.exactOptional() }))
      .min(1),
  }),
  /**
   * Redeem the reservation of `holder`, whichever attempt made it; or release the reservation of this attempt
   * (docs/rules.md, "Offers": Units).
   */
  z.strictObject({
    type: z.literal('unit.count'),
    offerId: z.string(),
    holder: z.string(),
    /**
     * A first charge landed after its attempt had been given up and its reservation released. It redeems a unit all the
     * same.
     */
    isLate: z.literal(true).exactOptional(),
  }),
  z.strictObject({ type: z.literal('unit.free'), offerId: z.string(), holder: z.string() }),
  /**
   * subscription → its coupon: it has ended unpaid, so the redemption is given back. The engine derives this effect
   * (`Domain.follows`); no machine requests it.
   */
  z.strictObject({ type: z.literal('coupon.release'), couponId: z.string() }),
  /** customer or offer → its live subscriptions: cancel, because the customer or offer was deleted. */
  z.strictObject({ type: z.literal('subscriptions.cancel') }),
  /** customer → its live subscriptions without a wallet: the customer now has a wallet of this family. */
  z.strictObject({ type: z.literal('payer.link'), chainFamily: z.enum(['evm', 'solana']) }),
  /**
   * wallet → charges without a destination, or whose destination refused the money: the wallet was registered, replaced
   * or removed.
   */
  z.strictObject({ type: z.literal('payout.registered') }),
]);

export type Effect = z.infer<typeof effect>;
export type EffectType = Effect['type'];
export type EffectOf<T extends EffectType> = Extract<Effect, { type: T }>;
