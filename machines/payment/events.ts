import { z } from 'zod';
import { created, timed } from '../actor.ts';
import { consent } from '../consent.ts';
import { baseUnits, blockedReason, failureReason, moment } from '../effects.ts';
import { refundTerms } from '../refund/context.ts';
import { refundEvent } from '../refund/events.ts';
import { blockRef, exchangeRate, shareHashes } from './context.ts';

const attempt = z.int().positive();
/**
 * The number of the resubmission: 0 for the first submission of the attempt, 1 after its first pause. It comes from the
 * charge document. Final events name the attempt only: the money has moved, by any submission.
 */
const round = z.int().nonnegative();
/** How often the charge document had been released when the fact was observed. */
const releases = z.int().nonnegative();
const hash = z.string();
const minedHashes = z.strictObject({ ...shareHashes.shape, pullTxHash: hash });

/** The chain's state of a deposit address: base units of the playing token. */
const depositReading = z.strictObject({
  arrived: baseUnits,
  /** The part with enough confirmations to count. */
  confirmed: baseUnits,
  /** The first sender; null: nobody has sent anything. */
  from: z.string().nullable(),
});
export type DepositReading = z.infer<typeof depositReading>;

/** No unit of the offer is left for the payment, which has reserved none; absent: it has one, or needs none. */
const isSoldOut = z.literal(true).exactOptional();

const [refundSent, refundSettled, refundReorged, refundCanceled, refundExpired] = refundEvent.options;

/**
 * Every event of a payment. `charge.open` and `.withdraw` come from its subscription, the rest of `charge.*` from the
 * chain.
 */
export const paymentEvent = z.discriminatedUnion('type', [
  created,
  /** A further attempt of the cycle (the first one created the payment). */
  z.strictObject({
    type: z.literal('charge.opened'),
    ...timed,
    attempt,
    fromWallet: z.string().nullable(),
    consent: consent.exactOptional(),
    periodStart: moment,
    periodEnd: moment,
    forcedFailure: failureReason.nullable(),
  }),
  z.strictObject({ type: z.literal('charge.withdrawn'), ...timed }),
  z.strictObject({ type: z.literal('charge.scheduled'), ...timed, nextAttemptAt: moment.nullable() }),
  z.strictObject({ type: z.literal('cancel.requested'), ...timed }),
  /** The result of a check of the deposit address. */
  z.strictObject({ type: z.literal('deposit.seen'), ...timed, found: depositReading, isSoldOut }),
  /** The time for the deposit has run out. `found` null: the chain does not answer. */
  z.strictObject({ type: z.literal('deposit.expired'), ...timed, found: depositReading.nullable(), isSoldOut }),
  /** Its pause is over. */
  z.strictObject({ type: z.literal('pause.over'), ...timed }),
  /** A sender has taken the charge for signing: from here on it cannot be canceled. */
  z.strictObject({ type: z.literal('charge.started'), ...timed, attempt, round, toWallet: z.string().nullable() }),
  /** The transaction with this charge reverted as a whole: the charge waits for a sender again. */
  z.strictObject({ type: z.literal('charge.released'), ...timed, attempt, round, releases }),
  z.strictObject({
    type: z.literal('charge.refused'),
    ...timed,
    attempt,
    round,
    reason: z.enum(['insufficient_allowance', 'insufficient_balance', 'pull_reverted']),
  }),
  z.strictObject({
    type: z.literal('charge.undeliverable'),
    ...timed,
    attempt,
    round,
    reason: z.enum(['forward_reverted', 'platform_transfer_reverted', 'distribute_reverted']),
  }),
  z.strictObject({
    type: z.literal('charge.mined'),
    ...timed,
    attempt,
    round,
    releases,
    hashes: minedHashes,
    block: blockRef,
  }),
  z.strictObject({
    type: z.literal('charge.final'),
    ...timed,
    attempt,
    hashes: minedHashes,
    block: blockRef,
    /** Payer and destination of the merchant's part; absent: as the payment has them. */
    wallets: z.strictObject({ from: z.string(), to: z.string().nullable() }).exactOptional(),
    rate: exchangeRate.exactOptional(),
  }),
  z.strictObject({ type: z.literal('charge.reorged'), ...timed, attempt }),
  /** The charge could not be submitted to the chain. */
  z.strictObject({ type: z.literal('charge.blocked'), ...timed, attempt, round, reason: blockedReason }),
  /** The settled charge was reorged out, and is in a block again in another transaction. */
  z.strictObject({ type: z.literal('charge.moved'), ...timed, attempt, hashes: minedHashes, block: blockRef }),
  /** The missing condition may be met, or somebody requests an attempt: the pause ends now. */
  z.strictObject({ type: z.literal('pause.lifted'), ...timed }),
  /** The merchant wants to give money back. */
  z.strictObject({ type: z.literal('refund.requested'), ...timed, refund: refundTerms }),
  refundSent,
  refundSettled,
  refundReorged,
  refundCanceled,
  refundExpired,
]);

export type PaymentEvent = z.infer<typeof paymentEvent>;
export type PaymentEventOf<T extends PaymentEvent['type']> = Extract<PaymentEvent, { type: T }>;
