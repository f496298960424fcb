import { z } from 'zod';

/** PATCH and GET /webhooks/endpoint (reference, section 4), with an additive field: `extraEvents`. */
export const webhookEndpointSchema = z.strictObject({
  environment: z
    .enum(['live', 'sandbox'])
    .describe("The key's environment: `sandbox` for a test key, `live` for a live key."),
  url: z.string().describe('The saved URL of this environment; empty when unset.'),
  effectiveUrl: z
    .string()
    .nullable()
    .describe('The present URL of deliveries: the saved one; for a sandbox without one, the live one; `null`: none.'),
  extraEvents: z.boolean().describe('`true` if the extra kinds of events are delivered too.'),
});
