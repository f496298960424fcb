import { answer, endpoint, none } from '../endpoint.ts';
import { webhookEndpointSchema, webhookEndpointView } from '../views/webhook-endpoint.ts';

export const getWebhookEndpoint = endpoint({
  summary: "Read where the key's environment delivers its events",
  params: none,
  query: none,
  body: none,
  responses: { 200: webhookEndpointSchema },
  errors: [],
  handle: async ({ caller }, { services }) =>
    answer(200, webhookEndpointView(await services.webhooks.endpoint(caller))),
});
