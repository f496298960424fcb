import { z } from 'zod';
import { answer, none, staffEndpoint } from '../http/endpoint.ts';
import { page } from '../http/input/fields.ts';
import { pageEcho } from '../http/views/shared.ts';
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
    const entries = await services.administration.journal(params.merchantId, query);
    return answer(200, { entries: entries.map(entryView), ...query });
  },
});
