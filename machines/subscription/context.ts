import { z } from 'zod';
import { frame, freshFrame } from '../actor.ts';
import { consent, type PayerConsent } from '../consent.ts';
import {
  appliedDiscount,
  type BlockedReason,
  baseUnits,
  blockedReason,
  credit,
  failureReason,
  moment,
  usagePeriod,
} from '../effects.ts';
import { parseOnce } from '../parse-once.ts';
import { BREAKER_ATTEMPTS } from '../rules/breaker.ts';
import { type Discount, discount } from '../rules/discount.ts';
import { priceModel } from '../rules/price-model.ts';
import { taken } from '../rules/thirty-days.ts';
import { USAGE_LEVELS, usedUnits } from '../rules/usage.ts';

const interval = z.strictObject({
  unit: z.enum(['day', 'week', 'month', 'year']),
  count: z.int().min(1).max(365),
});

/** The amount and interval of the charge: a copy of the pricing option, so a charge never reads the offer. */
export const terms = z.strictObject({
  priceId: z.string(),
  /** As the offer shows it. */
  priceAmount: z.string(),
  priceCurrency: z.string(),
  tokenKey: z.string(),
  chainId: z.int(),
  /** The next charge, in base units of the token; of a metered price its cap, until the cycle opens. */
  amount: baseUnits,
  /** What `amount` follows from; absent: it is fixed. */
  model: priceModel.exactOptional(),
  interval,
  maxCycles: z.int().positive().nullable(),
  maxFailedCycles: z.int().positive().nullable(),
  /** The destination when no payout wallet is registered for the token. */
  destination: z.strictObject({ evm: z.string().nullable(), solana: z.string().nullable() }).nullable(),
});
export type Terms = z.infer<typeof terms>;

/** The block of a playing chain at which a value was read. */
const seenAt = z.strictObject({ chainId: z.int(), block: z.int().nonnegative() });

/** When new terms begin, and whether unused time is credited. Absent: at the end of the period, and it is not. */
export const changeOptions = { when: z.literal('now').exactOptional(), proration: z.literal('credit').exactOptional() };

/** New terms that begin in the middle of a paid period. If their charge fails, all is as before. */
const change = z.strictObject({
  /** Absent: nothing is credited. */
  credit: credit.exactOptional(),
  /** The request, which is open again after a failure. */
  request: z.strictObject({ requestedAt: moment, expiresAt: moment, ...changeOptions }),
  before: z.strictObject({
    terms,
    payerWallet: z.string().nullable(),
    consent: consent.exactOptional(),
    authorizedAt: moment.nullable(),
    allowanceConfirmed: z.boolean(),
    seenAt: seenAt.nullable(),
  }),
});

/** The cycle that is open. Its number never changes; its period is that of the attempt. */
const openCycle = z.strictObject({
  number: z.int().positive(),
  attempt: z.int().positive(),
  openedAt: moment,
  /** The anchor that applies once this attempt settles. */
  anchor: moment,
  periodIndex: z.int().nonnegative(),
  periodStart: moment,
  periodEnd: moment,
  /**
   * When the first failure was detected, moved later by the time in which no attempt could be made; null: none has
   * failed.
   */
  failingSince: moment.nullable(),
  /** Why the last attempt failed; null where the sandbox forced the failure: no check of the chain can resolve that. */
  failedFor: failureReason.nullable(),
  /** How many attempts were made before their day because a check of the chain predicted success. */
  hurried: z.int().nonnegative(),
  /**
   * A later cycle was opened since, or this one by a threshold in the middle of a period: the present period stays as
   * it is when this cycle is paid.
   */
  isOverdue: z.boolean(),
  /** Why the charge is blocked; absent: its payment has reported no block. */
  blockedFor: blockedReason.exactOptional(),
  /** The billed wallet is not the one that this attempt charges; absent: it is. */
  payerChanged: z.literal(true).exactOptional(),
  /** Of a metered price: the use that it charges; its payment has that period. Absent: the price is not metered. */
  usage: usagePeriod.exactOptional(),
  /** What it costs, in base units, after a reorg or less discount and credit; absent: the amount of the terms. */
  amount: baseUnits.exactOptional(),
  /** The last charge of a metered price that has ended: the mandate allows none before. Absent: it allows one now. */
  notBefore: moment.exactOptional(),
  /** What its discount takes off; absent: it has none. */
  discount: appliedDiscount.exactOptional(),
  /** Absent: it is not the first cycle of a change at once. */
  change: change.exactOptional(),
});
export type OpenCycle = z.infer<typeof openCycle>;

