import { z } from 'zod';

/**
 * An order to the process that sends the load: requests over kept-alive connections for a time, or a number of them.
 */
export const loadOrder = z.strictObject({
  origin: z.string(),
  method: z.enum(['GET', 'POST']),
  /** The requests in turn, from the first. */
  asks: z.array(z.strictObject({ path: z.string(), headers: z.record(z.string(), z.string()) })).min(1),
  body: z.string().nullable(),
  /** Connections, each with one request at a time. */
  connections: z.int().positive(),
  ms: z.int().positive(),
  /** Ends after this many requests or after the time; absent: after the time. */
  requests: z.int().positive().exactOptional(),
  /** Any other status ends the run. */
  status: z.int(),
});
export type LoadOrder = z.infer<typeof loadOrder>;

export const loadReport = z.union([
  z.strictObject({
    requests: z.int().nonnegative(),
    ms: z.number().positive(),
    /** The average size of the bodies. */
    bytes: z.number().nonnegative(),
  }),
  z.strictObject({ failure: z.string() }),
]);
export type LoadReport = z.infer<typeof loadReport>;
