import { z } from 'zod';
import { timed } from '../actor.ts';
import { refundTransfer } from './context.ts';

const refundId = z.string();

/** The events of one refund. Its payment takes all of them but the last, which follows from an event of its own. */
export const refundEvent = z.discriminatedUnion('type', [
  /** Its transfer is in a block. */
  z.strictObject({ type: z.literal('refund.sent'), ...timed, refundId, transfer: refundTransfer }),
  /** That block is deep enough. */
  z.strictObject({ type: z.literal('refund.settled'), ...timed, refundId, transfer: refundTransfer }),
  /** The chain no longer has the transfer. */
  z.strictObject({ type: z.literal('refund.reorged'), ...timed, refundId }),
  /** The merchant gives it up. */
  z.strictObject({ type: z.literal('refund.canceled'), ...timed, refundId }),
  /** The time for requested refunds may have run out. */
  z.strictObject({ type: z.literal('refund.expired'), ...timed }),
  /** A reorg removed the charge of its payment. */
  z.strictObject({ type: z.literal('refund.reversed'), ...timed }),
]);
export type RefundEvent = z.infer<typeof refundEvent>;