/** Why a due charge is not attempted (docs/rules.md, "Money": Not attempted). */
export const deferral = z.enum(['no_payout_wallet', 'not_enabled', 'sold_out', 'merchant_suspended']);
export type Deferral = z.infer<typeof deferral>;

/** The reason that the merchant sees (`blockedReason`). */
export const BLOCKED_BY: { readonly [D in Deferral]: BlockedReason } = {
  no_payout_wallet: 'no_payout_wallet',
  not_enabled: 'chain_not_enabled',
  sold_out: 'sold_out',
  merchant_suspended: 'merchant_suspended',
};

/** New terms that the payer was asked to authorize (docs/rules.md, "Subscriptions": migrate). */
const migration = z.strictObject({
  terms,
  requestedAt: moment,
  expiresAt: moment,
  ...changeOptions,
  /** The wallet that signed; null until one has. */
  wallet: z.string().nullable(),
  /** What it signed; absent: nothing yet, or a text without a mandate. */
  consent: consent.exactOptional(),
  /**
   * Whether the allowance of that wallet, or of the present payer until one has signed, covers the new charge as of
   * `seenAt`.
   */
  covered: z.boolean(),
  seenAt: seenAt.nullable(),
  /** When the terms were first both signed and covered. They do not expire after that. */
  authorizedAt: moment.nullable(),
});

/** The payer's shortage for a charge. */
export const shortage = z.enum(['insufficient_allowance', 'insufficient_balance']);
export type Shortage = z.infer<typeof shortage>;

/** Checks the chain in the days before a charge falls due (docs/rules.md, "Subscriptions": at risk). */
const risk = z.strictObject({
  /** The time of the next check; null: no check comes before the charge. */
  lookAt: moment.nullable(),
  /** A check was requested, and its result has not arrived. */
  isAwaited: z.boolean(),
  /** The last shortage found and not yet seen resolved. */
  short: shortage.nullable(),
});

/** What a metered price has charged so far. */
const usage = z.strictObject({
  /** From which its periods count: its beginning. */
  anchor: moment,
  /** When the present period began. */
  since: moment,
  /** The units of all earlier periods. */
  billed: usedUnits,
  /** The part above the cap of the last charge, or too small for one, in base units: the next one has it. */
  carried: baseUnits,
  /** The highest level of the cap, in percent, that the merchant knows of in this period. */
  told: z.union([z.literal(0), ...USAGE_LEVELS.map((level) => z.literal(level))]),
  /** The units of the present period that charges for a threshold have had; absent: none. */
  inPeriod: usedUnits.exactOptional(),
  /** When it is charged, because its price has reached the threshold; absent: it has not, or there is none. */
  thresholdDueAt: moment.exactOptional(),
  /** What its charges have taken; absent: there is no limit of 30 days, or nothing was charged. */
  taken: z.array(taken).exactOptional(),
  /** The limit of 30 days allowed no charge that was due before this; absent: none had to wait. */
  waitsUntil: moment.exactOptional(),
});

/** What a pause does to the end of the paid period: it moves by the time of the pause, or stays where it is. */
export const pausedPeriodEnd = z.enum(['moves', 'keeps']);

/** Nothing falls due meanwhile (docs/rules.md, "Subscriptions": pause). */
const pause = z.strictObject({
  since: moment,
  /** null: until somebody resumes it. */
  until: moment.nullable(),
  by: z.enum(['merchant', 'payer']),
  periodEnd: pausedPeriodEnd,
});

export const endReason = z.enum([
  'requested',
  'customer_deleted',
  'max_cycles_reached',
  'max_failed_cycles_reached',
  'grace_expired',
]);
export type EndReason = z.infer<typeof endReason>;

/** Who asked for the end of a subscription. */
export const canceler = z.enum(['merchant', 'payer', 'staff']);
export type Canceler = z.infer<typeof canceler>;

const scalar = z.union([z.string(), z.number(), z.boolean()]);
export const customVariables = z.record(z.string(), scalar);

