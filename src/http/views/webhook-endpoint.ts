import { z } from 'zod';
import type { WebhookEndpoint } from '../../billing/services.ts';

/** PATCH and GET /webhooks/endpoint (reference, section 4), with what is additive: `extraEvents`. */
export const webhookEndpointSchema = z.strictObject({
  environment: z.enum(['live', 'sandbox']),
  url: z.string(),
  effectiveUrl: z.string().nullable(),
  extraEvents: z.boolean(),
});

export function webhookEndpointView(endpoint: WebhookEndpoint): z.output<typeof webhookEndpointSchema> {
  const { environment, url, effectiveUrl, extraEvents } = endpoint;
  return { environment, url, effectiveUrl, extraEvents };
}
