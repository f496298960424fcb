import { z } from 'zod';
import { answer, none, staffEndpoint } from '../http/endpoint.ts';
import { oneOf, page, pageOf } from '../http/input/fields.ts';
import { pageEcho, pageView } from '../http/schemas.ts';
import { merchantSchema, merchantView } from './views.ts';

export const listMerchants = staffEndpoint({
  summary: 'List merchants, newest first',
  params: none,
  query: z.object({ status: oneOf(['active', 'suspended']).optional(), ...page }),
  body: none,
  responses: { 200: z.strictObject({ merchants: z.array(merchantSchema), ...pageEcho }) },
  errors: [],
  handle: async ({ query }, { services }) => {
    const page = pageOf(query);
    const found = await services.administration.list({ status: query.status ?? null, ...page });
    return answer(200, { merchants: found.items.map(merchantView), ...pageView(page, found) });
  },
});
