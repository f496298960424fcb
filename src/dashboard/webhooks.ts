import { z } from 'zod';
import { answer } from '../http/endpoint.ts';
import { mode } from '../http/schemas.ts';
import { noteCall } from './activity.ts';
import { dashboardEndpoint } from './endpoint.ts';
import { firstSecretSchema, testEventSchema } from './wire.ts';

export const sendTestEvent = dashboardEndpoint({
  summary: 'Post one signed event `webhook.test` to the endpoint of an environment, and show the answer',
  body: z.object({ mode }),
  responses: { 200: testEventSchema },
  handle: async ({ body, caller }, deps) => {
    const tenant = { merchantId: caller.session.merchant._id, mode: body.mode };
    return answer(200, await deps.webhooks.sendTestEvent(tenant));
  },
});

export const makeFirstSecret = dashboardEndpoint({
  summary: 'Make the signing secret of an environment that has none; only this answer shows it',
  body: z.object({ mode }),
  responses: { 200: firstSecretSchema },
  handle: async ({ body, caller }, deps) => {
    const tenant = { merchantId: caller.session.merchant._id, mode: body.mode };
    const secret = await deps.webhooks.makeFirstModeSecret(tenant);
    if (secret !== null) await noteCall(deps, caller, { call: 'makeWebhookSecret', mode: body.mode, resourceId: null });
    return answer(200, { secret });
  },
});
