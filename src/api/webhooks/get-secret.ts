import { z } from 'zod';
import { answer, endpoint, none } from '../../http/endpoint.ts';
import { exampleEndpoint } from '../openapi/examples/webhooks.ts';

export const getWebhookSecret = endpoint({
  summary: 'Read whether a signing secret exists; the secret itself is never returned',
  id: 'getWebhookSecret',
  description: 'Of both environments, whichever key asks: there is one secret for both.',
  params: none,
  query: none,
  body: none,
  responses: {
    200: z.strictObject({
      configured: z.boolean().describe('Whether there is one: it is made when a URL is first saved.'),
      webhookUrl: z.string().describe('The live URL; empty when unset.'),
      webhookUrlTest: z.string().describe('The sandbox URL; empty when unset.'),
    }),
  },
  errors: [],
  example: {
    answer: {
      status: 200,
      body: {
        configured: true,
        webhookUrl: 'https://shop.example/webhooks',
        webhookUrlTest: exampleEndpoint.url,
      },
    },
  },
  handle: async ({ caller }, { services }) => {
    const { configured, webhookUrl, webhookUrlTest } = await services.webhooks.secretStatus(caller);
    return answer(200, { configured, webhookUrl, webhookUrlTest });
  },
});
