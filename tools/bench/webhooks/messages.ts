import { z } from 'zod';

/** An order to product or baseline: post this many events. */
export const deliverOrder = z.object({ merchantId: z.string(), url: z.string(), secret: z.string(), events: z.int() });
export type DeliverOrder = z.infer<typeof deliverOrder>;

/** An order to the product: one event of each merchant in turn, at this rate, whatever becomes of the earlier ones. */
export const paceOrder = z.object({ merchantIds: z.array(z.string()), events: z.int(), perSecond: z.number() });
export type PaceOrder = z.infer<typeof paceOrder>;

/** The answer to a `PaceOrder`: all events exist. It does not wait for their deliveries. */
export const happened = z.object({ troubles: z.array(z.string()) });
export type Happened = z.infer<typeof happened>;

/** The result: the time until the last event was delivered, and recorded where that is done. */
export const delivered = z.object({
  ms: z.number(),
  events: z.int(),
  /** All calls to MongoDB together. */
  roundTrips: z.int(),
  troubles: z.array(z.string()),
});
export type Delivered = z.infer<typeof delivered>;
