import { z } from 'zod';
import { answer, none, staffEndpoint } from '../http/endpoint.ts';
import { oneOf, page } from '../http/input/fields.ts';
import { pageEcho } from '../http/views/shared.ts';
import { merchantSchema, merchantView } from './views.ts';

export const listMerchants = staffEndpoint({
  summary: 'List merchants, newest first',
  params: none,
  query: z.object({ status: oneOf(['active', 'suspended']).optional(), ...page }),
  body: none,
  responses: { 200: z.strictObject({ merchants: z.array(merchantSchema), ...pageEcho }) },
  errors: [],
  handle: async ({ query: { status = null, limit, start } }, { services }) => {
    const merchants = await services.administration.list({ status, limit, start });
    return answer(200, { merchants: merchants.map(merchantView), limit, start });
  },
});
