import { z } from 'zod';
import { answer, endpoint, none } from '../endpoint.ts';
import { text } from '../input/fields.ts';
import { validate } from '../input/validate.ts';
import { BATCH_MAX, batchSchema, inBatch } from './batch.ts';
import { updateBody, updateInput } from './update-fields.ts';

const { id: _own, ...fields } = updateBody.shape;

/**
 * Of each item only the names of its fields are looked at here: what is wrong with one is no fault of the whole body.
 */
const unchecked = Object.fromEntries(Object.keys(fields).map((name) => [name, z.unknown().optional()]));

export const updateOffers = endpoint({
  summary: 'Update up to 100 offers, each on its own',
  params: none,
  query: none,
  body: z.object({
    offers: z
      .array(z.object({ id: text(100), ...unchecked }))
      .min(1, `must have 1 to ${BATCH_MAX} items`)
      .max(BATCH_MAX, `must have 1 to ${BATCH_MAX} items`),
  }),
  responses: { 200: batchSchema },
  errors: [],
  handle: async ({ body, caller, requestId }, { services, config, log }) => {
    const context = { publicUrl: config.publicUrl, requestId, log };
    const results = await inBatch(body.offers, context, async ({ id, ...change }) =>
      services.offers.update(caller, id, updateInput(validate(updateBody, change))),
    );
    return answer(200, results);
  },
});
