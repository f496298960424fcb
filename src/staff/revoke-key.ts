import { z } from 'zod';
import { answer, none, staffEndpoint } from '../http/endpoint.ts';
import { ofMerchant, reason } from './fields.ts';
import { keySchema, keyView } from './views.ts';

export const revokeKey = staffEndpoint({
  summary: 'Revoke a key, named by the id that its merchant shows for it: it gets 401 from now on',
  params: z.object({ ...ofMerchant.shape, keyId: z.string() }),
  query: none,
  body: z.object({ reason }),
  responses: { 200: keySchema },
  errors: [404, 409],
  handle: async ({ params: { merchantId, keyId }, body, caller }, { services }) => {
    const order = { by: caller.by, reason: body.reason };
    return answer(200, keyView(await services.administration.revokeKey(merchantId, keyId, order)));
  },
});
