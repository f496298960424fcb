import { z } from 'zod';
import { created, timed } from '../actor.ts';
import { consent } from '../consent.ts';
import { baseUnits, credit, failureReason, moment, paymentMessage } from '../effects.ts';
import { discount } from '../rules/discount.ts';
import { quantity } from '../rules/price-model.ts';
import { usedUnits } from '../rules/usage.ts';
import { canceler, changeOptions, customVariables, deferral, pausedPeriodEnd, terms } from './context.ts';

/** All units of a metered price as of now; absent: it is not metered, or none has been counted since its last cycle. */
const used = usedUnits.exactOptional();

/**
 * Whether everything that a charge needs, apart from the payer's money, is ready. The sender of the event checks this.
 * `paid`: what the running period is worth, if a change at once credits unused time; null: no payment of it is known.
 * Absent: the sender has not looked.
 */
const readiness = z.discriminatedUnion('ready', [
  z.strictObject({ ready: z.literal(true), used, paid: credit.nullable().exactOptional() }),
  z.strictObject({ ready: z.literal(false), why: deferral, used }),
]);

/**
 * The block at which allowance and balance were checked against one charge. A reading of another charge, or one older
 * than the last seen, is ignored.
 */
const chargeReading = z.strictObject({
  priceId: z.string(),
  tokenKey: z.string(),
  /** Of a price whose amount varies; absent: the amount is fixed. */
  amount: baseUnits.exactOptional(),
  wallet: z.string(),
  /** Whose operator was asked about. */
  consent: consent.exactOptional(),
  /** Of the playing chain. */
  chainId: z.int(),
  /** Null: the chain does not name it. */
  block: z.int().nonnegative().nullable(),
});
export type Reading = z.infer<typeof chargeReading>;

/** Absent: the sender knows that the reading is newer. */
const reading = chargeReading.optional();

/** `revoked`: the payer has taken the approval back; nothing is left, and no charge took it. */
const check = { covers: z.boolean(), payable: z.boolean(), revoked: z.literal(true).exactOptional(), reading };

/**
 * A wallet has signed. `replaces`: the mandates of this subscription when the text was issued. If it has another one by
 * now, the payer has signed since, and the event is refused. Absent: nothing is compared.
 */
const signed = { wallet: z.string(), consent: consent.exactOptional(), replaces: z.array(z.string()).exactOptional() };

const [pulled, settled, failed, withdrawn, reorged, blocked, refunded] = paymentMessage.options;

/** Every event of a subscription. Commands of people end in `.requested`; the rest are facts. */
export const subscriptionEvent = z.discriminatedUnion('type', [
  created,
  /** The wake-up time has come, or somebody requested the cycle now (`asked`): sandbox/charge, advance. */
  z.strictObject({ type: z.literal('cycle.due'), ...timed, asked: z.boolean(), charge: readiness }),
  /** The cause of the deferral seems to be gone: the charge is checked now. */
  z.strictObject({ type: z.literal('deferral.lifted'), ...timed, why: deferral }),
  /** A check of the payer's allowance: `covers` this next charge; `payable` with the balance too. */
  z.strictObject({ type: z.literal('allowance.seen'), ...timed, ...check }),
  /** The time of a check before the charge has come. */
  z.strictObject({ type: z.literal('risk.due'), ...timed }),
  /** The result of that check, in the terms of `allowance.seen`. */
  z.strictObject({ type: z.literal('risk.seen'), ...timed, ...check }),
  z.strictObject({ type: z.literal('payer.linked'), ...timed, wallet: z.string() }),
  /**
   * A wallet has signed that it pays: it is billed from now on, in place of any other. Without a consent, the former
   * one stays.
   */
  z.strictObject({ type: z.literal('payer.authorized'), ...timed, ...signed }),
  z.strictObject({
    type: z.literal('cancel.requested'),
    ...timed,
    atPeriodEnd: z.boolean(),
    reason: z.enum(['requested', 'customer_deleted']),
    /** Absent: an older release did not note it. */
    canceledBy: canceler.exactOptional(),
    /** The end charges the use; absent: it does not. */
    charge: readiness.exactOptional(),
    /** The payer's mandate allows no charge before; absent: it does. */
    notBefore: moment.exactOptional(),
  }),
  z.strictObject({ type: z.literal('retry.requested'), ...timed, charge: readiness }),
  z.strictObject({ type: z.literal('resume.requested'), ...timed }),
  /** Nothing falls due until that moment, or until it is resumed; also the change of a pause. */
  z.strictObject({
    type: z.literal('pause.requested'),
    ...timed,
    until: moment.nullable(),
    pausedBy: z.enum(['merchant', 'payer']),
    periodEnd: pausedPeriodEnd,
  }),
  /** The next cycles are for this number of units. */
  z.strictObject({ type: z.literal('quantity.requested'), ...timed, quantity }),
  /** The next cycles have this discount; null: none. */
  z.strictObject({ type: z.literal('discount.requested'), ...timed, discount: discount.nullable() }),
  /** So many units of a metered price have been accepted, in all. */
  z.strictObject({ type: z.literal('usage.seen'), ...timed, used: usedUnits }),
  z.strictObject({ type: z.literal('variables.replaced'), ...timed, customVariables }),
  z.strictObject({ type: z.literal('migration.requested'), ...timed, terms, expiresAt: moment, ...changeOptions }),
  /** The new terms that have not begun are not wanted any more. */
  z.strictObject({ type: z.literal('migration_cancel.requested'), ...timed }),
  z.strictObject({ type: z.literal('migration.signed'), ...timed, ...signed }),
  /** A check of the allowance for the new terms. */
  z.strictObject({ type: z.literal('migration.seen'), ...timed, covers: z.boolean(), reading }),
  /** The sandbox moves this subscription's clock; `clockOffsetMs` only grows. */
  z.strictObject({ type: z.literal('clock.moved'), ...timed, clockOffsetMs: z.int().nonnegative() }),
  z.strictObject({ type: z.literal('failure.forced'), ...timed, reason: failureReason.nullable() }),
  z.strictObject({ ...pulled.shape, ...timed }),
  z.strictObject({ ...settled.shape, ...timed }),
  z.strictObject({ ...failed.shape, ...timed }),
  z.strictObject({ ...withdrawn.shape, ...timed }),
  /** `owed`: what the payment is for; absent: an older release did not note it. */
  z.strictObject({
    ...reorged.shape,
    ...timed,
    owed: z.strictObject({ tokenKey: z.string(), amount: baseUnits }).exactOptional(),
  }),
  z.strictObject({ ...blocked.shape, ...timed }),
  z.strictObject({ ...refunded.shape, ...timed }),
]);

export type SubscriptionEvent = z.infer<typeof subscriptionEvent>;
export type SubscriptionEventOf<T extends SubscriptionEvent['type']> = Extract<SubscriptionEvent, { type: T }>;
