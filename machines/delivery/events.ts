import { z } from 'zod';
import { created, timed } from '../actor.ts';
import { attemptRecord } from './context.ts';

export const deliveryEvent = z.discriminatedUnion('type', [
  created,
  /** The first attempt of the resource's event before this one has ended. */
  z.strictObject({ type: z.literal('turn.came'), ...timed }),
  /** Its retry falls due, or whoever was making an attempt, or was to give it its turn, has been silent for too long. */
  z.strictObject({ type: z.literal('delivery.due'), ...timed }),
  /** `delivered`: any 2xx. `no_endpoint`: no URL is in force. */
  z.strictObject({
    type: z.literal('attempt.ended'),
    ...timed,
    outcome: z.enum(['delivered', 'failed', 'no_endpoint']),
    record: attemptRecord,
  }),
  /** The merchant wants it once more, now. Of one that is being retried, it is the next attempt. */
  z.strictObject({ type: z.literal('redelivery.requested'), ...timed }),
]);

export type DeliveryEvent = z.infer<typeof deliveryEvent>;
