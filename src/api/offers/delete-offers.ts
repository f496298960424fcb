import { z } from 'zod';
import { deleteOffer as remove } from '../../billing/offers/offer-changes.ts';
import { invalid } from '../../errors/fault.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { text } from '../../http/input/fields.ts';
import { IDS } from '../openapi/examples/ids.ts';
import { BATCH_MAX, batchSchema, inBatch } from './batch.ts';

export const deleteOffers = endpoint({
  summary: 'Delete up to 100 offers, each on its own',
  id: 'deleteOffers',
  description:
    'One metered call. Each offer is deleted by itself, with the answer of DELETE /offers/{offerId}; a refusal of one does not stop the others.',
  query: z.object({
    ids: z.string().optional().describe('The ids, separated by commas, for clients that send no body with a DELETE.'),
  }),
  body: z.object({ ids: z.array(text(100)).optional().describe('The ids: 1 to 100. Either here or in the query.') }),
  responses: { 200: batchSchema },
  notes: {
    400: 'No ids, more than 100, or ids in both places.',
  },
  messages: { 400: 'ids must have 1 to 100 items' },
  example: {
    body: { ids: [IDS.offer] },
    answer: {
      status: 200,
      body: {
        results: [{ id: IDS.offer, status: 409, error: 'Offer has live subscriptions; deactivate it instead' }],
      },
    },
  },
  handle: async ({ query, body, caller, requestId }, deps) => {
    const ids = idsOf(body.ids, query.ids);
    const context = { publicUrl: deps.config.publicUrl, requestId, log: deps.log };
    const items = ids.map((id) => ({ id }));
    return answer(200, await inBatch(items, context, ({ id }) => remove(deps, caller, id)));
  },
});

/** In the body or, for clients that send no body with a DELETE, comma-separated in the query. */
function idsOf(inBody: readonly string[] | undefined, inQuery: string | undefined): readonly string[] {
  if (inBody !== undefined && inQuery !== undefined)
    throw invalid('ids must be in the body or in the query, not in both');
  const ids = inBody ?? inQuery?.split(',');
  if (ids === undefined) throw invalid('ids is required');
  if (ids.length < 1 || ids.length > BATCH_MAX || ids.includes(''))
    throw invalid(`ids must have 1 to ${BATCH_MAX} items`);
  return ids;
}
