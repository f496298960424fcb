import { z } from 'zod';
import { frame, freshFrame } from '../actor.ts';
import { baseUnits, blockedReason, failureReason, moment } from '../effects.ts';

const hash = z.string().nullable();

/** The transaction in which each share moved; null until mined, or where there is no such share. */
export const shareHashes = z.strictObject({
  pullTxHash: hash,
  forwardTxHash: hash,
  platformTransferTxHash: hash,
  distributeTxHash: hash,
});

export const blockRef = z.strictObject({ number: z.int().nonnegative(), hash: z.string() });

/** The subscription's cycle that a payment is of. */
export const cycleOf = z.strictObject({
  subscriptionId: z.string(),
  cycle: z.int().positive(),
  periodStart: moment,
  periodEnd: moment,
});

/** What is sent to the address of a `wallet_transfer` (docs/rules.md, "Payments"). Base units of the playing token. */
const depositState = z.strictObject({
  /** Of this payment alone. */
  address: z.string(),
  /** What has to be there. */
  due: baseUnits,
  /** As last seen, until it is charged: what has been sent there, and how much of that is deep enough to count. */
  arrived: baseUnits,
  confirmed: baseUnits,
  expiresAt: moment,
});

/** Why a payment has paused: which share could not be delivered, or what its charge lacked beside the payer's money. */
export const pauseReason = z.union([failureReason, blockedReason]);
export type PauseReason = z.infer<typeof pauseReason>;

/** Everything that a payment remembers; JSON, parsed on every load. What never changes stands in its attributes. */
export const paymentContext = z.strictObject({
  ...frame,
  id: z.string(),
  cycleOf: cycleOf.nullable(),
  amount: baseUnits,
  fromWallet: z.string().nullable(),
  /** Where the merchant's part goes: as last resolved, for good once started. */
  toWallet: z.string().nullable(),
  attempt: z.int().nonnegative(),
  hashes: shareHashes,
  block: blockRef.nullable(),
  /** The attempt whose charge was seen in a block last; absent: none was since version 2. */
  landedAttempt: z.int().positive().exactOptional(),
  /** The release that it has taken last (`ChargeDoc.releases`); absent: none since version 2. */
  released: z
    .strictObject({ attempt: z.int().positive(), round: z.int().nonnegative(), releases: z.int().nonnegative() })
    .exactOptional(),
  failureReason: failureReason.nullable(),
  nextAttemptAt: moment.nullable(),
  /** How often it has paused in this attempt, and why. */
  pauses: z.int().nonnegative(),
  pausedFor: pauseReason.nullable(),
  forcedFailure: failureReason.nullable(),
  /** Its subscription has ended while the charge was started: taken back as soon as it turns out not to be (any more). */
  withdrawn: z.boolean(),
  /** The offer of which it holds a unit, counted or freed with its end; null: it holds none, or a subscription does. */
  unitOf: z.string().nullable(),
  /** Where the money is sent to and how much of it is there; null: it is pulled from a wallet. */
  deposit: depositState.nullable(),
});
export type PaymentContext = z.infer<typeof paymentContext>;

/** As version 1 stored it: only a share that could not be delivered was a reason to pause. */
export const paymentContextV1 = paymentContext
  .omit({ landedAttempt: true, released: true })
  .extend({ pausedFor: failureReason.nullable() });

export const NO_HASHES = {
  pullTxHash: null,
  forwardTxHash: null,
  platformTransferTxHash: null,
  distributeTxHash: null,
} as const;

export interface NewPayment {
  readonly id: string;
  readonly cycleOf: PaymentContext['cycleOf'];
  readonly amount: string;
  readonly fromWallet: string | null;
  readonly toWallet: string | null;
  readonly forcedFailure: PaymentContext['forcedFailure'];
  /** Absent: it holds no unit. */
  readonly unitOf?: string;
  /** Absent: it is pulled from `fromWallet`. */
  readonly deposit?: { readonly address: string; readonly due: string; readonly expiresAt: string };
}

/** The context of a payment before its first attempt. */
export function newPayment(made: NewPayment): PaymentContext {
  return {
    ...freshFrame,
    unitOf: null,
    ...made,
    deposit: made.deposit === undefined ? null : { ...made.deposit, arrived: '0', confirmed: '0' },
    attempt: 0,
    hashes: NO_HASHES,
    block: null,
    failureReason: null,
    nextAttemptAt: null,
    pauses: 0,
    pausedFor: null,
    withdrawn: false,
  };
}
