import type { z } from 'zod';
import type { webhookEndpointSchema } from '../../views/webhook-endpoint.ts';

/** A sandbox with its own URL. */
export const exampleEndpoint: z.output<typeof webhookEndpointSchema> = {
  environment: 'sandbox',
  url: 'https://shop.example/webhooks/sandbox',
  effectiveUrl: 'https://shop.example/webhooks/sandbox',
  extraEvents: false,
};
