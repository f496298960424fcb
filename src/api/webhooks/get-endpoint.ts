import { answer, endpoint } from '../../http/endpoint.ts';
import { exampleEndpoint } from '../openapi/examples/webhooks.ts';
import { webhookEndpointSchema, webhookEndpointView } from '../views/webhook-endpoint.ts';

export const getWebhookEndpoint = endpoint({
  summary: "Read where the key's environment delivers its events",
  id: 'getWebhookEndpoint',
  description: '`effectiveUrl` is the present URL of deliveries: a sandbox without its own URL uses the live one.',
  responses: { 200: webhookEndpointSchema },
  example: { answer: { status: 200, body: exampleEndpoint } },
  handle: async ({ caller }, deps) => answer(200, webhookEndpointView(await deps.webhooks.endpoint(caller))),
});