/** The context of a subscription. JSON, parsed on every load. */
export const subscriptionContext = z.strictObject({
  ...frame,
  id: z.string(),
  offerId: z.string(),
  terms,
  /** The wallet that is billed; null until one is linked. */
  payerWallet: z.string().nullable(),
  /** What that wallet has consented to. */
  consent: consent.exactOptional(),
  /**
   * When the allowance first covered a charge of the present payer wallet (docs/rules.md, "Operators, consent,
   * allowances": authorized).
   */
  authorizedAt: moment.nullable(),
  allowanceConfirmed: z.boolean(),
  /** When a check found that the payer has taken the approval back; null or absent: it has not. */
  approvalRevokedAt: moment.nullable().exactOptional(),
  /** The block of the last check; null: none has been made, or the source named no block. */
  seenAt: seenAt.nullable(),
  risk,
  trialEnd: moment.nullable(),
  /** When its payer first agreed within the trial; null: not yet. Absent: there is no trial, or it is older. */
  trialStartedAt: moment.nullable().exactOptional(),
  anchor: moment.nullable(),
  periodIndex: z.int().nonnegative(),
  currentPeriodEnd: moment.nullable(),
  /** Absent: it was never paused. */
  pause: pause.nullable().exactOptional(),
  /** By how many milliseconds pauses have moved the end of the present period: the next one counts from there. */
  movedBy: z.int().nonnegative().exactOptional(),
  open: openCycle.nullable(),
  /** Absent: its price is not metered. */
  usage: usage.exactOptional(),
  /** Absent: it has none. */
  discount: discount.exactOptional(),
  /** Cycles that were reorged out, oldest first. Each waits until no other is open. */
  fallenOut: z.array(openCycle),
  lastCycle: z.int().nonnegative(),
  /** The cycle of the last change at once that was undone; absent: none was. */
  undone: z.int().positive().exactOptional(),
  /** When the service itself opened the last attempts, oldest first: the breaker counts them. */
  begun: z.array(moment).max(BREAKER_ATTEMPTS),
  cyclesCompleted: z.int().nonnegative(),
  consecutiveFailures: z.int().nonnegative(),
  pastDueSince: moment.nullable(),
  cancelAt: moment.nullable(),
  /** Who asked for the end, also for one that is scheduled; absent: nobody, or an older release did not note it. */
  canceledBy: canceler.nullable().exactOptional(),
  /** Why the due charge is not attempted, since when, and how often this reason was found. */
  deferred: z.strictObject({ why: deferral, since: moment, times: z.int().positive() }).nullable(),
  /** The sandbox's order that the next attempts fail with this reason without touching a chain. */
  forcedFailure: failureReason.nullable(),
  migration: migration.nullable(),
  ended: z
    .strictObject({
      reason: endReason,
      at: moment,
      /** The last failed attempt: if it lands after all, it counts. */
      lastFailed: z.strictObject({ cycle: z.int().positive(), attempt: z.int().positive() }).nullable(),
    })
    .nullable(),
  customVariables,
});
export type SubscriptionContext = z.infer<typeof subscriptionContext>;

/** `subscriptionContext` for stored documents. */
export const subscriptionContextParser = parseOnce(subscriptionContext);

export interface NewSubscription {
  readonly id: string;
  readonly offerId: string;
  readonly terms: Terms;
  readonly payerWallet: string | null;
  readonly consent?: PayerConsent;
  readonly trialEnd: string | null;
  /** When it begins to count use; absent: its price is not metered. */
  readonly usage?: Pick<NonNullable<SubscriptionContext['usage']>, 'anchor'>;
  /** Absent: it has none. */
  readonly discount?: Discount;
  readonly customVariables: SubscriptionContext['customVariables'];
}

/** The context of a subscription that nobody has authorized yet. */
export function newSubscription({ usage, ...made }: NewSubscription): SubscriptionContext {
  return {
    ...freshFrame,
    ...made,
    ...(usage === undefined ? {} : { usage: { ...usage, since: usage.anchor, billed: 0, carried: '0', told: 0 } }),
    ...(made.trialEnd === null ? {} : { trialStartedAt: null }),
    authorizedAt: null,
    allowanceConfirmed: false,
    seenAt: null,
    risk: { lookAt: null, isAwaited: false, short: null },
    anchor: null,
    periodIndex: 0,
    currentPeriodEnd: made.trialEnd,
    open: null,
    fallenOut: [],
    lastCycle: 0,
    begun: [],
    cyclesCompleted: 0,
    consecutiveFailures: 0,
    pastDueSince: null,
    cancelAt: null,
    deferred: null,
    forcedFailure: null,
    migration: null,
    ended: null,
  };
}
