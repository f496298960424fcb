import { z } from 'zod';

/** Posts so many events; said to the product and to the baseline alike. */
export const deliverOrder = z.object({ merchantId: z.string(), url: z.string(), secret: z.string(), events: z.int() });
export type DeliverOrder = z.infer<typeof deliverOrder>;

/** What came of it: how long it took until the last one had ended, and been recorded where that is done. */
export const delivered = z.object({
  ms: z.number(),
  events: z.int(),
  /** Calls to MongoDB of all of them together. */
  trips: z.int(),
  troubles: z.array(z.string()),
});
export type Delivered = z.infer<typeof delivered>;
