import { z } from 'zod';
import type { WebhookEndpoint } from '../../billing/services.ts';

/** PATCH and GET /webhooks/endpoint (reference, section 4), with an additive field: `extraEvents`. */
export const webhookEndpointSchema = z.strictObject({
  environment: z.enum(['live', 'sandbox']).describe("The key's: `sandbox` of a test key, `live` of a live key."),
  url: z.string().describe('What was saved for this environment; empty when unset.'),
  effectiveUrl: z
    .string()
    .nullable()
    .describe('Where deliveries go now: of the sandbox, its own URL, else the live one; `null` when there is neither.'),
  extraEvents: z.boolean().describe('Whether kinds beyond those listed here are delivered too.'),
});

export function webhookEndpointView(endpoint: WebhookEndpoint): z.output<typeof webhookEndpointSchema> {
  const { environment, url, effectiveUrl, extraEvents } = endpoint;
  return { environment, url, effectiveUrl, extraEvents };
}
