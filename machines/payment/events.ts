import { z } from 'zod';
import { created, timed } from '../actor.ts';
import { baseUnits, blockedReason, failureReason, moment } from '../effects.ts';
import { blockRef, shareHashes } from './context.ts';

const attempt = z.int().positive();
/**
 * Of the attempt, that of the charge document which it is about; absent in what was journaled before facts named it. That
 * money has moved for good is said of the attempt alone: it has moved, whichever round moved it.
 */
const round = z.int().nonnegative().optional();
/** How often the charge document had been released when this was seen of it; absent in what was journaled before version 2. */
const releases = z.int().nonnegative().exactOptional();
const hash = z.string();
const minedHashes = z.strictObject({ ...shareHashes.shape, pullTxHash: hash });

/** What the chain says of a deposit address: base units of the playing token. */
const depositReading = z.strictObject({
  arrived: baseUnits,
  /** How much of it is deep enough to count. */
  confirmed: baseUnits,
  /** Who sent it first; null: nobody has. */
  from: z.string().nullable(),
});
export type DepositReading = z.infer<typeof depositReading>;

const known = [
  created,
  /** A further attempt of the cycle (the first one made the payment). */
  z.strictObject({
    type: z.literal('charge.opened'),
    ...timed,
    attempt,
    fromWallet: z.string().nullable(),
    periodStart: moment,
    periodEnd: moment,
    forcedFailure: failureReason.nullable(),
  }),
  z.strictObject({ type: z.literal('charge.withdrawn'), ...timed }),
  z.strictObject({ type: z.literal('charge.scheduled'), ...timed, nextAttemptAt: moment.nullable() }),
  z.strictObject({ type: z.literal('cancel.requested'), ...timed }),
  /** What a check of its deposit address has found. */
  z.strictObject({ type: z.literal('deposit.seen'), ...timed, found: depositReading }),
  /** Its deposit is not waited for any longer. `found` null: the chain does not say what is there. */
  z.strictObject({ type: z.literal('deposit.expired'), ...timed, found: depositReading.nullable() }),
  /** Its pause is over. */
  z.strictObject({ type: z.literal('pause.over'), ...timed }),
  /** Taken for signing: from here on it cannot be canceled. */
  z.strictObject({ type: z.literal('charge.started'), ...timed, attempt, round, toWallet: z.string().nullable() }),
  /** The transaction that it was signed into reverted as a whole: it waits for a sender again. */
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
    /** Who has paid and where the merchant's part went; absent: as the payment has it. */
    wallets: z.strictObject({ from: z.string(), to: z.string().nullable() }).exactOptional(),
  }),
  z.strictObject({ type: z.literal('charge.finalized'), ...timed, attempt }),
  z.strictObject({ type: z.literal('charge.reorged'), ...timed, attempt }),
] as const;

/** Everything that can be said to a payment. `charge.open` and `.withdraw` come from its subscription, the rest of `charge.*` from the chain. */
export const paymentEvent = z.discriminatedUnion('type', [
  ...known,
  /** Its charge could not be put before the chain. */
  z.strictObject({ type: z.literal('charge.blocked'), ...timed, attempt, round, reason: blockedReason }),
  /** What its charge lacked may be there, or somebody asks for a try: its pause ends now. */
  z.strictObject({ type: z.literal('pause.lifted'), ...timed }),
]);

export type PaymentEvent = z.infer<typeof paymentEvent>;
export type PaymentEventOf<T extends PaymentEvent['type']> = Extract<PaymentEvent, { type: T }>;

/** What the present code says, as version 1 takes it: without what that does not know. */
export const paymentEventV1 = z.discriminatedUnion('type', known).transform((event) => {
  switch (event.type) {
    case 'charge.released': {
      const { releases: _, ...rest } = event;
      return rest;
    }
    case 'charge.mined': {
      const { round: _, releases: __, ...rest } = event;
      return rest;
    }
    case 'charge.final': {
      const { wallets: _, ...rest } = event;
      return rest;
    }
    default:
      return event;
  }
});
