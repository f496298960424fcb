import { z } from 'zod';
import { answer } from '../http/endpoint.ts';
import { noteCall } from './activity.ts';
import { dashboardEndpoint } from './endpoint.ts';
import { firstSecretSchema, testEventSchema } from './wire.ts';

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

export const makeFirstSecret = dashboardEndpoint({
  summary: 'Make the signing secret of an environment that has none; only this answer shows it',
  body: z.object({ mode: z.enum(['test', 'live']) }),
  responses: { 200: firstSecretSchema },
  handle: async ({ body: { mode }, caller }, deps) => {
    const tenant = { merchantId: caller.session.merchant._id, mode };
    const secret = await deps.webhooks.makeFirstModeSecret(tenant);
    if (secret !== null) await noteCall(deps, caller, { call: 'makeWebhookSecret', mode, resourceId: null });
    return answer(200, { secret });
  },
});
