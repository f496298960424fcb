import { z } from 'zod';
import { frame, freshFrame } from '../actor.ts';
import { consent, type PayerConsent } from '../consent.ts';
import { baseUnits, blockedReason, failureReason, moment } from '../effects.ts';
import { parseOnce } from '../parse-once.ts';
import { refundState } from '../refund/context.ts';

const hash = z.string().nullable();

/** The most refunds of one payment: they are a part of its state. */
export const REFUNDS_MAX = 50;

/** The transaction that moved each share; null until mined, or where there is no such share. */
export const shareHashes = z.strictObject({
  pullTxHash: hash,
  forwardTxHash: hash,
  platformTransferTxHash: hash,
  distributeTxHash: hash,
});

export const blockRef = z.strictObject({ number: z.int().nonnegative(), hash: z.string() });

/** What a unit of the payment's token was worth when the service found the charge final, and who says so. */
export const exchangeRate = z.strictObject({ currency: z.string(), rate: z.string(), source: z.string(), at: moment });
export type ExchangeRate = z.infer<typeof exchangeRate>;

/** The subscription's cycle that the payment pays. */
const cycleOf = z.strictObject({
  subscriptionId: z.string(),
  cycle: z.int().positive(),
  periodStart: moment,
  periodEnd: moment,
});

/** The deposit at the address of a `wallet_transfer` (docs/rules.md, "Payments"). Base units of the playing token. */
const depositState = z.strictObject({
  /** An address for this payment only. */
  address: z.string(),
  /** The amount required. */
  due: baseUnits,
  /** The last seen amounts until the charge: all that arrived, and the part with enough confirmations to count. */
  arrived: baseUnits,
  confirmed: baseUnits,
  expiresAt: moment,
});

/**
 * Why a payment has paused: the share that could not be delivered, or the missing condition other than the payer's
 * money.
 */
const pauseReason = z.union([failureReason, blockedReason]);
export type PauseReason = z.infer<typeof pauseReason>;

/** The context of a payment. JSON, parsed on every load. Values that never change are attributes instead. */
export const paymentContext = z.strictObject({
  ...frame,
  id: z.string(),
  cycleOf: cycleOf.nullable(),
  amount: baseUnits,
  fromWallet: z.string().nullable(),
  /**
   * What that wallet has consented to. A payment from a deposit needs no consent, and has the router of its address
   * here.
   */
  consent: consent.exactOptional(),
  /** The destination last resolved for the merchant's part; fixed once the charge has started. */
  toWallet: z.string().nullable(),
  attempt: z.int().nonnegative(),
  hashes: shareHashes,
  block: blockRef.nullable(),
  /** The attempt whose charge was last seen in a block; absent: none was. */
  landedAttempt: z.int().positive().exactOptional(),
  /** When the service found the charge final; absent: it never was. */
  settledAt: moment.exactOptional(),
  /** Absent: nobody gave a rate then, or the merchant makes no invoices. */
  rate: exchangeRate.exactOptional(),
  /** The last release applied (`ChargeDoc.releases`); absent: none was. */
  released: z
    .strictObject({ attempt: z.int().positive(), round: z.int().nonnegative(), releases: z.int().nonnegative() })
    .exactOptional(),
  failureReason: failureReason.nullable(),
  nextAttemptAt: moment.nullable(),
  /** How often this attempt has paused. */
  pauses: z.int().nonnegative(),
  pausedFor: pauseReason.nullable(),
  forcedFailure: failureReason.nullable(),
  /**
   * The subscription ended while the charge was started: the payment is withdrawn as soon as the charge turns out not
   * to be in progress.
   */
  withdrawn: z.boolean(),
  /**
   * The payment reserves a unit of this offer. Its end redeems or releases the reservation. null: the payment reserves
   * nothing; for a cycle, the subscription reserves the unit.
   */
  unitOf: z.string().nullable(),
  /** The deposit address and the amount there; null: the charge pulls from a wallet. */
  deposit: depositState.nullable(),
  /** In the order of their requests; absent: none was requested. */
  refunds: z.array(refundState).max(REFUNDS_MAX).exactOptional(),
  /** The sum of the settled ones, which the database adds up; absent: none is. */
  refunded: baseUnits.exactOptional(),
});
export type PaymentContext = z.infer<typeof paymentContext>;

/** `paymentContext` for stored documents. */
export const paymentContextParser = parseOnce(paymentContext);

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
  readonly consent?: PayerConsent;
  readonly toWallet: string | null;
  readonly forcedFailure: PaymentContext['forcedFailure'];
  /** The payer's mandate allows no charge before; absent: it does. */
  readonly notBefore?: string;
  /** Absent: the payment reserves no unit. */
  readonly unitOf?: string;
  /** Absent: the charge pulls from `fromWallet`. */
  readonly deposit?: { readonly address: string; readonly due: string; readonly expiresAt: string };
}

/** The context of a payment before its first attempt. */
export function newPayment({ notBefore, ...made }: NewPayment): PaymentContext {
  return {
    ...freshFrame,
    unitOf: null,
    ...made,
    wakeAt: notBefore ?? null,
    deposit: made.deposit === undefined ? null : { ...made.deposit, arrived: '0', confirmed: '0' },
    attempt: 0,
    hashes: NO_HASHES,
    block: null,
    failureReason: null,
    nextAttemptAt: notBefore ?? null,
    pauses: 0,
    pausedFor: null,
    withdrawn: false,
  };
}
