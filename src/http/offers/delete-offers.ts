import { z } from 'zod';
import { invalid } from '../../fault.ts';
import { answer, endpoint, none } from '../endpoint.ts';
import { text } from '../input/fields.ts';
import { BATCH_MAX, batchSchema, inBatch } from './batch.ts';

export const deleteOffers = endpoint({
  summary: 'Delete up to 100 offers, each on its own',
  params: none,
  query: z.object({ ids: z.string().optional() }),
  body: z.object({ ids: z.array(text(100)).optional() }),
  responses: { 200: batchSchema },
  errors: [],
  handle: async ({ query, body, caller, requestId }, { services, config, log }) => {
    const ids = idsOf(body.ids, query.ids);
    const context = { publicUrl: config.publicUrl, requestId, log };
    const items = ids.map((id) => ({ id }));
    return answer(200, await inBatch(items, context, ({ id }) => services.offers.remove(caller, id)));
  },
});

/** In the body, or, for clients that send none with a DELETE, comma-separated in the query. */
function idsOf(inBody: readonly string[] | undefined, inQuery: string | undefined): readonly string[] {
  if (inBody !== undefined && inQuery !== undefined)
    throw invalid('ids must be in the body or in the query, not in both');
  const ids = inBody ?? inQuery?.split(',');
  if (ids === undefined) throw invalid('ids is required');
  if (ids.length < 1 || ids.length > BATCH_MAX || ids.includes(''))
    throw invalid(`ids must have 1 to ${BATCH_MAX} items`);
  return ids;
}
