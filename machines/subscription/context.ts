import { z } from 'zod';
import { frame, freshFrame } from '../actor.ts';
import { type BlockedReason, baseUnits, blockedReason, failureReason, moment } from '../effects.ts';
import { BREAKER_ATTEMPTS } from '../rules/breaker.ts';

const interval = z.strictObject({
  unit: z.enum(['day', 'week', 'month', 'year']),
  count: z.int().min(1).max(365),
});

/** What is charged and how often: a copy of the pricing option, so that a charge never reads the offer. */
export const terms = z.strictObject({
  priceId: z.string(),
  /** As the offer shows it. */
  priceAmount: z.string(),
  priceCurrency: z.string(),
  tokenKey: z.string(),
  chainId: z.int(),
  /** Base units of the token. */
  amount: baseUnits,
  interval,
  maxCycles: z.int().positive().nullable(),
  maxFailedCycles: z.int().positive().nullable(),
  /** Where the money goes when no payout wallet is registered for the token. */
  destination: z.strictObject({ evm: z.string().nullable(), solana: z.string().nullable() }).nullable(),
});
export type Terms = z.infer<typeof terms>;

/** The cycle that has been opened and has not ended. Its number is for ever; its period is the attempt's. */
const openCycle = z.strictObject({
  number: z.int().positive(),
  attempt: z.int().positive(),
  openedAt: moment,
  /** The anchor that holds once this attempt settles. */
  anchor: moment,
  periodIndex: z.int().nonnegative(),
  periodStart: moment,
  periodEnd: moment,
  /** When its first attempt was found to have failed, later by the time in which none could be made; null while none has. */
  failingSince: moment.nullable(),
  /** Why its last attempt failed; null where the sandbox forced it: no check of the chain mends that. */
  failedFor: failureReason.nullable(),
  /** How many of its attempts were made before their day because a check of the chain showed that they would succeed. */
  hurried: z.int().nonnegative(),
  /** A later cycle has been opened since: its period stays what it was, for the present one is that cycle's. */
  isOverdue: z.boolean(),
  /** Why its charge stands still; absent: it does not, as far as its payment has said. */
  blockedFor: blockedReason.exactOptional(),
  /** Another wallet is billed than the one that its attempt charges; absent: the same. */
  payerChanged: z.literal(true).exactOptional(),
});
export type OpenCycle = z.infer<typeof openCycle>;

/** Why a due charge is not attempted (docs/rules.md, "Money": Not attempted). */
export const deferral = z.enum(['no_payout_wallet', 'not_enabled', 'sold_out', 'merchant_suspended']);
export type Deferral = z.infer<typeof deferral>;

/** The same to the merchant (`blockedReason`). */
export const BLOCKED_BY: { readonly [D in Deferral]: BlockedReason } = {
  no_payout_wallet: 'no_payout_wallet',
  not_enabled: 'chain_not_enabled',
  sold_out: 'sold_out',
  merchant_suspended: 'merchant_suspended',
};

/** A block of a playing chain as of which something was read. */
export const seenAt = z.strictObject({ chainId: z.int(), block: z.int().nonnegative() });

/** Other terms that the payer has been asked to authorize (docs/rules.md, "Subscriptions": migrate). */
export const migration = z.strictObject({
  terms,
  requestedAt: moment,
  expiresAt: moment,
  /** The wallet that signed; null until one has. */
  wallet: z.string().nullable(),
  /** Whether its allowance, or before one has signed the present payer's, covers the new charge; as of `seenAt`. */
  covered: z.boolean(),
  seenAt: seenAt.nullable(),
  /** When it was first both signed and covered; from then on it does not expire. */
  authorizedAt: moment.nullable(),
});

/** What of the payer's is too little for a charge. */
export const shortage = z.enum(['insufficient_allowance', 'insufficient_balance']);
export type Shortage = z.infer<typeof shortage>;

/** Checks the chain in the days before a charge falls due (docs/rules.md, "Subscriptions": at risk). */
export const risk = z.strictObject({
  /** When the next one is; null: there is none before the charge. */
  lookAt: moment.nullable(),
  /** One has been asked for, and nobody has reported yet what it found. */
  isAwaited: z.boolean(),
  /** What was found short and has not been seen to be there since. */
  short: shortage.nullable(),
});

const endReason = z.enum([
  'requested',
  'customer_deleted',
  'max_cycles_reached',
  'max_failed_cycles_reached',
  'grace_expired',
]);
export type EndReason = z.infer<typeof endReason>;

const scalar = z.union([z.string(), z.number(), z.boolean()]);
export const customVariables = z.record(z.string(), scalar);

/** Everything that a subscription remembers; JSON, parsed on every load. */
export const subscriptionContext = z.strictObject({
  ...frame,
  id: z.string(),
  offerId: z.string(),
  terms,
  /** The wallet that is billed; null until one is linked. */
  payerWallet: z.string().nullable(),
  /**
   * When the allowance first covered a charge of the present payer wallet (docs/rules.md, "Operators, consent, allowances":
   * authorized).
   */
  authorizedAt: moment.nullable(),
  allowanceConfirmed: z.boolean(),
  /** As of which block that was read; null: nobody has, or whoever did could not say. */
  seenAt: seenAt.nullable(),
  risk,
  trialEnd: moment.nullable(),
  anchor: moment.nullable(),
  periodIndex: z.int().nonnegative(),
  currentPeriodEnd: moment.nullable(),
  open: openCycle.nullable(),
  /** Cycles that were reorged out, the oldest first, waiting until no other is open. */
  fallenOut: z.array(openCycle),
  lastCycle: z.int().nonnegative(),
  /** When the last attempts were opened that nobody had asked for, the oldest first: what the breaker checks. */
  begun: z.array(moment).max(BREAKER_ATTEMPTS),
  cyclesCompleted: z.int().nonnegative(),
  consecutiveFailures: z.int().nonnegative(),
  pastDueSince: moment.nullable(),
  cancelAt: moment.nullable(),
  /** Why the due charge is not attempted, since when nothing has been, and how often it was checked for this reason. */
  deferred: z.strictObject({ why: deferral, since: moment, times: z.int().positive() }).nullable(),
  /** The sandbox's order that the next attempts fail so, without touching a chain. */
  forcedFailure: failureReason.nullable(),
  migration: migration.nullable(),
  ended: z
    .strictObject({
      reason: endReason,
      at: moment,
      /** The attempt that had failed last: should it land after all, it counts. */
      lastFailed: z.strictObject({ cycle: z.int().positive(), attempt: z.int().positive() }).nullable(),
    })
    .nullable(),
  customVariables,
});
export type SubscriptionContext = z.infer<typeof subscriptionContext>;

const openCycleV1 = openCycle.omit({ blockedFor: true, payerChanged: true });

/** As version 1 stored it. */
export const subscriptionContextV1 = z.strictObject({
  ...subscriptionContext.shape,
  open: openCycleV1.nullable(),
  fallenOut: z.array(openCycleV1),
});

export interface NewSubscription {
  readonly id: string;
  readonly offerId: string;
  readonly terms: Terms;
  readonly payerWallet: string | null;
  readonly trialEnd: string | null;
  readonly customVariables: SubscriptionContext['customVariables'];
}

/** The context of a subscription that nobody has authorized yet. */
export function newSubscription(made: NewSubscription): SubscriptionContext {
  return {
    ...freshFrame,
    ...made,
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
