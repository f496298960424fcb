import { z } from 'zod';
import { timed } from '../actor.ts';
import { attemptRecord } from './context.ts';

export const deliveryEvent = z.discriminatedUnion('type', [
  /** The first attempt of the resource's event before this one has ended. */
  z.strictObject({ type: z.literal('turn.came'), ...timed }),
  /** The retry is due, or the sender of an attempt, or of `turn.came`, has been silent for too long. */
  z.strictObject({ type: z.literal('delivery.due'), ...timed }),
  /** `delivered`: any 2xx. `no_endpoint`: no URL is in force. */
  z.strictObject({
    type: z.literal('attempt.ended'),
    ...timed,
    outcome: z.enum(['delivered', 'failed', 'no_endpoint']),
    record: attemptRecord,
  }),
  /** The merchant requests another delivery now. While the delivery retries, this starts the next attempt. */
  z.strictObject({ type: z.literal('redelivery.requested'), ...timed }),
]);

export type DeliveryEvent = z.infer<typeof deliveryEvent>;
