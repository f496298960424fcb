import { z } from 'zod';
import { answer, endpoint, none } from '../endpoint.ts';

export const getWebhookSecret = endpoint({
  summary: 'Read whether a signing secret exists; the secret itself is never returned',
  params: none,
  query: none,
  body: none,
  responses: {
    200: z.strictObject({ configured: z.boolean(), webhookUrl: z.string(), webhookUrlTest: z.string() }),
  },
  errors: [],
  handle: async ({ caller }, { services }) => {
    const { configured, webhookUrl, webhookUrlTest } = await services.webhooks.secretStatus(caller);
    return answer(200, { configured, webhookUrl, webhookUrlTest });
  },
});
