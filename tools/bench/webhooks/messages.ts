import { z } from 'zod';

/** Posts so many events; said to the product and to the baseline alike. */
export const deliverOrder = z.object({ merchantId: z.string(), url: z.string(), secret: z.string(), events: z.int() });
export type DeliverOrder = z.infer<typeof deliverOrder>;

/** One event of each merchant in turn, so many a second, whatever becomes of them: the product alone. */
export const paceOrder = z.object({ merchantIds: z.array(z.string()), events: z.int(), perSecond: z.number() });
export type PaceOrder = z.infer<typeof paceOrder>;

/** All of a `PaceOrder` have happened; the answer does not wait for their deliveries. */
export const happened = z.object({ troubles: z.array(z.string()) });
export type Happened = z.infer<typeof happened>;

/** What came of it: how long it took until the last one had ended, and been recorded where that is done. */
export const delivered = z.object({
  ms: z.number(),
  events: z.int(),
  /** Calls to MongoDB of all of them together. */
  roundTrips: z.int(),
  troubles: z.array(z.string()),
});
export type Delivered = z.infer<typeof delivered>;
