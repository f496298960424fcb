import { z } from 'zod';
import { answer, none, staffEndpoint } from '../http/endpoint.ts';
import { ofMerchant, reason } from './fields.ts';
import { merchantSchema, merchantView } from './views.ts';

export const reinstateMerchant = staffEndpoint({
  summary: 'Reinstate a suspended merchant: what was not attempted meanwhile is charged now',
  params: ofMerchant,
  query: none,
  body: z.object({ reason }),
  responses: { 200: merchantSchema },
  errors: [404, 409],
  handle: async ({ params, body, caller }, { services }) => {
    const merchant = await services.administration.reinstate(params.merchantId, { by: caller.by, reason: body.reason });
    return answer(200, merchantView(merchant));
  },
});
