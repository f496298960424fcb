import { z } from 'zod';
import { invalid } from '../../errors/fault.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { fixed, given } from '../../http/input/fields.ts';
import { URL_MAX } from '../../webhooks/address-guard.ts';
import { exampleEndpoint } from '../openapi/examples/webhooks.ts';
import { webhookEndpointSchema, webhookEndpointView } from '../views/webhook-endpoint.ts';

export const setWebhookEndpoint = endpoint({
  summary: "Set where the key's environment delivers its events; an empty url unsets it",
  id: 'setWebhookEndpoint',
  description:
    "Changes the key's own environment and never the other. The first saved URL creates the secret that signs the events of both environments; POST /webhooks/secret/rotate makes the one of this environment.",
  body: z.object({
    url: z
      .string()
      .max(URL_MAX, `must be at most ${URL_MAX} characters long`)
      .optional()
      .describe(
        'An http or https URL (https only in live mode) to public addresses, without credentials; empty unsets it.',
      ),
    extraEvents: z.boolean().optional().describe('`true` if the extra kinds of events are delivered too.'),
    environment: fixed,
    effectiveUrl: fixed,
  }),
  responses: { 200: webhookEndpointSchema },
  notes: {
    400: 'Not valid: a URL that leads to a private, loopback or link-local address, http in live mode, credentials in it; a field that cannot be updated, or nothing to update.',
  },
  messages: { 400: 'url must be an https URL in live mode; http is for the sandbox' },
  example: { body: { url: exampleEndpoint.url }, answer: { status: 200, body: exampleEndpoint } },
  handle: async ({ body, caller }, deps) => {
    const { url, extraEvents } = body;
    if (url === undefined && extraEvents === undefined) {
      throw invalid('body must have a field to update: url or extraEvents');
    }
    return answer(200, webhookEndpointView(await deps.webhooks.setEndpoint(caller, given({ url, extraEvents }))));
  },
});

export const getWebhookEndpoint = endpoint({
  summary: "Read where the key's environment delivers its events",
  id: 'getWebhookEndpoint',
  description: '`effectiveUrl` is the present URL of deliveries: a sandbox without its own URL uses the live one.',
  responses: { 200: webhookEndpointSchema },
  example: { answer: { status: 200, body: exampleEndpoint } },
  handle: async ({ caller }, deps) => answer(200, webhookEndpointView(await deps.webhooks.endpoint(caller))),
});
