import { z } from 'zod';
import { answer, none, staffEndpoint } from '../http/endpoint.ts';
import { page, pageOf } from '../http/input/fields.ts';
import { pageEcho, pageView } from '../http/schemas.ts';
import { ofMerchant } from './fields.ts';
import { entrySchema, entryView } from './views.ts';

export const listJournal = staffEndpoint({
  summary: 'List what staff did to a merchant, newest first',
  params: ofMerchant,
  query: z.object(page),
  body: none,
  responses: { 200: z.strictObject({ entries: z.array(entrySchema), ...pageEcho }) },
  errors: [404],
  handle: async ({ params, query }, { services }) => {
    const page = pageOf(query);
    const found = await services.administration.journal(params.merchantId, page);
    return answer(200, { entries: found.items.map(entryView), ...pageView(page, found) });
  },
});
