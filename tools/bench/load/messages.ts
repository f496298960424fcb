import { z } from 'zod';

/** What the process that makes load is asked: requests over kept-alive connections for so long, or so many. */
export const loadOrder = z.strictObject({
  origin: z.string(),
  method: z.enum(['GET', 'POST']),
  /** Asked for in turn, from the first. */
  asks: z.array(z.strictObject({ path: z.string(), headers: z.record(z.string(), z.string()) })).min(1),
  body: z.string().nullable(),
  /** Connections, each with one request under way at a time. */
  connections: z.int().positive(),
  ms: z.int().positive(),
  /** It ends after so many, where the time is not over before; absent: after the time. */
  requests: z.int().positive().exactOptional(),
  /** Any other status ends the run. */
  status: z.int(),
});
export type LoadOrder = z.infer<typeof loadOrder>;

export const loadReport = z.union([
  z.strictObject({
    requests: z.int().nonnegative(),
    ms: z.number().positive(),
    /** Of the bodies, on average. */
    bytes: z.number().nonnegative(),
  }),
  z.strictObject({ failure: z.string() }),
]);
export type LoadReport = z.infer<typeof loadReport>;
