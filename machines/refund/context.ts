import { z } from 'zod';
import { baseUnits, moment } from '../effects.ts';

/**
 * The transfer on the chain that made a refund. `index` counts the transfers of its key within its transaction, so it
 * stays the same if a reorg moves the transaction.
 */
export const refundTransfer = z.strictObject({
  transaction: z.string(),
  index: z.int().nonnegative(),
  block: z.strictObject({ number: z.int().nonnegative(), hash: z.string() }),
});
export type RefundTransfer = z.infer<typeof refundTransfer>;

/** Why a refund was given up before anything moved: by the merchant, or because its payment was reorged out. */
export const refundFailure = z.enum(['canceled', 'payment_reversed']);

export const refundStatus = z.enum(['requested', 'sent', 'settled', 'failed', 'expired']);
export type RefundStatus = z.infer<typeof refundStatus>;

/** What a refund is asked for. It never changes. */
const terms = {
  id: z.string(),
  idempotencyKey: z.string(),
  requestHash: z.string(),
  /** Base units of the payment's token. */
  amount: baseUnits,
  /** The same in base units of the playing token: the transfer has exactly this amount. */
  due: baseUnits,
  /** EVM: the key of the charge, as the router's log names it. Solana: the key from which the reference follows. */
  key: z.string(),
  receiver: z.string(),
  reason: z.string().nullable(),
  /** The block of the playing chain from which its transfer is searched for; null: unknown. */
  since: z.int().nonnegative().nullable(),
  expiresAt: moment,
};

export const refundTerms = z.strictObject(terms);
export type RefundTerms = z.infer<typeof refundTerms>;

const refundContext = z.strictObject({
  ...terms,
  requestedAt: moment,
  transfer: refundTransfer.nullable(),
  settledAt: moment.nullable(),
  failure: refundFailure.nullable(),
});
export type RefundContext = z.infer<typeof refundContext>;

/** A refund as its payment stores it. */
export const refundState = z.strictObject({ ...refundContext.shape, status: refundStatus });
export type RefundState = z.infer<typeof refundState>;

export function requestedRefund(asked: RefundTerms, now: string): RefundState {
  return { ...asked, requestedAt: now, transfer: null, settledAt: null, failure: null, status: 'requested' };
}
