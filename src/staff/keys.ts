import { z } from 'zod';
import { answer } from '../http/endpoint.ts';
import { staffEndpoint } from './endpoint.ts';
import { environment, ofMerchant, reason } from './fields.ts';
import { keyView } from './views.ts';
import { keySchema, newKeySchema } from './wire.ts';

export const issueKey = staffEndpoint({
  summary: 'Issue a key of one environment; only this answer shows it',
  params: ofMerchant,
  body: z.object({ mode: environment, reason }),
  responses: { 201: newKeySchema },
  errors: [404, 409],
  handle: async ({ params, body, caller }, { services }) => {
    const order = { by: caller.by, reason: body.reason };
    const { key, doc } = await services.administration.issueKey(params.merchantId, body.mode, order);
    return answer(201, { ...keyView(doc), key });
  },
});

export const revokeKey = staffEndpoint({
  summary: 'Revoke a key, named by the id that its merchant shows for it: it gets 401 from now on',
  params: z.object({ ...ofMerchant.shape, keyId: z.string() }),
  body: z.object({ reason }),
  responses: { 200: keySchema },
  errors: [404, 409],
  handle: async ({ params: { merchantId, keyId }, body, caller }, { services }) => {
    const order = { by: caller.by, reason: body.reason };
    return answer(200, keyView(await services.administration.revokeKey(merchantId, keyId, order)));
  },
});
