import { z } from 'zod';
import { invalid } from '../../fault.ts';
import { answer, endpoint, none } from '../endpoint.ts';
import { fixed } from '../input/fields.ts';
import { webhookEndpointSchema, webhookEndpointView } from '../views/webhook-endpoint.ts';

const URL_MAX = 2_048;

export const setWebhookEndpoint = endpoint({
  summary: "Set where the key's environment delivers its events; an empty url unsets it",
  params: none,
  query: none,
  body: z.object({
    url: z.string().max(URL_MAX, `must be at most ${URL_MAX} characters long`).optional(),
    extraEvents: z.boolean().optional(),
    environment: fixed,
    effectiveUrl: fixed,
  }),
  responses: { 200: webhookEndpointSchema },
  errors: [],
  handle: async ({ body, caller }, { services }) => {
    const { url, extraEvents } = body;
    if (url === undefined && extraEvents === undefined) {
      throw invalid('body must have a field to update: url or extraEvents');
    }
    const change = { ...(url === undefined ? {} : { url }), ...(extraEvents === undefined ? {} : { extraEvents }) };
    return answer(200, webhookEndpointView(await services.webhooks.setEndpoint(caller, change)));
  },
});
