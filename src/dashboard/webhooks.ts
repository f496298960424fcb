import { z } from 'zod';
import { answer } from '../http/endpoint.ts';
import { dashboardEndpoint } from './endpoint.ts';
import { testEventSchema } from './wire.ts';

export const sendTestEvent = dashboardEndpoint({
  summary: 'Post one signed event `webhook.test` to the endpoint of an environment, and show the answer',
  body: z.object({ mode: z.enum(['test', 'live']) }),
  responses: { 200: testEventSchema },
  handle: async ({ body: { mode }, caller }, deps) => {
    const tenant = { merchantId: caller.session.merchant._id, mode };
    const { durationMs, status, error, body } = await deps.webhooks.sendTestEvent(tenant);
    return answer(200, { durationMs, status, error, body });
  },
});
