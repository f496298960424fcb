import { z } from 'zod';
import { answer, endpoint } from '../../http/endpoint.ts';
import { exampleEndpoint } from '../openapi/examples/webhooks.ts';

export const getWebhookSecret = endpoint({
  summary: 'Read whether a signing secret exists; the secret itself is never returned',
  id: 'getWebhookSecret',
  description: 'One secret serves both environments, so both keys get the same answer.',
  responses: {
    200: z.strictObject({
      configured: z.boolean().describe('`true` if a secret exists; the first saved URL creates it.'),
      webhookUrl: z.string().describe('The live URL; empty when unset.'),
      webhookUrlTest: z.string().describe('The sandbox URL; empty when unset.'),
    }),
  },
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
  handle: async ({ caller }, deps) => answer(200, await deps.webhooks.secretStatus(caller)),
});
